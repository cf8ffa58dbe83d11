import Model

/// What can be wrong with the declaration of classes (section 40 of the API inventory: SV rows).
package enum SchemaFaults {
    /// Faults of one class by itself. `legacyKey` is what `primaryKey()` of the class names, `lazy` are its lazy properties
    /// that would be persisted if they weren't.
    static func ofDeclaration(
        _ className: String, _ properties: [PersistedProperty], mapping: [String: String], legacyKey: String?,
        lazy: [String]
    ) -> [String] {
        var faults = lazy.map {
            "Lazy property '\(className).\($0)' is not allowed: declare it without lazy, or name it in "
                + "ignoredProperties()."
        }
        if properties.isEmpty, lazy.isEmpty {
            faults.append(
                "No properties are defined for class '\(className)'. Did you forget to mark them with @Persisted?")
        }
        var names: Set<String> = []
        for property in properties where !names.insert(property.name).inserted {
            faults.append("Property '\(property.name)' is declared twice in the hierarchy of class '\(className)'.")
        }
        var columns: [String: String] = [:]
        for property in properties {
            if let other = columns[property.columnName], other != property.name {
                faults.append(
                    "Properties '\(other)' and '\(property.name)' of class '\(className)' are both stored as "
                        + "'\(property.columnName)'.")
            }
            columns[property.columnName] = property.name
        }
        for name in mapping.keys.sorted() where !names.contains(name) {
            faults.append("propertiesMapping() of class '\(className)' names '\(name)', which is no property.")
        }
        if let legacyKey, !names.contains(legacyKey) {
            faults.append("Primary key property '\(legacyKey)' does not exist on class '\(className)'.")
        }
        let keys = properties.filter(\.isPrimaryKey)
        if keys.count > 1 {
            faults.append(
                "Properties '\(keys[0].name)' and '\(keys[1].name)' of class '\(className)' are both marked as "
                    + "primary key.")
        }
        for key in keys where ![.int, .string, .objectId, .uuid].contains(key.type) {
            faults.append(
                "Property '\(key.name)' cannot be the primary key of class '\(className)': a primary key is a string, "
                    + "an int, an objectId or a uuid.")
        }
        return faults + properties.flatMap { ofProperty(className, $0) } + properties.flatMap { badName($0, className) }
    }

    private static func ofProperty(_ className: String, _ property: PersistedProperty) -> [String] {
        let name = "'\(className).\(property.name)'"
        if let origin = property.originProperty {
            return origin.isEmpty
                ? ["LinkingObjects property \(name) must set the origin property: @Persisted(originProperty: …)."] : []
        }
        if property.type == .mixed, property.isOptional {
            return ["AnyRealmValue property \(name) must not be marked as optional: nil is AnyRealmValue.none."]
        }
        guard property.type == .link else { return [] }
        switch property.collection {
        case .single: return property.isOptional ? [] : ["Object property \(name) must be marked as optional."]
        case .list, .set:
            return property.isOptional ? ["List or set property \(name) must not be marked as optional."] : []
        case .dictionary: return property.isOptional ? [] : ["Map property \(name) must be marked as optional."]
        }
    }

    private static func badName(_ property: PersistedProperty, _ className: String) -> [String] {
        Set([property.name, property.columnName]).sorted().compactMap { name in
            if name.isEmpty {
                return "The stored name of property '\(property.name)' of class '\(className)' must not be empty."
            }
            return name.utf8.count > 63
                ? "Property name '\(name)' of class '\(className)' is longer than 63 bytes." : nil
        }
    }

    /// What `indexedProperties()` of a class names in vain (SV-26).
    static func ofIndexes(
        _ className: String, _ properties: [PersistedProperty], _ indexes: Set<String>
    ) -> [String] {
        let types: [ValueType] = [.int, .bool, .string, .timestamp, .objectId, .uuid, .mixed]
        return indexes.sorted().compactMap { name in
            guard let property = properties.first(where: { $0.name == name }) else {
                return "indexedProperties() of class '\(className)' names '\(name)', which is no property."
            }
            if property.collection == .single, types.contains(property.type) { return nil }
            return "Property '\(className).\(name)' of type \(property.typeDescription) cannot be indexed."
        }
    }

    /// Names that a realm keeps for itself (SV-28).
    private static func badName(ofClass name: String) -> String? {
        if name.utf8.count > 57 { return "Class name '\(name)' is longer than 57 bytes." }
        guard let prefix = ["pk_", "class_"].first(where: name.hasPrefix) else { return nil }
        return "Class name '\(name)' is reserved: it begins with '\(prefix)'."
    }

    /// What syncs a realm.
    package enum SyncPlace: Sendable {
        case local
        case partition
        case flexible
    }

    /// What a class must have, or not be, by what syncs the realm (SV-23 … SV-25).
    private static func ofPlace(_ persisted: PersistedClass, _ place: SyncPlace) -> [String] {
        if persisted.kind == .asymmetric, place != .flexible {
            return [
                "Asymmetric class '\(persisted.name)' is not allowed in a "
                    + (place == .local ? "local Realm." : "partition-based synced Realm: it needs flexible sync.")
            ]
        }
        guard place != .local, persisted.kind != .embedded else { return [] }
        let key = persisted.primaryKeyIndex.map { persisted.properties[$0].columnName }
        return key == "_id"
            ? [] : ["Class '\(persisted.name)' of a synced Realm must have a primary key that is stored as '_id'."]
    }

    /// Faults that need all classes of a realm. Empty if there are none.
    package static func ofClasses(
        _ classes: [PersistedClass], isExplicit: Bool, in place: SyncPlace = .local
    ) -> [String] {
        var faults = classes.flatMap { $0.faults + $0.openingFaults }
        var byName: [String: PersistedClass] = [:]
        for persisted in classes {
            if byName.updateValue(persisted, forKey: persisted.name) != nil {
                faults.append("Class '\(persisted.name)' cannot be included twice.")
            }
            if let fault = badName(ofClass: persisted.name) { faults.append(fault) }
            faults += ofPlace(persisted, place)
            if persisted.kind == .embedded, persisted.primaryKeyIndex != nil {
                faults.append("Embedded class '\(persisted.name)' cannot have a primary key.")
            }
        }
        faults += cycles(classes.filter { $0.kind == .embedded })
        if isExplicit { faults += orphans(classes) }
        for persisted in classes {
            for property in persisted.properties {
                guard let target = property.objectType else { continue }
                let targetName = ClassLayout.of(target).name
                guard let linked = byName[targetName] else {
                    faults.append(
                        "'\(persisted.name).\(property.name)' links to class '\(targetName)', which is not in the "
                            + "Realm's schema.")
                    continue
                }
                if linked.kind == .embedded, property.collection == .set {
                    faults.append(
                        "'\(persisted.name).\(property.name)' is a set of embedded objects of class '\(targetName)': "
                            + "only properties, lists and maps hold them.")
                }
                if linked.kind == .asymmetric {
                    faults.append(
                        "'\(persisted.name).\(property.name)' links to the asymmetric class '\(targetName)'.")
                }
                if let origin = property.originProperty { faults += ofOrigin(persisted, property, origin, linked) }
            }
        }
        return faults
    }

    /// Embedded classes that contain one another (SV-19): no object of them could ever be complete.
    private static func cycles(_ embedded: [PersistedClass]) -> [String] {
        let byName = Dictionary(embedded.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var faults: [String] = []
        // Each cycle is found once: from the first of its names on.
        func visit(_ persisted: PersistedClass, _ path: [String]) {
            if path.contains(persisted.name) {
                if path[0] == persisted.name, path.min() == path[0] {
                    let cycle = (path + [persisted.name]).joined(separator: ".")
                    faults.append("Embedded classes must not contain one another: \(cycle).")
                }
                return
            }
            for property in persisted.properties where !property.isComputed {
                guard let target = property.objectType, let next = byName[ClassLayout.of(target).name] else { continue }
                visit(next, path + [persisted.name])
            }
        }
        for persisted in embedded { visit(persisted, []) }
        return faults
    }

    /// Embedded classes that no other class reaches (SV-20).
    private static func orphans(_ classes: [PersistedClass]) -> [String] {
        var reached: Set<String> = []
        func visit(_ persisted: PersistedClass) {
            for property in persisted.properties where !property.isComputed {
                guard let target = property.objectType else { continue }
                let name = ClassLayout.of(target).name
                if reached.insert(name).inserted, let next = classes.first(where: { $0.name == name }) { visit(next) }
            }
        }
        for persisted in classes where persisted.kind != .embedded { visit(persisted) }
        return classes.filter { $0.kind == .embedded && !reached.contains($0.name) }.map {
            "Embedded class '\($0.name)' is an orphan: no class that isn't embedded has a property that reaches it."
        }
    }

    private static func ofOrigin(
        _ persisted: PersistedClass, _ property: PersistedProperty, _ origin: String, _ linked: PersistedClass
    ) -> [String] {
        if origin.isEmpty { return [] }
        let name = "'\(persisted.name).\(property.name)'"
        guard let source = linked.property(origin) else {
            return ["Property '\(linked.name).\(origin)', the origin of linking objects \(name), does not exist."]
        }
        guard source.type == .link, !source.isComputed, let back = source.objectType else {
            return ["Property '\(linked.name).\(origin)', the origin of linking objects \(name), is not a link."]
        }
        let target = ClassLayout.of(back).name
        if target != persisted.name {
            return [
                "Property '\(linked.name).\(origin)', the origin of linking objects \(name), links to another class: "
                    + "'\(target)'."
            ]
        }
        return []
    }
}

extension SchemaFaults {
    /// The links of classes that lead out of their set (SV-15).
    static func missingTargets(of classes: [PersistedClass]) -> [String] {
        let names = Set(classes.map(\.name))
        return classes.flatMap { persisted in
            persisted.properties.compactMap { property in
                guard let target = property.objectType.map({ ClassLayout.of($0).name }), !names.contains(target) else {
                    return nil
                }
                let name = "'\(persisted.name).\(property.name)'"
                return "\(name) links to class '\(target)', which is missing from the list."
            }
        }
    }
}
