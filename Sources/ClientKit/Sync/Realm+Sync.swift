import Dispatch
import Foundation

extension Realm {
    /// The realm's exchange with its server; nil for local realms.
    public var syncSession: SyncSession? { core.coordinator.syncSession }
}

extension Realm.Configuration {
    /// Opens the file in the background and waits for the server's data, if that is wanted. What is returned keeps the
    /// file open until the caller has an instance of its own; nil if there is nothing to wait for.
    func download(_ behavior: Realm.OpenBehavior) async throws -> RealmCoordinator? {
        guard syncConfiguration != nil, behavior != .never else { return nil }
        let waiter = Waiter<Void>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                beginDownload(waiter, onlyIfNew: behavior == .once) { continuation.resume(with: $0) }
            }
        } onCancel: {
            waiter.finish(.failure(CancellationError()))
        }
    }

    /// As above. `started` hears of the file's session before the waiting begins.
    func beginDownload(
        _ waiter: Waiter<Void>, onlyIfNew: Bool, started: @escaping @Sendable (SyncSession) -> Void = { _ in },
        completion: @escaping @Sendable (Result<RealmCoordinator, any Error>) -> Void
    ) {
        DispatchQueue.global(qos: .userInitiated).async {
            do {
                let isNew = access(settings().path, F_OK) != 0
                let (coordinator, _) = try prepare()
                waiter.begin { result in completion(result.map { coordinator }) }
                guard isNew || !onlyIfNew, let session = coordinator.syncSession else {
                    return waiter.finish(.success(()))
                }
                started(session)
                limit(waiter, session)
                guard coordinator.isFlexible else { return session.begin(waiter, .download) }
                // The server's answer to what is subscribed to, and then what has happened since.
                let subscribed = Waiter<Void>()
                subscribed.begin { result in
                    if case .failure = result { waiter.finish(result) } else { session.begin(waiter, .download) }
                }
                coordinator.wait(for: try coordinator.askForSubscriptions().version, subscribed)
            } catch {
                waiter.begin { _ in completion(.failure(error)) }
                waiter.finish(.failure(error))
            }
        }
    }

    /// Who doesn't want to wait for a network that isn't there doesn't wait longer than connecting may take.
    private func limit(_ waiter: Waiter<Void>, _ session: SyncSession) {
        guard let syncConfiguration, syncConfiguration.cancelAsyncOpenOnNonFatalErrors else { return }
        let timeout = syncConfiguration.user.app.syncManager.timeoutOptions?.connectTimeout ?? 120_000
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Int(clamping: timeout))) {
            guard !waiter.isFinished, session.connectionState != .connected else { return }
            waiter.finish(
                .failure(
                    NSError(
                        domain: NSPOSIXErrorDomain, code: Int(ETIMEDOUT),
                        userInfo: [NSLocalizedDescriptionKey: "Sync connection was not established in time"])))
        }
    }
}
