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
        let own: [ObjectBase.Type] = [Object.self, EmbeddedObject.self, AsymmetricObject.self]
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
        let own: [ObjectBase.Type] = [ObjectBase.self, Object.self, EmbeddedObject.self, AsymmetricObject.self]
        return types.map { type in
            if own.contains(where: { $0 == type }) {
                fail(Mistake("Class '\(type)' in objectTypes is no class of an app: list subclasses of Object."))
            }
            return explicit.withLock { known in
                let persisted = PersistedClass.of(type)
                known[persisted.name] = persisted
                return persisted
            }
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

    package static func realmSchema(_ classes: [PersistedClass]) -> RealmSchema {
        RealmSchema(classes.map(\.schema))
    }
}
