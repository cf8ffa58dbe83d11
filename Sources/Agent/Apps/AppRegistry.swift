import EventLoop
import Foundation
import History
import Wire

/// The apps whose servers this agent speaks to, and their users, as they were when the last agent ended.
@LoopActor
package final class AppRegistry {
    let http: HTTPClient
    let scheduler: any Scheduler
    private let directory: String
    private var file: UserFile?
    private var apps: [AppIdentity: AgentApp] = [:]
    private var lastOrder: Int64 = 0
    /// By path.
    private var realms: [String: RealmRecord] = [:]
    private var fileActions: [String: FileAction] = [:]

    /// Apps that may be known at a time, on whatever servers.
    static let limit = 1_000

    /// What is kept is in `directory`, which is made with the first app.
    package init(directory: String, http: HTTPClient, scheduler: any Scheduler) {
        self.directory = directory
        self.http = http
        self.scheduler = scheduler
    }

    /// The user of an app. Throws `unknownUser`, and what keeps the users' file from being read.
    package func user(_ id: String, of app: AppIdentity) throws(WireError) -> AgentUser {
        try self.app(app).user(id)
    }

    /// All users, of all apps that have been read or used.
    package var users: [AgentUser] { apps.values.flatMap(\.users.values) }

    /// An app, which needn't have been used before.
    func app(_ identity: AppIdentity) throws(WireError) -> AgentApp {
        try open()
        var identity = identity
        while identity.baseURL.hasSuffix("/") { identity.baseURL.removeLast() }
        if let app = apps[identity] { return app }
        try PathText.check(identity.id, allowing: "-_.", field: "app.id")
        guard apps.count < Self.limit else {
            throw WireError(
                .outOfResources, "the agent knows \(Self.limit) apps; remove the users of some, and start it anew",
                facts: ["limit": .int32(Int32(Self.limit))])
        }
        let app = try AgentApp(identity, registry: self)
        apps[identity] = app
        return app
    }

    /// Connects what waits to try again: the network is back.
    package func reconnectNow() {
        for user in users { user.reconnectNow() }
    }

    /// Closes the users' file, if it is open.
    func close(_ completion: @escaping @LoopActor () -> Void) {
        guard let file else { return completion() }
        self.file = nil
        file.close(completion)
    }

    func nextOrder() -> Int64 {
        lastOrder += 1
        return lastOrder
    }

    /// The time that a server has for an answer.
    func deadline(_ milliseconds: Int64?) -> Duration {
        .milliseconds(min(max(milliseconds ?? 60_000, 1), 86_400_000))
    }

    /// Runs something after what runs now.
    func soon(_ body: @escaping @LoopActor () -> Void) {
        var timer: (any ScheduledTimer)?
        timer = scheduler.timer {
            timer?.close()
            timer = nil
            body()
        }
        timer?.start(after: .zero, repeating: nil)
    }
}

// MARK: - Keeping
extension AppRegistry {
    /// Reads the users, once; a failure is tried again with the next request.
    private func open() throws(WireError) {
        guard file == nil else { return }
        try StateDirectory.make(directory)
        let path = "\(directory)/users.realm"
        do {
            let file = try UserFile(path: path)
            for record in try file.load() {
                lastOrder = max(lastOrder, record.order)
                if apps[record.app] == nil { apps[record.app] = try? AgentApp(record.app, registry: self) }
                apps[record.app]?.restore(record)
            }
            for record in try file.loadRealms() { realms[record.path] = record }
            for action in try file.loadFileActions() { fileActions[action.path] = action }
            self.file = file
            for record in realms.values where record.isFinished && access(record.path, F_OK) != 0 && errno == ENOENT {
                dropRealm(record.path)
            }
        } catch {
            throw WireError(reporting: error, path: path)
        }
    }

    func keep(_ record: UserRecord, completion: @escaping @LoopActor (WireError?) -> Void) {
        guard let file else { return completion(Self.closed) }
        file.put(record, completion: completion)
    }

    func forget(_ record: UserRecord, completion: @escaping @LoopActor (WireError?) -> Void) {
        guard let file else { return completion(Self.closed) }
        file.delete(record, completion: completion)
    }

    // MARK: Synced realms

    /// The realms that were being synced when the last agent ended. Reads nothing where nothing was ever synced.
    func unfinishedRealms() -> [String] {
        guard access("\(directory)/users.realm", F_OK) == 0 else { return [] }
        do {
            try open()
        } catch {
            AgentLog.write("what is to be synced can't be read: \(error)")
        }
        return realms.values.filter { !$0.isFinished }.map(\.path).sorted()
    }

    /// The paths of a user's realms; with `unfinished` those that somebody has open or that have something to send, and
    /// those of whom it isn't known whose they are.
    func realms(of user: AgentUser, unfinished: Bool = false) -> [String] {
        realms.values.filter { record in
            if unfinished { return !record.isFinished && (user.owns(record) || record.user.isEmpty) }
            return user.owns(record)
        }.map(\.path).sorted()
    }

    func isPaused(_ path: String) -> Bool { realms[path]?.isPaused ?? false }

    /// Sees to it that the next agent goes on with the realm. `completion` is called when that is durable.
    func remember(
        _ path: String, _ origin: SyncOrigin?, isPaused: Bool? = nil,
        completion: @escaping @LoopActor (WireError?) -> Void = { _ in }
    ) {
        var record = realms[path] ?? RealmRecord(path: path)
        if let isPaused { record.isPaused = isPaused }
        record.isFinished = false
        if let origin { (record.app, record.user) = (origin.app, origin.user) }
        guard realms[path] != record else { return completion(nil) }
        guard let file else { return completion(Self.closed) }
        realms[path] = record
        file.put(record, completion: completion)
    }

    /// Nothing is left to do in the realm; whose it is, and a pause, are still remembered.
    func finishRealm(_ path: String) {
        guard var record = realms[path], !record.isPaused, !record.isFinished, let file else { return }
        record.isFinished = true
        realms[path] = record
        file.put(record) { _ in }
    }

    /// The realm is gone.
    func dropRealm(_ path: String) {
        if let action = fileActions[path], access(path, F_OK) != 0 { forget(action) { _ in } }
        guard let record = realms.removeValue(forKey: path), let file else { return }
        file.delete(record) { _ in }
    }

    // MARK: Files that are to be dealt with

    /// What is to be done with the file of a realm, once nobody has it open.
    func fileAction(_ path: String) -> FileAction? { fileActions[path] }

    func keep(_ action: FileAction) {
        guard fileActions[action.path] != action, let file else { return }
        fileActions[action.path] = action
        file.put(action) { _ in }
    }

    /// It is done. `completion` is called when that is durable.
    func forget(_ action: FileAction, completion: @escaping @LoopActor (WireError?) -> Void) {
        guard fileActions.removeValue(forKey: action.path) != nil, let file else { return completion(nil) }
        file.delete(action, completion: completion)
    }

    private static var closed: WireError { WireError(.shuttingDown, "the agent is shutting down") }
}

extension AgentUser {
    fileprivate func owns(_ record: RealmRecord) -> Bool { record.user == id && record.app == app.id }
}
