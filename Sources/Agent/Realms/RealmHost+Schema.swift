import EventLoop
import Model
import Store
import Wire

extension RealmHost {
    /// Makes the file's schema contain the client's, in the client's turn to write.
    func adopt(
        _ request: RealmOpen, completion: @escaping @Sendable @LoopActor (Result<Void, WireError>) -> Void
    ) {
        exclusively(
            { writer in
                _ = try writer.transact(isNeeded: true) { transaction in
                    let outcome = try request.schema.map {
                        try transaction.ensureSchema(
                            $0, schemaVersion: request.schemaVersion ?? 0,
                            mode: request.deleteIfMigrationNeeded ? .deleteIfMigrationNeeded : .automatic)
                    }
                    return ((), outcome?.isChanged == true)
                }
            }, completion: completion)
    }
}

extension StoredSchema {
    /// The file's schema version, if a client that opens it so has to migrate it; nil if not.
    func version(before request: RealmOpen) -> UInt64? {
        guard request.schema != nil, !tables.isEmpty || version > 0, request.schemaVersion ?? 0 > version else {
            return nil
        }
        return version
    }

    /// Whether nothing has to be written for a client that uses these classes. A synced file may have more than those
    /// (C-70).
    func contains(_ wanted: RealmSchema?, version: UInt64?, synced: Bool) -> Bool {
        guard let wanted else { return true }
        guard synced ? version ?? 0 <= self.version : version ?? 0 == self.version else { return false }
        return wanted.classes.allSatisfy { wanted in
            guard let stored = table(named: wanted.name), stored.kind == wanted.kind,
                stored.primaryKey?.property.name == wanted.primaryKey,
                synced || stored.columns.count == wanted.properties.count
            else { return false }
            return wanted.properties.allSatisfy { stored.column(named: $0.name)?.property == $0 }
        }
    }
}

extension RealmSchema {
    /// What is wrong with the schema by itself, if anything is.
    var problem: String? {
        var names: Set<String> = []
        for item in classes {
            if !ChangesetLimit.allows(className: item.name) {
                return
                    "class name \"\(item.name)\" must have 1 to \(ChangesetLimit.classNameLength) bytes, none of them 0"
            }
            if !names.insert(item.name).inserted { return "class \(item.name) occurs twice" }
            var properties: Set<String> = []
            for property in item.properties {
                if !ChangesetLimit.allows(propertyName: property.name) {
                    return "property name \"\(property.name)\" of \(item.name) must have 1 to "
                        + "\(ChangesetLimit.propertyNameLength) bytes, none of them 0"
                }
                if !properties.insert(property.name).inserted {
                    return "property \(property.name) of \(item.name) occurs twice"
                }
                if property.type == .link, property.target == nil {
                    return "link \(property.name) of \(item.name) has no target"
                }
            }
            if let key = item.primaryKey, !properties.contains(key) {
                return "primary key \(key) of \(item.name) is not one of its properties"
            }
        }
        return nil
    }
}
