import Model

extension WriteTransaction {
    /// C-131.
    func addTable(_ target: UInt32, _ kind: ClassKind, _ key: RawKeyColumn?) throws {
        let name = try string(target)
        guard ChangesetLimit.allows(className: name) else {
            throw bad("C-15", "'\(name)' can't name a class")
        }
        guard kind != .asymmetric || key?.type != nil else {
            throw bad("F-64", "asymmetric class '\(name)' needs a primary key")
        }
        var property: PropertySchema?
        if let key, let type = key.type {
            let keyName = try string(key.name)
            try check(propertyName: keyName)
            property = PropertySchema(keyName, type, nullable: key.isNullable)
        }
        if let table = schema.table(named: name) {
            let known = table.primaryKey?.property
            guard table.kind == kind, known?.name == property?.name, known?.type == property?.type,
                known?.isNullable == property?.isNullable
            else { throw bad("C-131", "class '\(name)' exists with another kind or key") }
            return
        }
        try dropWriters()
        schema = try SchemaEdit.adding(schema, name, kind, key: property)
        noteSchemaChange()
    }

    /// C-132.
    func eraseTable(_ target: UInt32) throws {
        let name = try string(target)
        guard let table = schema.table(named: name) else { throw bad("C-132", "there is no class '\(name)'") }
        let isLinked = schema.tables.contains { other in
            other.id != table.id && other.columns.contains { $0.property.target == name }
        }
        guard !isLinked else { throw bad("C-132", "other classes link to class '\(name)'") }
        try dropWriters()
        try dropTable(table)
        noteSchemaChange()
    }

    /// C-133.
    func addColumn(_ target: UInt32, _ property: UInt32, _ column: RawColumn) throws {
        let table = try table(target)
        let name = try string(property)
        try check(propertyName: name)
        guard let type = ValueType(rawValue: column.type == .null ? 0 : column.type.rawValue),
            column.collection != .dictionary || column.keyType == .string
        else { throw bad("C-133", "no property can be of the type that '\(name)' should have") }
        guard table.primaryKey?.property.name != name else { throw bad("C-133", "'\(name)' is the primary key") }
        var targetName: String?
        if type == .link {
            targetName = try column.target.map { try string($0) }
            guard let target = schema.table(named: targetName ?? "") else {
                throw bad("C-133", "'\(name)' links to class '\(targetName ?? "")', which doesn't exist")
            }
            guard target.kind == .topLevel || target.kind == .embedded && column.collection != .set else {
                throw bad("C-133", "'\(name)' can't hold objects of class '\(target.name)'")
            }
        }
        let new = PropertySchema(
            name, type, nullable: column.isNullable, collection: column.collection, target: targetName)
        if let known = table.column(named: name)?.property {
            var comparable = known
            comparable.isIndexed = false
            var normal = new
            // Single links can be null, links in lists can't, whatever they are declared as.
            if type == .link { normal.isNullable = comparable.isNullable }
            guard comparable == normal else { throw bad("C-133", "'\(name)' exists with another type") }
            return
        }
        try dropWriters()
        schema = try SchemaEdit.changing(
            schema, table.id, primaryKey: table.primaryKey?.property.name,
            table.numberedProperties + [(ColumnId(0), new)])
        noteSchemaChange()
        // Embedded objects that contain their own kind would nest without end.
        guard
            table.kind != .embedded || type != .link
                || !schema.realmSchema.faults().contains(where: { $0.code == .embeddedCycle })
        else { throw bad("C-133", "'\(name)' closes a circle of embedded classes") }
    }

    /// C-134.
    func eraseColumn(_ target: UInt32, _ property: UInt32) throws {
        let table = try table(target)
        let name = try string(property)
        guard let column = table.column(named: name), column.id != table.primaryKey?.id else {
            throw bad("C-134", "class '\(table.name)' has no property '\(name)' that can be erased")
        }
        try dropWriters()
        try dropColumn(column, of: table)
        schema = try SchemaEdit.changing(
            schema, table.id, primaryKey: table.primaryKey?.property.name,
            table.numberedProperties.filter { $0.id != column.id })
        noteSchemaChange()
    }

    /// A class of whatever kind by its interned name.
    private func table(_ target: UInt32) throws -> StoredTable {
        let name = try string(target)
        guard let table = schema.table(named: name) else { throw bad("C-128", "there is no class '\(name)'") }
        return table
    }

    private func check(propertyName name: String) throws {
        guard ChangesetLimit.allows(propertyName: name) else {
            throw bad("C-15", "'\(name)' can't name a property")
        }
    }
}
