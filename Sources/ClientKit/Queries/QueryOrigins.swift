import Foundation

/// Where the objects come from that become constants of a query: they mean something only in the realm that they belong
/// to (MK-43).
///
/// An object and not a closure: a task-local closure ends the process in optimised builds of Swift 6.3.
final class QueryOrigins: Sendable {
    /// Told of the realm of each object, while constants are being made.
    @TaskLocal static var current: QueryOrigins?

    /// The realm being queried; nil if that isn't known yet.
    private let queried: RealmCoordinator.Settings?
    private let found = Lock<Set<RealmCoordinator.Settings>>([])

    fileprivate init(queried: RealmCoordinator.Settings? = nil) {
        self.queried = queried
    }

    /// Traps if the realm being queried is known and another one.
    func note(_ origin: RealmCoordinator.Settings) {
        guard let queried else { return found.withLock { _ = $0.insert(origin) } }
        guard origin != queried else { return }
        fail(
            Mistake(
                "Object of the Realm at '\(origin.path)' in a query on '\(queried.path)': it must be from the Realm "
                    + "being queried."))
    }

    /// The realms of the objects among the constants that `body` makes.
    static func collecting<Result>(_ body: () -> Result) -> (Result, Set<RealmCoordinator.Settings>) {
        let origins = QueryOrigins()
        let result = $current.withValue(origins, operation: body)
        return (result, origins.found.withLock { $0 })
    }
}

extension RealmCore {
    /// Makes a query on this realm. Traps if an object of another one is among its constants.
    func querying<Result>(_ body: () -> Result) -> Result {
        QueryOrigins.$current.withValue(QueryOrigins(queried: coordinator.settings), operation: body)
    }
}
