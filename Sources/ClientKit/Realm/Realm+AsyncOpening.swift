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
        self.init(try configuration.open(.main))
    }

    /// Opens a realm that belongs to an actor: use elsewhere traps.
    public init<A: Actor>(
        configuration: Configuration = .defaultConfiguration, actor: A, downloadBeforeOpen: OpenBehavior = .never
    ) async throws {
        try Task.checkCancellation()
        self.init(try await Self.opened(configuration, on: actor))
    }

    /// Opens a realm that belongs to the caller's actor.
    public static func open(
        configuration: Configuration = .defaultConfiguration,
        _isolation actor: isolated any Actor = #isolation, downloadBeforeOpen: OpenBehavior = .never
    ) async throws -> Realm {
        try Task.checkCancellation()
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
        DispatchQueue.global(qos: .userInitiated).async {
            // Creating the file and its schema is what takes time: it is done here, and kept until the queue has
            // its own instance.
            let prepared = Result { try configuration.prepare() }
            callbackQueue.async {
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
        private let cancelled = Lock(false)

        /// Ends it: the callback gets `ECANCELED`.
        public func cancel() {
            cancelled.withLock { $0 = true }
        }

        var isCancelled: Bool { cancelled.withLock { $0 } }
    }
}
