import Foundation

/// Objects that become constants of a query mean something only in the realm that they belong to (MK-43).
enum QueryOrigins {
    /// Told of the realm of each object, while constants are being made.
    @TaskLocal static var note: (@Sendable (RealmCoordinator.Settings) -> Void)?

    /// The realms of the objects among the constants that `body` makes.
    static func collecting<Result>(_ body: () -> Result) -> (Result, Set<RealmCoordinator.Settings>) {
        let found = Lock<Set<RealmCoordinator.Settings>>([])
        let note: @Sendable (RealmCoordinator.Settings) -> Void = { origin in
            found.withLock { _ = $0.insert(origin) }
        }
        let result = $note.withValue(note, operation: body)
        return (result, found.withLock { $0 })
    }
}

extension RealmCore {
    /// Makes a query on this realm. Traps if an object of another one is among its constants.
    func querying<Result>(_ body: () -> Result) -> Result {
        let settings = coordinator.settings
        let check: @Sendable (RealmCoordinator.Settings) -> Void = { origin in
            if origin == settings { return }
            fail(
                Mistake(
                    "Object of the Realm at '\(origin.path)' in a query on '\(settings.path)': it must be from the Realm "
                        + "being queried."))
        }
        return QueryOrigins.$note.withValue(check, operation: body)
    }
}
