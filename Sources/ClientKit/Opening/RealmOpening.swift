import Foundation

/// What an opening needs of an app and its server.
@MainActor
package protocol OpeningSource: AnyObject {
    /// Id of the current user; nil if nobody is logged in.
    var user: String? { get }
    /// Calls `changed` whenever the current user may be another, until the token is released.
    func observeUser(_ changed: @escaping @MainActor () -> Void) -> NotificationToken
    /// Opens after everything is downloaded.
    func download(
        user: String, progress: @escaping @MainActor (Double) -> Void
    ) async throws -> Realm
    /// Opens what is there, or a new file.
    func openLocal(user: String) async throws -> Realm
}

/// Carries out what an `OpeningMachine` says. Belongs to the main actor.
@MainActor
package final class RealmOpening {
    private var machine: OpeningMachine
    private let source: any OpeningSource
    private let timeout: Duration?
    private var running: [Int: Task<Void, Never>] = [:]
    private var users: NotificationToken?
    private var realm: Realm?
    private var progress: Progress?
    private var listeners: [Int: @MainActor (AsyncOpenState) -> Void] = [:]
    private var lastListener = 0
    private var hasBegun = false

    /// Called before what is to be shown changes.
    package var willChange: (@MainActor () -> Void)?

    /// `timeout`: how long connecting may take; nil: as long as it takes.
    package init(_ source: any OpeningSource, fallsBack: Bool, timeout: Duration?) {
        self.source = source
        self.timeout = timeout
        machine = OpeningMachine(fallsBack: fallsBack)
    }

    isolated deinit {
        for task in running.values { task.cancel() }
    }

    /// What is to be shown. The first question begins the opening.
    package var state: AsyncOpenState {
        begin()
        return current
    }

    private var current: AsyncOpenState {
        switch machine.state {
        case .waitingForUser: .waitingForUser
        case .connecting: .connecting
        case .progress: progress.map { .progress($0) } ?? .connecting
        case .open: realm.map { .open($0) } ?? .connecting
        case .failed(let error): .error(error)
        }
    }

    private func begin() {
        guard !hasBegun else { return }
        hasBegun = true
        users = source.observeUser { [weak self] in
            guard let self else { return }
            self.handle(.user(self.source.user))
        }
        // Not a change: whoever asks gets it as the answer.
        carryOut(machine.handle(.user(source.user)))
    }

    /// Opens anew: another realm is asked for.
    package func reopen() {
        guard hasBegun else { return }
        handle(.otherRealm)
    }

    /// Ends the opening and the observation of users; the state stays.
    package func cancel() {
        users?.invalidate()
        users = nil
        handle(.cancel)
        for listener in Array(listeners.keys) { listeners[listener] = nil }
    }

    /// The states from now on, the present one first.
    package var states: AsyncStream<AsyncOpenState> {
        begin()
        let (stream, continuation) = AsyncStream<AsyncOpenState>.makeStream(bufferingPolicy: .bufferingNewest(100))
        lastListener += 1
        let number = lastListener
        // A realm belongs to the main actor, which is where the states are made and read.
        listeners[number] = { continuation.yield(UnsafeTransfer($0).value) }
        continuation.onTermination = { [weak self] _ in
            Task { @MainActor in self?.listeners[number] = nil }
        }
        continuation.yield(UnsafeTransfer(current).value)
        return stream
    }

    private func handle(_ event: OpeningMachine.Event, opened: Realm? = nil) {
        var next = machine
        let actions = next.handle(event)
        let isChange = next.revision != machine.revision
        if isChange { willChange?() }
        machine = next
        switch machine.state {
        case .open: if let opened { realm = opened }
        case .progress(let fraction):
            let progress = progress ?? Progress(totalUnitCount: Self.units)
            progress.completedUnitCount = Int64(fraction * Double(Self.units))
            self.progress = progress
        case .waitingForUser, .connecting, .failed:
            realm = nil
            progress = nil
        }
        carryOut(actions)
        guard isChange else { return }
        for listener in listeners.values { listener(current) }
    }

    /// What a download is counted in.
    private static let units: Int64 = 1000

    private func carryOut(_ actions: [OpeningMachine.Action]) {
        for action in actions { carryOut(action) }
    }

    private func carryOut(_ action: OpeningMachine.Action) {
        switch action {
        case .stop(let attempt):
            running.removeValue(forKey: attempt)?.cancel()
        case .download(let attempt, let user):
            run(attempt) { [source, weak self] in
                try await source.download(user: user) { self?.handle(.progress(attempt: attempt, $0)) }
            }
        case .openLocal(let attempt, let user):
            run(attempt) { [source] in try await source.openLocal(user: user) }
        case .limitTime(let attempt):
            guard let timeout else { return }
            Task { [weak self] in
                try? await Task.sleep(for: timeout)
                self?.handle(.timeout(attempt: attempt, Self.connectionTimeout))
            }
        }
    }

    private func run(_ attempt: Int, _ open: @escaping @MainActor () async throws -> Realm) {
        running[attempt] = Task { [weak self] in
            do {
                let realm = try await open()
                self?.handle(.opened(attempt: attempt), opened: realm)
            } catch {
                self?.handle(.failed(attempt: attempt, error))
            }
            self?.running[attempt] = nil
        }
    }

    private static var connectionTimeout: NSError {
        NSError(
            domain: NSPOSIXErrorDomain, code: Int(ETIMEDOUT),
            userInfo: [NSLocalizedDescriptionKey: "Sync connection was not fully established in time"])
    }
}
