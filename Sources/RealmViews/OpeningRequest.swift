import ClientKit
import Foundation

/// What `@AsyncOpen` or `@AutoOpen` was asked for.
struct OpeningRequest {
    let appId: String?
    let partition: (any PartitionValue)?
    let configuration: Realm.Configuration?
    let timeout: UInt?
    let fallsBack: Bool
}

/// The same, with what the environment of the view says.
struct ResolvedOpening: Equatable {
    let app: App
    let partition: AnyBSON?
    /// What to take over, besides the user.
    let given: Realm.Configuration?

    /// Traps if no app is named and there isn't exactly one, or if a configuration is given that isn't synced (UI-04).
    init(
        _ request: OpeningRequest, environment: Realm.Configuration, environmentPartition: (any PartitionValue)?
    ) {
        app = Self.app(request.appId)
        let partition = environmentPartition ?? request.partition
        self.partition = partition.map { Self.value($0) }
        let isOwn = environment != Realm.Configuration.defaultConfiguration
        given = isOwn ? environment : request.configuration
        if let given, given.syncConfiguration == nil {
            fail(Mistake("The configuration that @AsyncOpen or @AutoOpen is given is not configured with sync."))
        }
    }

    private static func app(_ id: String?) -> App {
        if let id { return App(id: id) }
        let apps = App.known
        guard let app = apps.first else {
            fail(Mistake("Cannot find an app to open a realm of: there is no cached App; make one, or name its appId."))
        }
        guard apps.count == 1 else {
            fail(Mistake("Cannot tell which app to open a realm of: there are several cached Apps; name the appId."))
        }
        return app
    }

    private static func value(_ partition: any PartitionValue) -> AnyBSON {
        func wrapped<T: BSON>(_ value: T) -> AnyBSON { AnyBSON(value) }
        if let value = partition as? AnyBSON { return value }
        guard let value = partition as? any BSON else {
            fail(Mistake("'\(partition)' can't be the value of a partition."))
        }
        return wrapped(value)
    }

    /// What to open for a user.
    func configuration(for user: User) -> Realm.Configuration {
        let mode = given?.syncConfiguration?.clientResetMode ?? .recoverUnsyncedChanges()
        let partition = partition ?? given?.syncConfiguration?.partitionValue
        let own =
            if let partition {
                user.configuration(
                    partitionValue: partition, clientResetMode: mode, cancelAsyncOpenOnNonFatalErrors: true)
            } else {
                flexible(user, mode)
            }
        guard var configuration = given else { return own }
        // The file of the given one may be another user's: its place is that of the current one, unless it was chosen.
        let usual = given?.syncConfiguration.map { self.usual($0) }
        configuration.syncConfiguration = own.syncConfiguration
        if configuration.fileURL == usual { configuration.fileURL = own.fileURL }
        return configuration
    }

    /// What is subscribed to from the beginning is taken over, too.
    private func flexible(_ user: User, _ mode: ClientResetMode) -> Realm.Configuration {
        guard let initial = given?.syncConfiguration?.initialSubscriptions else {
            return user.flexibleSyncConfiguration(clientResetMode: mode, cancelAsyncOpenOnNonFatalErrors: true)
        }
        return user.flexibleSyncConfiguration(
            clientResetMode: mode, cancelAsyncOpenOnNonFatalErrors: true, initialSubscriptions: initial.callback,
            rerunOnOpen: initial.rerunOnOpen)
    }

    private func usual(_ sync: SyncConfiguration) -> URL? {
        guard let partition = sync.partitionValue else { return sync.user.flexibleSyncConfiguration().fileURL }
        return sync.user.configuration(partitionValue: partition).fileURL
    }

    static func == (a: ResolvedOpening, b: ResolvedOpening) -> Bool {
        a.app == b.app && a.partition == b.partition && a.given == b.given
    }
}

/// The realms of an app's users, for an opening.
@MainActor
final class AppOpeningSource: OpeningSource {
    var opening: ResolvedOpening

    init(_ opening: ResolvedOpening) {
        self.opening = opening
    }

    var user: String? { opening.app.currentUser?.id }

    /// Users come and go in all processes: the agent is asked from time to time.
    private static let interval = Duration.milliseconds(250)

    func observeUser(_ changed: @escaping @MainActor () -> Void) -> NotificationToken {
        let app = opening.app
        let task = Task.detached { [known = user] in
            var known = known
            while !Task.isCancelled {
                try? await Task.sleep(for: Self.interval)
                let user = app.currentUser?.id
                guard user != known, !Task.isCancelled else { continue }
                known = user
                await changed()
            }
        }
        return NotificationToken(end: { task.cancel() })
    }

    private func configuration(_ id: String) throws -> Realm.Configuration {
        guard let user = opening.app.currentUser, user.id == id else { throw CancellationError() }
        return opening.configuration(for: user)
    }

    func download(user: String, progress: @escaping @MainActor (Double) -> Void) async throws -> Realm {
        let realm = try await Realm(configuration: configuration(user), downloadBeforeOpen: .always)
        guard let session = realm.syncSession else {
            throw NSError(
                domain: NSPOSIXErrorDomain, code: Int(ENOTCONN),
                userInfo: [NSLocalizedDescriptionKey: "The realm isn't synced: nothing can be downloaded"])
        }
        let token = session.addProgressNotification(for: .download, mode: .forCurrentlyOutstandingWork) { news in
            let fraction = news.progressEstimate
            Task { @MainActor in progress(fraction) }
        }
        defer { token?.invalidate() }
        try await session.wait(for: .download)
        return realm
    }

    func openLocal(user: String) async throws -> Realm {
        try await Realm(configuration: configuration(user), downloadBeforeOpen: .never)
    }
}
