import Model

extension Snapshot {
    /// How instructions name a property of an object: from the object itself, or, if it is embedded, from the object
    /// that it is part of. Nil if there is no such object.
    package func instructionPath(_ table: Table, _ key: ObjectKey, _ property: String) -> InstructionPath? {
        // From the end to the beginning.
        var steps: [PathElement] = []
        var property = property
        var table = table
        var key = key
        while table.stored.kind == .embedded {
            guard let parent = table.parent(of: key), let stored = schema[parent.table],
                let column = stored.column(parent.column)
            else { return nil }
            steps.append(.name(property))
            guard steps.count <= 2 * FileFormat.deepestNesting else { return nil }
            let owner = self.table(parent.table)
            switch column.property.collection {
            case .single: break
            case .list, .set:
                guard let index = owner.list(parent.object, column).firstIndex(ofLink: key) else { return nil }
                steps.append(.index(UInt32(index)))
            case .dictionary:
                let dictionary = owner.dictionary(parent.object, column)
                guard let index = dictionary.values.firstIndex(ofLink: key) else { return nil }
                steps.append(.name(dictionary.key(at: index)))
            }
            property = column.property.name
            (table, key) = (owner, parent.object)
        }
        guard let primaryKey = table.primaryKey(of: key) else { return nil }
        return InstructionPath(table.stored.name, primaryKey, property, steps.reversed())
    }

    /// The top-level object that an object is part of: itself, unless it is embedded.
    package func root(_ table: Table, _ key: ObjectKey) -> (table: TableId, key: ObjectKey)? {
        var table = table
        var key = key
        var depth = 0
        while table.stored.kind == .embedded {
            depth += 1
            guard depth <= FileFormat.deepestNesting, let parent = table.parent(of: key), schema[parent.table] != nil
            else { return nil }
            (table, key) = (self.table(parent.table), parent.object)
        }
        return (table.stored.id, key)
    }
}

extension ListView {
    /// The first element that links to an object, whether or not the object exists.
    package func firstIndex(ofLink key: ObjectKey) -> Int? {
        var before = 0
        var found: Int?
        eachChunk { chunk in
            guard found == nil, chunk.kind == .link else { return }
            for row in 0..<chunk.count where chunk.link(row) == key {
                found = before + row
                return
            }
            before += chunk.count
        }
        return found
    }
}
