import Foundation
import TestSupport
import Testing
import Wire

@testable import Agent
@testable import EventLoop

@Suite("Users of apps")
struct AppRegistryTests {
    private typealias Script = ScriptedAppServer

    private func failure(_ body: () throws -> Void) -> WireError? {
        do { try body() } catch { return error as? WireError }
        return nil
    }

    @Test(
        "a user is kept with tokens, profile and identities, and is current in the next agent too (H-18, H-19, AP-06)")
    func kept() throws {
        let apps = try AppsUnderTest()
        let user = try apps.logIn()
        #expect(user.state == .loggedIn)
        #expect(user.profile == #"{"name":"Ann"}"#)
        #expect(user.identities == [AppUserIdentity(id: "i", provider: "anon-user")])
        try apps.close()
        let next = try AppsUnderTest(apps.directory, server: apps.server)
        #expect(try next.current == "1")
        #expect(try next.logIn() == user)
        let status = try FileManager.default.attributesOfItem(atPath: apps.directory.path("data/users.realm"))
        #expect(status[.posixPermissions] as? Int == 0o600)
        let directory = try FileManager.default.attributesOfItem(atPath: apps.directory.path("data"))
        #expect(directory[.posixPermissions] as? Int == 0o700)
        try next.close()
    }

    @Test("an anonymous user is reused as long as logged in, also by log-ins at the same time (H-42)")
    func anonymousReuse() throws {
        let apps = try AppsUnderTest()
        let done = Lock<[String]>([])
        try apps.onLoop { [app = apps.app] registry in
            for _ in 0..<5 {
                let request = AppLogin(app: app, provider: "anon-user", fields: "{}")
                try registry.app(app).logIn(request) { result in
                    done.withLock { $0.append((try? result.get().id) ?? "failed") }
                }
            }
        }
        #expect(eventually { done.withLock { $0.count == 5 } })
        #expect(done.withLock { $0 } == ["1", "1", "1", "1", "1"])
        #expect(try apps.logIn().id == "1")
        let logins = try apps.count("POST", "login")
        #expect(logins == 1)
        #expect(try apps.logOut("1").state == .removed)
        #expect(try apps.users == [:])
        try apps.script("POST app/a/auth/providers/anon-user/login", Script.login("2"))
        #expect(try apps.logIn().id == "2")
        try apps.close()
    }

    @Test("logging out: tokens go first, whatever the server says; another user becomes current (H-34, H-43)")
    func loggingOut() throws {
        let apps = try AppsUnderTest()
        try apps.script(
            "GET auth/profile",
            Script.json(200, #"{"identities":[{"id":"i","provider_type":"local-userpass"}],"data":{}}"#))
        try apps.script("POST app/a/auth/providers/local-userpass/login", Script.login("1"))
        try apps.logIn("local-userpass")
        try apps.script("POST app/a/auth/providers/local-userpass/login", Script.login("2"))
        try apps.logIn("local-userpass")
        #expect(try apps.current == "2")
        let isOut = Lock(0)
        try apps.onLoop { [app = apps.app] in
            try $0.user("2", of: app).didLogOut = { isOut.withLock { $0 += 1 } }
        }
        try apps.script("DELETE auth/session", Script.json(500, #"{"error":"no","error_code":"InternalServerError"}"#))
        let error = failure { try apps.logOut("2") }
        #expect(error?.code == .appError && error?.facts["errorCode"] == .string("InternalServerError"))
        #expect(isOut.withLock { $0 } == 1)
        #expect(try apps.users == ["1": .loggedIn, "2": .loggedOut])
        #expect(try apps.current == "1")
        #expect(failure { _ = try apps.call("GET", "x", .access, user: "2") }?.code == .userLoggedOut)
        try apps.close()
        let next = try AppsUnderTest(apps.directory, server: apps.server)
        #expect(try next.users == ["1": .loggedIn, "2": .loggedOut])
        try next.close()
    }

    @Test("401 to the access token: one refresh, one repetition; 401 to the refresh token: logged out (H-32)")
    func refusedTokens() throws {
        let apps = try AppsUnderTest()
        try apps.logIn()
        try apps.script("GET x", Script.json(401, #"{"error":"old","error_code":"InvalidSession"}"#))
        try apps.script(
            "POST auth/session", Script.json(201, #"{"access_token":"\#(Script.token("new"))"}"#))
        #expect(failure { _ = try apps.call("GET", "x", .access, user: "1") }?.message == "old")
        let attempts = try apps.count("GET", "/x")
        let refreshes = try apps.count("POST", "session")
        #expect(attempts == 2)
        #expect(refreshes == 1)
        #expect(try apps.users == ["1": .loggedIn])
        #expect(failure { _ = try apps.call("GET", "x", .refresh, user: "1") }?.facts["status"] == .int32(401))
        #expect(try apps.users == ["1": .loggedOut])
        try apps.close()
    }

    @Test("custom data comes with the access token (H-39)")
    func customData() throws {
        let apps = try AppsUnderTest()
        #expect(try apps.logIn().customData == nil)
        let token = Script.token("new", claims: #","user_data":{"team":"red"}"#)
        try apps.script("POST auth/session", Script.json(201, #"{"access_token":"\#(token)"}"#))
        let user: AppUser = try apps.wait { app, done in
            try app.refresh("1") { done($0.map { $0.info() }) }
        }
        #expect(user.customData == #"{"team":"red"}"#)
        try apps.close()
    }

    @Test("answers that lack something, or aren't what they should be, are errors, and nobody is half logged in")
    func badAnswers() throws {
        let good = #""access_token":"\#(Script.token("a"))","refresh_token":"\#(Script.token("r"))""#
        let login = "POST app/a/auth/providers/anon-user/login"
        let profile = "GET auth/profile"
        let location = "GET app/a/location"
        let table: [(String, HTTPResponse, WireError.Code)] = [
            (location, Script.json(200, "{}"), .badServerAnswer),
            (location, Script.json(200, #"{"hostname":"x y","ws_hostname":""}"#), .badServerAnswer),
            (location, Script.json(200, #"{"hostname":[],"ws_hostname":1}"#), .badServerAnswer),
            (location, HTTPResponse(308, headers: ["Location": "http://elsewhere/"]), .appError),
            (login, HTTPResponse(200), .badServerAnswer), (login, Script.json(200, "[1"), .badServerAnswer),
            (login, Script.json(200, "{\(good),\"user_id\":\"1\"}"), .badServerAnswer),
            (login, Script.json(200, "{\(good),\"user_id\":\"\",\"device_id\":\"\"}"), .badServerAnswer),
            (login, Script.json(200, "{\(good),\"user_id\":7,\"device_id\":\"\"}"), .badServerAnswer),
            (
                login,
                Script.json(200, #"{"access_token":"a.b.c","refresh_token":"d","user_id":"1","device_id":""}"#),
                .badServerAnswer
            ),
            (login, Script.json(200, #"{"error":"in a success"}"#), .appError),
            (login, HTTPResponse(500, text: "oops"), .appError),
            (
                login,
                HTTPResponse(
                    401, headers: ["Content-Type": "application/json; charset=utf-8"],
                    body: Array(#"{"error":"x","error_code":"InvalidPassword"}"#.utf8)), .appError
            ),
            (profile, Script.json(200, #"{"identities":[]}"#), .badServerAnswer),
            (profile, Script.json(200, #"{"data":{}}"#), .badServerAnswer),
            (profile, Script.json(200, #"{"identities":[5],"data":{}}"#), .badServerAnswer),
            (profile, Script.json(200, #"{"identities":{},"data":[]}"#), .badServerAnswer)
        ]
        for (request, answer, code) in table {
            let apps = try AppsUnderTest()
            try apps.script(request, answer)
            let text = Comment(rawValue: "\(request): \(String(decoding: answer.body, as: UTF8.self))")
            #expect(failure { try apps.logIn() }?.code == code, text)
            if request != profile { #expect(try apps.users.isEmpty, text) }
            try EventLoop.shared.run { [server = apps.server] in server.answers[request] = nil }
            try apps.close()
        }
        let apps = try AppsUnderTest()
        try apps.script(login, HTTPResponse(500, text: "oops"))
        #expect(failure { try apps.logIn() }?.facts["errorCode"] == .string("HTTPError"))
        try apps.close()
    }

    @Test("a host that the server has named and that is gone is forgotten: the next request asks anew (H-10, H-11)")
    func movedServer() throws {
        let apps = try AppsUnderTest()
        let location = "GET app/a/location"
        try apps.script(location, Script.json(200, #"{"hostname":"http://127.0.0.1:1","ws_hostname":""}"#))
        #expect(failure { try apps.logIn() }?.code == .serverUnreachable)
        try apps.script(location, Script.json(200, #"{"hostname":"","ws_hostname":""}"#))
        let user = try apps.logIn()
        #expect(user.state == .loggedIn)
        let located = try apps.count("GET", "location")
        #expect(located == 2)
        try apps.close()
    }

    @Test("what can't be part of a request is refused before anything is sent")
    func badParameters() throws {
        let apps = try AppsUnderTest()
        let user = try apps.logIn()
        for path in ["", "/x", "a b", "a\r\nX: y", "é", String(repeating: "a", count: 20_000)] {
            #expect(failure { _ = try apps.call("GET", path, .access, user: user.id) }?.code == .badParams)
        }
        #expect(failure { _ = try apps.call("TRACE", "x", .access, user: user.id) }?.code == .badParams)
        #expect(failure { _ = try apps.call("GET", "x", .access, user: "2") }?.code == .unknownUser)
        #expect(failure { try apps.logIn("a/b") }?.code == .badParams)
        for base in ["", "nonsense", "ftp://h", "http://", "http://h:99999", "http://u@h"] {
            let error = failure {
                try apps.onLoop { _ = try $0.app(AppIdentity(id: "a", baseURL: base)) }
            }
            #expect(error?.code == .badParams, "\(base)")
        }
        let slash = failure { try apps.onLoop { _ = try $0.app(AppIdentity(id: "a/b", baseURL: "http://h")) } }
        #expect(slash?.code == .badParams)
        try apps.close()
    }

    @Test("two agents can't have the same users' file")
    func oneAgent() throws {
        let apps = try AppsUnderTest()
        try apps.logIn()
        let other = try AppsUnderTest(apps.directory, server: apps.server)
        let error = failure { _ = try other.users }
        #expect(error?.code == .locked)
        try apps.close()
    }
}
