import Dispatch
import Foundation

extension Realm {
    /// When to wait for the server's data before opening. Local realms ignore it.
    public enum OpenBehavior: Sendable {
        /// Opens at once.
        case never
        /// Downloads everything first.
        case always
        /// Downloads everything first if no file existed.
        case once
    }

    /// Opens a realm of the main actor.
    @MainActor
    public init(
        configuration: Configuration = .defaultConfiguration, downloadBeforeOpen: OpenBehavior = .never
    ) async throws {
        try Task.checkCancellation()
        let downloaded = try await configuration.download(downloadBeforeOpen)
        defer { withExtendedLifetime(downloaded) {} }
        self.init(try configuration.open(.main))
    }

    /// Opens a realm that belongs to an actor: use elsewhere traps.
    public init<A: Actor>(
        configuration: Configuration = .defaultConfiguration, actor: A, downloadBeforeOpen: OpenBehavior = .never
    ) async throws {
        try Task.checkCancellation()
        let downloaded = try await configuration.download(downloadBeforeOpen)
        defer { withExtendedLifetime(downloaded) {} }
        self.init(try await Self.opened(configuration, on: actor))
    }

    /// Opens a realm that belongs to the caller's actor.
    public static func open(
        configuration: Configuration = .defaultConfiguration,
        _isolation actor: isolated any Actor = #isolation, downloadBeforeOpen: OpenBehavior = .never
    ) async throws -> Realm {
        try Task.checkCancellation()
        let downloaded = try await configuration.download(downloadBeforeOpen)
        defer { withExtendedLifetime(downloaded) {} }
        return Realm(try configuration.open(.of(actor)))
    }

    private static func opened(_ configuration: Configuration, on actor: isolated any Actor) throws -> RealmCore {
        try configuration.open(.of(actor))
    }

    /// Opens in the background, then calls back on the queue with a realm that belongs to it.
    @discardableResult
    public static func asyncOpen(
        configuration: Configuration = .defaultConfiguration, callbackQueue: DispatchQueue = .main,
        callback: @escaping (Result<Realm, Swift.Error>) -> Void
    ) -> AsyncOpenTask {
        let task = AsyncOpenTask()
        let box = UnsafeTransfer(callback)
        // Creating the file and its schema, and downloading, is what takes time: it is done in the background, and the
        // file is kept open until the queue has its own instance.
        let started: @Sendable (SyncSession) -> Void = { task.join($0) }
        configuration.beginDownload(task.waiter, onlyIfNew: false, started: started) { prepared in
            callbackQueue.async {
                task.leave()
                if task.isCancelled {
                    box.value(.failure(NSError(domain: NSPOSIXErrorDomain, code: Int(ECANCELED))))
                    return
                }
                withExtendedLifetime(prepared) {
                    box.value(
                        Result {
                            _ = try prepared.get()
                            return Realm(try configuration.open(.on(callbackQueue)))
                        })
                }
            }
        }
        return task
    }
}

extension Realm {
    /// An asynchronous opening that is under way.
    public final class AsyncOpenTask: Sendable {
        private struct State {
            var isCancelled = false
            var session: SyncSession?
            var blocks: [ProgressBlock] = []
            var tokens: [SyncSession.ProgressNotificationToken] = []
        }

        private typealias ProgressBlock = @Sendable (SyncSession.Progress) -> Void

        let waiter = Waiter<Void>()
        private let state = Lock(State())

        /// Ends it: the callback gets `ECANCELED`.
        public func cancel() {
            state.withLock { $0.isCancelled = true }
            waiter.finish(.failure(CancellationError()))
        }

        var isCancelled: Bool { state.withLock(\.isCancelled) }

        /// Reports how far the download has come, on a queue, until the realm is open. Local realms have nothing to report.
        public func addProgressNotification(
            queue: DispatchQueue = .main, block: @escaping (SyncSession.Progress) -> Void
        ) {
            let box = UnsafeTransfer(block)
            let report: ProgressBlock = { progress in queue.async { box.value(progress) } }
            let session = state.withLock { state in
                if state.session == nil { state.blocks.append(report) }
                return state.session
            }
            if let session { observe(session, report) }
        }

        /// The download begins.
        func join(_ session: SyncSession) {
            let waiting = state.withLock { state in
                state.session = session
                defer { state.blocks = [] }
                return state.blocks
            }
            for block in waiting { observe(session, block) }
        }

        private func observe(_ session: SyncSession, _ block: @escaping ProgressBlock) {
            guard
                let token = session.addProgressNotification(
                    for: .download, mode: .forCurrentlyOutstandingWork, block: block)
            else { return }
            state.withLock { $0.tokens.append(token) }
        }

        /// The realm is open, or won't be.
        func leave() {
            let tokens = state.withLock { state in
                defer { state.tokens = [] }
                return state.tokens
            }
            for token in tokens { token.invalidate() }
        }
    }
}
