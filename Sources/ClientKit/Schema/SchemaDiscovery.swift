import CPlatform
import Model

/// Finds the persisted classes of the process.
package enum SchemaDiscovery {
    private struct Found: Sendable {
        var classes: [PersistedClass]
        var byName: [String: PersistedClass]
    }

    private static let found = Lock<Found?>(nil)

    /// Classes that a realm without `objectTypes` has. Looked for once; again if a class is asked for that wasn't
    /// there, since libraries may be loaded later. Traps if two have one name (OB-28).
    package static func defaultClasses() -> [PersistedClass] {
        if let found = found.withLock({ $0 }) { return found.classes }
        return search().classes
    }

    private static func search() -> Found {
        let own: [ObjectBase.Type] = [Object.self, EmbeddedObject.self, AsymmetricObject.self, DynamicObject.self]
        var classes: [PersistedClass] = []
        var byName: [String: PersistedClass] = [:]
        for type in TypeRecords.subclassesOfObjectBase()
        where !own.contains(where: { $0 == type }) && type.shouldIncludeInDefaultSchema() {
            let persisted = PersistedClass.of(type)
            if let other = byName[persisted.name] {
                if other.type == type { continue }
                fail(
                    Mistake(
                        "Class '\(persisted.name)' cannot be included twice: \(String(reflecting: other.type)) and "
                            + "\(String(reflecting: type)) have one name."))
            }
            byName[persisted.name] = persisted
            classes.append(persisted)
        }
        classes.sort { $0.name < $1.name }
        // Embedded classes that nothing reaches are left out silently (SV-20).
        let reached = Set(classes.flatMap { $0.properties.compactMap { $0.objectType.map(ObjectIdentifier.init) } })
        classes.removeAll { $0.kind == .embedded && !reached.contains(ObjectIdentifier($0.type)) }
        let result = Found(classes: classes, byName: byName)
        found.withLock { $0 = result }
        return result
    }

    /// The classes of an explicit list.
    package static func classes(_ types: [ObjectBase.Type]) -> [PersistedClass] {
        let own: [ObjectBase.Type] = [
            ObjectBase.self, Object.self, EmbeddedObject.self, AsymmetricObject.self, DynamicObject.self
        ]
        return types.map { type in
            if own.contains(where: { $0 == type }) {
                fail(Mistake("Class '\(type)' in objectTypes is no class of an app: list subclasses of Object."))
            }
            let persisted = PersistedClass.of(type)
            explicit.withLock { $0[persisted.name] = persisted }
            return persisted
        }
    }

    /// Classes that were listed in a configuration, by name: they may be hidden from discovery.
    private static let explicit = Lock<[String: PersistedClass]>([:])

    /// The Swift class that stands for a class of a realm.
    package static func persistedClass(named name: String) -> PersistedClass? {
        if let persisted = explicit.withLock({ $0[name] }) { return persisted }
        if let found = found.withLock({ $0 }), let persisted = found.byName[name] { return persisted }
        return search().byName[name]
    }

    // MARK: Recursion

    /// The threads on which an instance of a class is being made for its description, and how many.
    private static let describingThreads = Lock<[UInt: Int]>([:])

    /// Makes an instance whose class is to be described. Its `init()` must not open realms.
    static func describing(_ make: () -> ObjectBase) -> ObjectBase {
        let thread = UInt(reeve_thread_identity())
        describingThreads.withLock { $0[thread, default: 0] += 1 }
        defer {
            describingThreads.withLock { threads in
                let left = (threads[thread] ?? 1) - 1
                threads[thread] = left == 0 ? nil : left
            }
        }
        return make()
    }

    /// Traps if the caller was called by an `init()` of a class that is being described (OB-30).
    static func refuseRecursion() {
        let thread = UInt(reeve_thread_identity())
        if describingThreads.withLock({ $0[thread] != nil }) { fail(.recursiveDiscovery) }
    }

    package static func realmSchema(_ classes: [PersistedClass]) -> RealmSchema {
        RealmSchema(classes.map(\.schema))
    }
}
