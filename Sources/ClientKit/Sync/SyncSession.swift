import Dispatch
import Foundation
import Wire

/// A synced realm's exchange with its server, which the agent carries on for all processes that have the realm open.
public final class SyncSession: Sendable {
    /// Whether data is exchanged.
    public enum State: Sendable {
        /// Data goes both ways whenever there is a connection.
        case active
        /// Suspended, stopped by an error, or its user is logged out.
        case inactive
        /// The realm isn't open any more.
        case invalid
    }

    /// Whether there is a connection to the server.
    public enum ConnectionState: Sendable {
        case disconnected
        case connecting
        case connected
    }

    /// Which way data goes.
    public enum ProgressDirection: Sendable {
        case upload
        case download
    }

    /// How long progress is reported.
    public enum ProgressMode: Sendable {
        /// Until the token is invalidated, also of what is written later.
        case reportIndefinitely
        /// Until what is outstanding now has been transferred.
        case forCurrentlyOutstandingWork
    }

    weak let coordinator: RealmCoordinator?
    let news = Lock(News())

    /// What the agent has told.
    struct News: Sendable {
        var change: SyncChanged?
        var observers: [Int: ProgressObserver] = [:]
        var lastObserver = 0
    }

    init(_ coordinator: RealmCoordinator) {
        self.coordinator = coordinator
    }

    /// Whether data is exchanged.
    public var state: State {
        guard let reply = asked() else { return .invalid }
        return reply.session == .active ? .active : .inactive
    }

    /// Whether there is a connection to the server.
    public var connectionState: ConnectionState {
        switch asked()?.connection {
        case .connected: .connected
        case .connecting: .connecting
        case .disconnected, nil: .disconnected
        }
    }

    func asked() -> SyncStateReply? {
        guard let coordinator, let handle = try? coordinator.handle() else { return nil }
        return try? handle.link.call(SyncStateRequest(target: .handle(handle.realm)))
    }

    /// This process doesn't want the realm to be synced for now. It still is, while another one that has it open does.
    public func suspend() { control(.suspend) }

    /// Ends a suspension.
    public func resume() { control(.resume) }

    /// Tries to connect at once instead of after the pause that follows a failure.
    public func reconnect() { control(.reconnect) }

    private func control(_ wish: SyncControl.Wish) {
        guard let coordinator, let handle = try? coordinator.handle() else { return }
        coordinator.wantsSync.withLock { wants in if wish != .reconnect { wants = wish == .resume } }
        _ = try? handle.link.call(SyncControl(target: .handle(handle.realm), wish: wish))
    }

    // MARK: Waiting

    /// Waits until all local changes are uploaded, or until all that the server has at the time of the call is here.
    /// Throws a `SyncError` if that can't be.
    public func wait(for direction: ProgressDirection) async throws {
        let waiter = Waiter<Void>()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiter.begin { continuation.resume(with: $0) }
                begin(waiter, direction)
            }
        } onCancel: {
            waiter.finish(.failure(CancellationError()))
        }
    }

    /// As the form with `async`; calls back on a queue, or on one in the background.
    public func wait(
        for direction: ProgressDirection, queue: DispatchQueue? = nil, block: @escaping @Sendable (Error?) -> Void
    ) {
        let queue = queue ?? .global()
        let waiter = Waiter<Void>()
        waiter.begin { result in
            queue.async {
                switch result {
                case .success: block(nil)
                case .failure(let error): block(error)
                }
            }
        }
        begin(waiter, direction)
    }

    /// Asks the agent; again if that is lost meanwhile.
    func begin(_ waiter: Waiter<Void>, _ direction: ProgressDirection) {
        DispatchQueue.global().async { [self] in
            do {
                guard let coordinator else { throw Realm.Error(.fail, "the realm of the session is closed") }
                let handle = try coordinator.handle()
                let request = SyncWait(realm: handle.realm, direction: direction == .upload ? .upload : .download)
                handle.link.call(request) { [weak self] result in
                    switch result {
                    case .success: waiter.finish(.success(()))
                    case .failure(let error as WireError) where error.code == .connectionLost:
                        guard !waiter.isFinished, let self else {
                            return waiter.finish(.failure(CancellationError()))
                        }
                        begin(waiter, direction)
                    case .failure(let error):
                        waiter.finish(.failure(SyncError.thrown(error, key: self?.coordinator?.settings.key)))
                    }
                }
            } catch {
                waiter.finish(.failure(error))
            }
        }
    }

    /// The realm's file.
    var path: String? { coordinator?.settings.path }

    /// Whose data it is.
    var target: SyncTarget? { coordinator?.settings.sync }
}

extension SyncSession {
    /// Something went wrong that the app should hear of: the one who opened the realm for manual resets, or the app's sync
    /// manager. Without either it goes to the log.
    func received(_ failure: SyncFailed) {
        let error = SyncError(failure, file: coordinator.map { ($0.settings.path, $0.settings.key) })
        let mode = configuration()?.clientResetMode
        let app = target.flatMap { App.all[$0.app] }
        Self.reporting.async { [self] in
            if error.code == .clientResetError, case .manual(let handler?)? = mode { return handler(error, self) }
            if let handler = app?.syncManager.errorHandler { return handler(error, self) }
            Logger.shared.log(error.code == .serverWarning ? .warn : .error, "sync: \(error.localizedDescription)")
        }
    }

    /// What the realm was opened with; nil when it isn't open any more.
    public func configuration() -> SyncConfiguration? { coordinator?.syncConfiguration }

    /// Who syncs the realm; nil when it isn't open any more.
    public func parentUser() -> User? { configuration()?.user }
}
