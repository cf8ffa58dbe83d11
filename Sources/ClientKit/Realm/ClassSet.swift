import Model

/// The classes that a realm instance is opened with.
struct ClassSet: Sendable {
    let schema: RealmSchema
    /// The Swift classes that stand for them, by stored name. None for classes that were described, not declared.
    let types: [String: PersistedClass]

    init(_ classes: [PersistedClass]) {
        schema = SchemaDiscovery.realmSchema(classes)
        types = Dictionary(classes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    init(described schema: RealmSchema) {
        self.schema = schema
        types = [:]
    }
}

extension RealmCore {
    /// Throws unless this instance has all of these classes, and the same Swift classes for them (RE-12).
    func require(_ wanted: ClassSet) throws {
        let others = wanted.schema.classes.filter { schema in
            infos[schema.name]?.schema != schema || classes.types[schema.name] !== wanted.types[schema.name]
        }
        if others.isEmpty { return }
        throw Realm.Error(
            .schemaMismatch,
            "Realm at path '\(coordinator.settings.path)' already opened here with other classes: "
                + others.map { "'\($0.name)'" }.joined(separator: ", ") + " must be among the first opening's, too.",
            path: coordinator.settings.path)
    }
}
