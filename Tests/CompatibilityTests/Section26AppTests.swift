import Foundation
@_spi(RealmSwiftExperimental) import RealmSwift
import TestSupport
import Testing

final class Tool26: Object {
    @Persisted(primaryKey: true) var _id: Int
}

/// Section 26: apps, users, authentication; against a server and an agent that are processes.
@Suite("Section 26: apps and users")
struct Section26AppTests {
    /// An app that no other test uses.
    private func app(_ name: String = #function) -> App {
        SharedAgent.ensure()
        let id = "s26-" + name.prefix { $0.isLetter || $0.isNumber }
        return App(id: id, configuration: AppConfiguration(baseURL: SharedServer.url))
    }

    private func failure<Value: Sendable>(_ body: @Sendable () async throws -> Value) async -> (any Error)? {
        do { _ = try await body() } catch { return error }
        return nil
    }

    private func registered(_ app: App, _ email: String, password: String = "secret-1") async throws -> User {
        try await app.emailPasswordAuth.registerUser(email: email, password: password)
        return try await app.login(credentials: .emailPassword(email: email, password: password))
    }

    @Test("AP-01 to AP-04: one object for an id, the first configuration wins, defaults")
    func identity() {
        let app = app()
        #expect(App(id: app.appId) === app)
        #expect(App(id: app.appId, configuration: AppConfiguration(baseURL: "http://other")) === app)
        #expect(app.configuration.baseURL == SharedServer.url)
        #expect(app.syncManager === app.syncManager)
        let plain = AppConfiguration()
        #expect(plain.defaultRequestTimeoutMS == 60_000)
        #expect(plain.enableSessionMultiplexing)
        #expect(plain.transport == nil)
        #expect(plain.baseURL == ProcessInfo.processInfo.environment["REEVE_SERVER"] ?? "http://localhost:9090")
        #expect(SyncTimeoutOptions().connectTimeout == 120_000)
        #expect(SyncTimeoutOptions(pingKeepalivePeriod: 5).pingKeepalivePeriod == 5)
    }

    @Test("AP-06 to AP-08, AP-10, AP-17 to AP-22: anonymous users")
    func anonymous() async throws {
        let app = app()
        #expect(app.currentUser == nil)
        let user = try await app.login(credentials: .anonymous)
        #expect(try await app.login(credentials: .anonymous) == user)
        #expect(app.currentUser === user)
        #expect(app.allUsers == [user.id: user])
        #expect(user.isLoggedIn && user.state == .loggedIn)
        #expect(user.accessToken?.split(separator: ".").count == 3)
        #expect(user.refreshToken?.split(separator: ".").count == 3)
        #expect(user.identities.map(\.providerType) == ["anon-user"])
        #expect(user.profile.email == nil && user.profile.metadata.isEmpty)
        #expect(user.customData.isEmpty)
        let described = "\(user) \(String(reflecting: user))"
        #expect(!described.contains(user.accessToken ?? "?"))
    }

    @Test("AP-08, AP-11, AP-38, ER-59, ER-60, ER-63: accounts with address and password")
    func emailPassword() async throws {
        let app = app()
        let ann = try await registered(app, "ann@example.net")
        #expect(ann.profile.email == "ann@example.net")
        #expect(ann.identities.map(\.providerType) == ["local-userpass"])
        let taken = await failure {
            try await app.emailPasswordAuth.registerUser(email: "ann@example.net", password: "secret-1")
        }
        #expect((taken as? AppError)?.code == .accountNameInUse)
        #expect(taken?.localizedDescription == "name already in use")
        let short = await failure { try await app.emailPasswordAuth.registerUser(email: "b@b", password: "12345") }
        #expect((short as? AppError)?.code == .badRequest)
        let wrong = await failure {
            try await app.login(credentials: .emailPassword(email: "ann@example.net", password: "wrong-1"))
        }
        guard let wrong = wrong as? AppError else { return #expect(Bool(false), "\(String(describing: wrong))") }
        #expect(wrong.code == .invalidPassword && AppError.invalidPassword ~= wrong)
        #expect(wrong.httpStatusCode == 401)
        let bridged = wrong as NSError
        #expect(bridged.domain == "io.realm.app" && bridged.code == 26)
        #expect(bridged.userInfo["HTTP Status Code"] as? Int == 401)
        #expect((bridged as Error) as? AppError == wrong)
        #expect(app.currentUser == ann)
    }

    @Test("AP-39 to AP-44: confirmation and reset, refused as the server does")
    func confirmation() async throws {
        let auth = app().emailPasswordAuth
        try await auth.registerUser(email: "ann@example.net", password: "secret-1")
        let resent = await failure { try await auth.resendConfirmationEmail("ann@example.net") }
        #expect((resent as? AppError)?.code == .userAlreadyConfirmed)
        #expect(resent?.localizedDescription == "already confirmed")
        let unknown = await failure { try await auth.sendResetPasswordEmail("nobody@example.net") }
        #expect((unknown as? AppError)?.code == .userNotFound)
        try await auth.sendResetPasswordEmail("ann@example.net")
        for body in [
            { try await auth.confirmUser("t", tokenId: "i") },
            { try await auth.resetPassword(to: "secret-2", token: "t", tokenId: "i") },
            { try await auth.retryCustomConfirmation("ann@example.net") },
            { try await auth.callResetPasswordFunction(email: "ann@example.net", password: "secret-2", args: [1, "x"]) }
        ] as [@Sendable () async throws -> Void] {
            #expect(await failure(body) is AppError)
        }
    }

    @Test("AP-09, AP-18, AP-27, AP-28, AP-30: switching, logging out, removing")
    func coming() async throws {
        let app = app()
        let ann = try await registered(app, "ann@example.net")
        let ben = try await registered(app, "ben@example.net")
        #expect(app.currentUser == ben)
        #expect(app.switch(to: ann) === ann)
        #expect(app.currentUser == ann)
        try await ann.logOut()
        #expect(ann.state == .loggedOut && !ann.isLoggedIn)
        #expect(ann.accessToken == nil && ann.refreshToken == nil)
        #expect(app.currentUser == ben)
        #expect(Set(app.allUsers.keys) == [ann.id, ben.id])
        // Logged out already: nothing to do.
        try await ann.logOut()
        let again = try await app.login(credentials: .emailPassword(email: "ann@example.net", password: "secret-1"))
        #expect(again === ann && ann.isLoggedIn)
        try await ben.remove()
        #expect(ben.state == .removed)
        #expect(app.allUsers == [ann.id: ann])
        let anonymous = try await app.login(credentials: .anonymous)
        try await anonymous.logOut()
        #expect(anonymous.state == .removed)
    }

    @Test("AP-28, H-61: files of removed users go with the next process that names the app; who is back keeps them")
    func removedFiles() throws {
        SharedAgent.ensure()
        _ = SharedServer.url
        let home = TemporaryDirectory()
        let environment = ProcessInfo.processInfo.environment.merging(["HOME": home.path]) { $1 }
        let first = try ChildProgram(["AP-28 removed", "s26-files"], environment: environment)
        let end = first.finish()
        #expect(end.status == 0, "\(end.errors)")
        let paths = first.said
        try #require(paths.count == 2, "\(paths)")
        #expect(paths.allSatisfy { $0.hasPrefix(home.path) && FileManager.default.fileExists(atPath: $0) })
        #expect(try ChildProgram(["AP-28 next", "s26-files"], environment: environment).finish().status == 0)
        #expect(!FileManager.default.fileExists(atPath: paths[0]))
        #expect(FileManager.default.fileExists(atPath: paths[1]))
    }

    @Test("AP-29: a deleted account is gone")
    func deletion() async throws {
        let app = app()
        let ann = try await registered(app, "ann@example.net")
        try await ann.delete()
        #expect(ann.state == .removed && app.currentUser == nil)
        let error = await failure {
            try await app.login(credentials: .emailPassword(email: "ann@example.net", password: "secret-1"))
        }
        #expect((error as? AppError)?.code == .invalidPassword)
    }

    @Test("AP-31: an anonymous user gets an address, and keeps the id")
    func linking() async throws {
        let app = app()
        let user = try await app.login(credentials: .anonymous)
        try await app.emailPasswordAuth.registerUser(email: "ann@example.net", password: "secret-1")
        let ann = Credentials.emailPassword(email: "ann@example.net", password: "secret-1")
        #expect(try await user.linkUser(credentials: ann) === user)
        #expect(user.identities.map(\.providerType) == ["anon-user", "local-userpass"])
        #expect(user.profile.email == "ann@example.net")
        try await user.logOut()
        #expect(user.state == .loggedOut)
        #expect(try await app.login(credentials: ann).id == user.id)
        let other = try await registered(app, "ben@example.net")
        #expect(await failure { try await other.linkUser(credentials: ann) } is AppError)
        #expect(await failure { try await other.linkUser(credentials: .anonymous) } is AppError)
    }

    @Test("AP-12, AP-33, AP-45 to AP-50: API keys")
    func apiKeys() async throws {
        let app = app()
        let ann = try await registered(app, "ann@example.net")
        let keys = ann.apiKeysAuth
        let made = try await keys.createAPIKey(named: "phone")
        let secret = try #require(made.key)
        #expect(made.name == "phone" && !made.disabled)
        let fetched = try await keys.fetchAPIKey(made.objectId)
        #expect(fetched.key == nil && fetched.name == "phone")
        #expect(try await keys.fetchAPIKeys().map(\.objectId) == [made.objectId])
        #expect(try await app.login(credentials: .userAPIKey(secret)) == ann)
        try await keys.disableAPIKey(made.objectId)
        #expect(try await keys.fetchAPIKey(made.objectId).disabled)
        #expect(await failure { try await app.login(credentials: .userAPIKey(secret)) } is AppError)
        try await keys.enableAPIKey(made.objectId)
        #expect(try await app.login(credentials: .userAPIKey(secret)).id == ann.id)
        let twice = await failure { try await keys.createAPIKey(named: "phone") }
        #expect((twice as? AppError)?.code == .apiKeyAlreadyExists)
        try await keys.deleteAPIKey(made.objectId)
        let gone = await failure { try await keys.fetchAPIKey(made.objectId) }
        #expect((gone as? AppError)?.code == .valueNotFound)
        #expect(gone?.localizedDescription == "API key not found")
        #expect(UserAPIKey().key == nil)
    }

    @Test("AP-08, AP-27, AP-45: the forms with closures")
    func closures() async throws {
        let app = app()
        let user = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<User, any Error>) in
            app.login(credentials: .anonymous) { continuation.resume(with: $0) }
        }
        let refused = await withCheckedContinuation { continuation in
            user.apiKeysAuth.createAPIKey(named: "x") { (key: UserAPIKey?, error: (any Error)?) in
                continuation.resume(returning: key == nil ? error : nil)
            }
        }
        #expect(refused is AppError)
        let error = await withCheckedContinuation { continuation in
            user.logOut { continuation.resume(returning: $0) }
        }
        #expect(error == nil)
        #expect(user.state == .removed)
        let registered = await withCheckedContinuation { continuation in
            app.emailPasswordAuth.registerUser(email: "a@b", password: "12345") { continuation.resume(returning: $0) }
        }
        #expect((registered as? AppError)?.code == .badRequest)
    }

    @Test("AP-13 to AP-16, ER-46: proofs that the server doesn't take")
    func otherProviders() async {
        let app = app()
        for credentials: Credentials in [
            .apple(idToken: "t"), .google(serverAuthCode: "c"), .googleId(token: "t"), .facebook(accessToken: "t"),
            .jwt(token: "a.b.c"), .function(payload: ["id": 7])
        ] {
            let error = await failure { try await app.login(credentials: credentials) }
            #expect((error as? AppError)?.code == .authProviderNotFound, "\(credentials)")
        }
        let key = await failure { try await app.login(credentials: .serverAPIKey("none")) }
        #expect((key as? AppError)?.code == .authError)
    }

    @Test("AP-08, ER-21: a server that isn't there is an error of the connection")
    func noServer() async throws {
        SharedAgent.ensure()
        let app = App(id: "s26-nowhere", configuration: AppConfiguration(baseURL: "http://127.0.0.1:1"))
        let error = await failure { try await app.login(credentials: .anonymous) }
        let refused = try #require(error as NSError?)
        #expect(refused.domain == "NSURLErrorDomain" && refused.code == -1004)
        #expect(app.currentUser == nil)
    }

    @Test("AP-05: going over to another server logs everybody out")
    func moving() async throws {
        let app = app()
        let ann = try await registered(app, "ann@example.net")
        await #expect(throws: (any Error).self) { try await app.updateBaseUrl(to: "nonsense") }
        #expect(ann.isLoggedIn && app.baseURL == SharedServer.url)
        try await app.updateBaseUrl(to: "http://127.0.0.1:1")
        #expect(app.baseURL == "http://127.0.0.1:1")
        #expect(app.currentUser == nil && app.allUsers.isEmpty)
        #expect(ann.state == .loggedOut)
        try await app.updateBaseUrl(to: SharedServer.url)
        #expect(app.currentUser == nil && app.allUsers[ann.id] === ann)
    }

    @Test("AP-36: sessions of the user's realms that are open here")
    func sessions() async throws {
        let app = app()
        let user = try await app.login(credentials: .anonymous)
        #expect(user.allSessions.isEmpty)
        var configuration = user.configuration(partitionValue: "p")
        let directory = TemporaryDirectory()
        configuration.fileURL = URL(fileURLWithPath: directory.path("p.realm"))
        configuration.objectTypes = [Tool26.self]
        let session = try await MainActor.run { [configuration] in
            let realm = try Realm(configuration: configuration)
            #expect(
                user.allSessions.map { ObjectIdentifier($0) }
                    == [realm.syncSession].compactMap(\.self).map { ObjectIdentifier($0) })
            #expect(user.session(forPartitionValue: "p") === realm.syncSession)
            #expect(user.session(forPartitionValue: "q") == nil)
            return realm.syncSession
        }
        #expect(session?.parentUser() == user || session?.state == .invalid)
    }

    @Test("AP-32: custom data, as of the last access token")
    func customData() async throws {
        let app = app()
        let user = try await app.login(credentials: .anonymous)
        #expect(try await user.refreshCustomData().isEmpty)
        #expect(user.customData.isEmpty)
    }

    @Test("AP-34, AP-35, MG-01 to MG-12, ER-50: functions and databases, which the server hasn't")
    func functions() async throws {
        let app = app()
        let user = try await app.login(credentials: .anonymous)
        let missing = await failure { try await user.functions.sum(1, 2) }
        #expect((missing as? AppError)?.code == .functionNotFound)
        let called = await withCheckedContinuation { continuation in
            user.functions.sum([1, 2]) { (_: AnyBSON?, error: (any Error)?) in continuation.resume(returning: error) }
        }
        #expect((called as? AppError)?.code == .functionNotFound)
        let dogs = user.mongoClient("mongodb-atlas").database(named: "shelter").collection(withName: "dogs")
        #expect(dogs.name == "dogs")
        for body in [
            { _ = try await dogs.insertOne(["name": "Rex"]) }, { _ = try await dogs.find(filter: [:]) },
            { _ = try await dogs.findOneDocument(filter: ["name": "Rex"], options: FindOptions(1, ["name": 1])) },
            { _ = try await dogs.count(filter: [:], limit: 5) }, { _ = try await dogs.deleteOneDocument(filter: [:]) },
            { _ = try await dogs.updateManyDocuments(filter: [:], update: ["$set": ["age": 1]], upsert: true) },
            { _ = try await dogs.aggregate(pipeline: [["$match": [:]]]) },
            { _ = try await dogs.findOneAndUpdate(filter: [:], update: [:], options: FindOneAndModifyOptions()) }
        ] as [@Sendable () async throws -> Void] {
            #expect((await failure(body) as? AppError)?.code == .functionNotFound)
        }
        let pushed = await failure {
            try await app.pushClient(serviceName: "gcm").registerDevice(token: "t", user: user)
        }
        #expect(pushed is AppError)
    }

    @Test("AP-24, AP-25, SY-01, CF-01, CF-06, H-64: configurations of synced realms and their files")
    func configurations() async throws {
        let app = app()
        let user = try await app.login(credentials: .anonymous)
        func name(_ configuration: Realm.Configuration) -> String { configuration.fileURL?.lastPathComponent ?? "" }
        let north = user.configuration(partitionValue: "north/1")
        #expect(name(north) == "s_north%2F1.realm")
        let directory = try #require(north.fileURL?.deletingLastPathComponent().path)
        #expect(directory.hasSuffix("/mongodb-realm/\(app.appId)/\(user.id)"))
        #expect(north.syncConfiguration?.user === user)
        #expect(north.syncConfiguration?.partitionValue == "north/1")
        let id = ObjectId("64f1b6c2d3e4f5a697887960")
        let uuid = try #require(UUID(uuidString: "3B241101-E2BB-4255-8CAF-4136C566A962"))
        #expect(name(user.configuration(partitionValue: 7)) == "l_7.realm")
        #expect(name(user.configuration(partitionValue: Int32(7))) == "i_7.realm")
        #expect(name(user.configuration(partitionValue: Int64(-7))) == "l_-7.realm")
        #expect(name(user.configuration(partitionValue: id)) == "o_64f1b6c2d3e4f5a697887960.realm")
        #expect(name(user.configuration(partitionValue: uuid)) == "u_3b241101-e2bb-4255-8caf-4136c566a962.realm")
        #expect(name(user.configuration(partitionValue: AnyBSON.null)) == "null.realm")
        let long = user.configuration(partitionValue: String(repeating: "é", count: 100))
        #expect(name(long).count == 64 + 6)
        #expect(long.fileURL != user.configuration(partitionValue: String(repeating: "é", count: 101)).fileURL)
        let flexible = user.flexibleSyncConfiguration(clientResetMode: .discardUnsyncedChanges())
        #expect(name(flexible) == "flx_sync_default.realm")
        #expect(flexible.syncConfiguration?.partitionValue == nil)
        var same = user.configuration(partitionValue: "south")
        same.fileURL = north.fileURL
        #expect(same != north)
        #expect("\(north)".contains("user \(user.id)"))
        same.syncConfiguration = nil
        #expect(same.syncConfiguration == nil)
    }

    @Test(
        "MK-64, MK-65, MK-81, MK-82, AP-09: mistakes",
        arguments: [
            ("MK-81", "AppId cannot be an empty string"), ("MK-82", "Unsupported type of partition value"),
            ("MK-64", "'deleteRealmIfMigrationNeeded' and 'syncConfiguration'"), ("MK-65", "removed user"),
            ("AP-09", "not logged in")
        ])
    func mistakes(scenario: String, says: String) throws {
        _ = SharedServer.url
        try expectTrap(scenario, says)
    }
}
