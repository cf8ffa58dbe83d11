import Model

/// The classes of a realm in memory.
struct ReplicaSchema: Equatable, Sendable {
    struct Class: Equatable, Sendable {
        var kind: ClassKind
        /// Nil for embedded classes.
        var key: KeyColumn?
        var columns: [Name: SlotType] = [:]
    }

    var classes: [Name: Class] = [:]

    subscript(name: Name) -> Class? { classes[name] }

    func known(_ name: Name) throws(ApplyError) -> Class {
        guard let known = classes[name] else { throw ApplyError(rule: "C-128", "there is no class '\(name.text)'") }
        return known
    }

    func column(_ property: Name, of className: Name) throws(ApplyError) -> SlotType {
        guard let column = try known(className).columns[property] else {
            throw ApplyError(rule: "C-130", "class '\(className.text)' has no property '\(property.text)'")
        }
        return column
    }

    /// That objects of a class can have the key (C-128).
    func check(_ key: PrimaryKey, of className: Name) throws(ApplyError) {
        let declared = try known(className).key
        let fits =
            switch (key, declared?.type) {
            case (.null, _?): declared?.isNullable == true
            case (.int, .int), (.string, .string), (.objectId, .objectId), (.uuid, .uuid): true
            case (.global, nil): declared != nil
            default: false
            }
        guard fits else { throw ApplyError(rule: "C-128", "\(key) is no key of class '\(className.text)'") }
    }

    /// Whether slots of this type hold embedded objects.
    func isEmbedded(_ type: SlotType) -> Bool {
        type.type == .link && type.target.flatMap { classes[$0] }?.kind == .embedded
    }

    // MARK: Changes

    /// C-131. False if there is such a class already.
    mutating func add(_ name: Name, _ kind: ClassKind, _ key: KeyColumn?) throws(ApplyError) -> Bool {
        guard let known = classes[name] else {
            classes[name] = Class(kind: kind, key: key)
            return true
        }
        let isSameKey =
            known.key?.type == key?.type && known.key?.isNullable == key?.isNullable
            && known.key.map { Name(text: $0.name) } == key.map { Name(text: $0.name) }
        guard known.kind == kind, isSameKey else {
            throw ApplyError(rule: "C-131", "class '\(name.text)' exists with another key or kind")
        }
        return false
    }

    /// C-133. The column, or nil if there is such a one already.
    mutating func add(
        _ property: Name, of className: Name, _ declaration: ColumnDeclaration
    ) throws(ApplyError) -> SlotType? {
        let known = try known(className)
        let what = "'\(className.text).\(property.text)'"
        guard let type = ValueType(rawValue: declaration.type) else {
            throw ApplyError(rule: "C-133", "\(what) of a type that no property has")
        }
        if let keyType = declaration.keyType, keyType != ValueType.string.rawValue {
            throw ApplyError(rule: "C-133", "\(what) keyed by something else than strings")
        }
        if let key = known.key, Name(text: key.name) == property {
            throw ApplyError(rule: "C-133", "\(what) is the primary key")
        }
        let target = declaration.target.map { Name(text: $0) }
        if let target { _ = try self.known(target) }
        let column = SlotType(
            type: type, isNullable: declaration.isNullable, collection: declaration.collection, target: target)
        if let present = known.columns[property] {
            guard present == column else { throw ApplyError(rule: "C-133", "\(what) exists, and is another") }
            return nil
        }
        classes[className]?.columns[property] = column
        return column
    }

    /// C-132
    mutating func erase(_ name: Name) throws(ApplyError) {
        _ = try known(name)
        for (other, description) in classes where other != name {
            if let (property, _) = description.columns.first(where: { $1.target == name }) {
                throw ApplyError(
                    rule: "C-132", "'\(other.text).\(property.text)' leads to class '\(name.text)'")
            }
        }
        classes[name] = nil
    }

    /// C-134
    mutating func erase(_ property: Name, of className: Name) throws(ApplyError) {
        _ = try column(property, of: className)
        classes[className]?.columns[property] = nil
    }
}
