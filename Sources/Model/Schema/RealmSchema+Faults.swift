extension RealmSchema {
    /// Everything that is wrong with the schema, so that one error can list it; empty if it can be stored.
    ///
    /// What depends on how a realm is opened (orphaned embedded classes, asymmetric classes in local realms, `_id` in
    /// synced ones) is for whoever opens it.
    public func faults() -> [SchemaFault] {
        var faults: [SchemaFault] = []
        var byName: [String: ClassSchema] = [:]
        for schema in classes {
            if byName.updateValue(schema, forKey: schema.name) != nil {
                faults.append(
                    SchemaFault(.duplicateClass, schema.name, nil, "Class '\(schema.name)' is declared more than once.")
                )
            }
        }
        for schema in classes {
            faults += schema.ownFaults()
            for property in schema.properties { faults += property.faults(in: schema, among: byName) }
        }
        return faults + embeddedCycles(byName)
    }

    /// Cycles of embedded classes (SV-19), each once, as the path that leads back to where it began.
    private func embeddedCycles(_ byName: [String: ClassSchema]) -> [SchemaFault] {
        var faults: [SchemaFault] = []
        var isDone: Set<String> = []

        /// Depth first without recursion: a hostile schema may be deep.
        func search(from start: ClassSchema) {
            var trail: [(schema: ClassSchema, next: Int, property: String)] = [(start, 0, "")]
            var onTrail: Set<String> = [start.name]
            while var top = trail.popLast() {
                guard top.next < top.schema.properties.count else {
                    isDone.insert(top.schema.name)
                    onTrail.remove(top.schema.name)
                    continue
                }
                let property = top.schema.properties[top.next]
                top.next += 1
                top.property = property.name
                trail.append(top)
                guard property.type == .link, let target = property.target.flatMap({ byName[$0] }),
                    target.kind == .embedded, !isDone.contains(target.name)
                else { continue }
                if onTrail.contains(target.name) {
                    let cycle = trail.drop { $0.schema.name != target.name }
                    let path = cycle.map { "\($0.schema.name).\($0.property)" }.joined(separator: " → ")
                    faults.append(
                        SchemaFault(
                            .embeddedCycle, target.name, cycle.first?.property,
                            "Embedded classes contain one another: \(path) → \(target.name)."))
                } else {
                    onTrail.insert(target.name)
                    trail.append((target, 0, ""))
                }
            }
        }

        for schema in classes where schema.kind == .embedded && !isDone.contains(schema.name) { search(from: schema) }
        return faults
    }
}

extension ClassSchema {
    /// Faults that can be seen without the other classes.
    fileprivate func ownFaults() -> [SchemaFault] {
        var faults: [SchemaFault] = []
        let limit = ChangesetLimit.classNameLength
        if name.isEmpty { faults.append(SchemaFault(.emptyName, name, nil, "A class has an empty name.")) }
        if name.utf8.count > limit {
            faults.append(
                SchemaFault(.nameTooLong, name, nil, "Name of class '\(name)' is longer than \(limit) bytes."))
        }
        if properties.isEmpty {
            faults.append(SchemaFault(.noProperties, name, nil, "Class '\(name)' has no persisted properties."))
        }
        var seen: Set<String> = []
        for property in properties where !seen.insert(property.name).inserted {
            faults.append(
                SchemaFault(
                    .duplicateProperty, name, property.name,
                    "Property '\(name).\(property.name)' is declared more than once."))
        }
        return faults + primaryKeyFaults()
    }

    private func primaryKeyFaults() -> [SchemaFault] {
        guard let primaryKey else { return [] }
        var faults: [SchemaFault] = []
        if kind == .embedded {
            faults.append(
                SchemaFault(
                    .primaryKeyOfEmbedded, name, primaryKey,
                    "Embedded class '\(name)' cannot have a primary key."))
        }
        guard let property = property(primaryKey) else {
            faults.append(
                SchemaFault(
                    .primaryKeyMissing, name, primaryKey,
                    "Primary key '\(name).\(primaryKey)' is not a property of the class."))
            return faults
        }
        if !property.type.canBePrimaryKey || property.collection != .single {
            faults.append(
                SchemaFault(
                    .primaryKeyType, name, primaryKey,
                    "Primary key '\(name).\(primaryKey)' is of type '\(property.typeDescription)';"
                        + " it must be string, int, objectId or uuid."))
        }
        return faults
    }
}

extension PropertySchema {
    fileprivate func faults(in owner: ClassSchema, among classes: [String: ClassSchema]) -> [SchemaFault] {
        var faults: [SchemaFault] = []
        let title = "'\(owner.name).\(name)'"
        func report(_ code: SchemaFault.Code, _ message: String) {
            faults.append(SchemaFault(code, owner.name, name, message))
        }

        let limit = ChangesetLimit.propertyNameLength
        if name.isEmpty { report(.emptyName, "A property of class '\(owner.name)' has an empty name.") }
        if name.utf8.count > limit { report(.nameTooLong, "Name of property \(title) is longer than \(limit) bytes.") }
        if isIndexed, !type.canBeIndexed || collection != .single {
            report(.notIndexable, "Property \(title) cannot be indexed: it is of type '\(typeDescription)'.")
        }
        if type == .mixed, !isNullable {
            report(.nullability, "Property \(title) holds mixed values and is always optional.")
        }
        guard type == .link else {
            if let target {
                report(.targetUnexpected, "Property \(title) of type '\(type.name)' cannot point to class '\(target)'.")
            }
            return faults
        }
        let mustBeNullable = collection == .single || collection == .dictionary
        if isNullable != mustBeNullable {
            report(
                .nullability,
                "Property \(title) \(mustBeNullable ? "must" : "must not") be marked as optional: it holds objects"
                    + (collection == .single ? "." : " in a \(collection)."))
        }
        guard let target else {
            report(.targetMissing, "Property \(title) holds objects, but names no class.")
            return faults
        }
        guard let targetClass = classes[target] else {
            report(.targetUnknown, "Property \(title) points to class '\(target)', which is not in the schema.")
            return faults
        }
        if targetClass.kind == .embedded, collection == .set {
            report(.setOfEmbedded, "Property \(title) is a set of embedded objects of class '\(target)'.")
        }
        if targetClass.kind == .asymmetric {
            report(
                .asymmetricLink,
                "Property \(title) links class '\(owner.name)' to class '\(target)', which is asymmetric.")
        }
        return faults
    }
}
