import Model
import Query

/// A key path with its names looked up: steps through links, then what is read at the end.
struct ResolvedPath {
    enum Step {
        case link(StoredColumn)
        case list(StoredColumn)
        /// `list[3]`, `[FIRST]`, `[LAST]` on a list of links.
        case element(StoredColumn, Position)
        /// `dictionary['key']` on a dictionary of links.
        case entry(StoredColumn, String)
        case backlinks(origin: TableId, column: ColumnId)

        /// Whether the step can lead to several objects.
        var isMulti: Bool {
            switch self {
            case .link, .element, .entry: false
            case .list, .backlinks: true
            }
        }
    }

    enum Position {
        case index(Int)
        case last
    }

    enum End {
        /// The object that the steps lead to.
        case object
        /// A property with one value.
        case value(StoredColumn)
        /// All elements of a collection of values.
        case elements(StoredColumn)
        case element(StoredColumn, Position)
        /// The value of a dictionary's key, null if the key isn't there.
        case entry(StoredColumn, String)
        /// All keys of a dictionary.
        case keys(StoredColumn)
        /// Byte lengths of a collection's strings or binaries.
        case lengths(StoredColumn)
        /// What is inside mixed values.
        case mixed(MixedPath)
        /// All links to the object, of whatever class.
        case allBacklinks
    }

    var start: StoredTable
    var steps: [Step]
    /// Table that each step leads to.
    var tables: [StoredTable]
    var end: End

    /// The table that the end is read from.
    var endTable: StoredTable { tables.last ?? start }

    /// Whether some step leads through a collection.
    var stepsThroughCollection: Bool { steps.contains(where: \.isMulti) }

    var endsInCollection: Bool {
        switch end {
        case .elements, .lengths, .keys: true
        case .mixed(let mixed): mixed.isMulti
        default: false
        }
    }

    /// Rough cost of following it from a row, in nanoseconds.
    var cost: Double {
        steps.reduce(endsInCollection ? 300 : 50) { $0 + ($1.isMulti ? 1_000 : 100) }
    }

    /// Several values, as opposed to one.
    var isMulti: Bool { stepsThroughCollection || endsInCollection }
}

extension ResolvedPath {
    /// Looks a path up, starting at a class (Q-44 … Q-50).
    init(_ path: PropertyPath, from start: StoredTable, in schema: StoredSchema) throws {
        self.start = start
        steps = []
        tables = []
        end = .object
        var pending = path.steps[...]
        while let step = pending.popFirst() {
            switch step {
            case .name(let name):
                try append(name, &pending, schema)
            case .backlinks(let className, let property):
                guard let origin = schema.table(named: className), let column = origin.column(named: property),
                    column.property.target == endTable.name
                else {
                    throw StoreError(
                        .unknownProperty,
                        "no property '\(property)' found in type '\(className)' which links to type '\(endTable.name)'")
                }
                steps.append(.backlinks(origin: origin.id, column: column.id))
                tables.append(origin)
            case .allBacklinks:
                try finish(.allBacklinks, pending)
            default:
                throw StoreError(.badQuery, "'\(endTable.name)' can't be indexed")
            }
        }
    }

    private mutating func append(
        _ name: String, _ pending: inout ArraySlice<PropertyPath.Step>, _ schema: StoredSchema
    ) throws {
        guard let column = endTable.column(named: name) else {
            throw StoreError(.unknownProperty, "'\(endTable.name)' has no property '\(name)'")
        }
        let property = column.property
        if let mixed = ResolvedPath.mixed(column, pending) {
            end = .mixed(mixed)
            pending = []
            return
        }
        switch property.collection {
        case .single where property.type == .link:
            steps.append(.link(column))
            tables.append(try target(of: column, schema))
        case .single:
            try finish(.value(column), pending)
            pending = []
        case .list where property.type == .link:
            if let position = ResolvedPath.position(pending.first) {
                pending.removeFirst()
                steps.append(.element(column, position))
            } else {
                if pending.first == .all { pending.removeFirst() }
                steps.append(.list(column))
            }
            tables.append(try target(of: column, schema))
        case .list:
            if let position = ResolvedPath.position(pending.first) {
                pending.removeFirst()
                try finish(.element(column, position), pending)
            } else if pending.first == .all {
                pending.removeFirst()
                try finish(.elements(column), pending)
            } else if let next = pending.first, ResolvedPath.isLength(next),
                property.type == .string || property.type == .binary
            {
                pending.removeFirst()
                try finish(.lengths(column), pending)
            } else {
                try finish(.elements(column), pending)
            }
            pending = []
        case .dictionary:
            switch pending.first {
            case .key(let key):
                pending.removeFirst()
                // As the last step it is a value, which may be null.
                guard property.type == .link, !pending.isEmpty else { return try finish(.entry(column, key), &pending) }
                steps.append(.entry(column, key))
                tables.append(try target(of: column, schema))
            case .keys:
                pending.removeFirst()
                try finish(.keys(column), &pending)
            default:
                if pending.first == .all || pending.first == .values { pending.removeFirst() }
                guard property.type == .link else { return try finish(.elements(column), &pending) }
                steps.append(.list(column))
                tables.append(try target(of: column, schema))
            }
        case .set:
            if pending.first == .all { pending.removeFirst() }
            guard property.type == .link else { return try finish(.elements(column), &pending) }
            steps.append(.list(column))
            tables.append(try target(of: column, schema))
        }
    }

    /// The path into mixed values that begins at a property; nil if the property itself is read.
    private static func mixed(_ column: StoredColumn, _ pending: ArraySlice<PropertyPath.Step>) -> MixedPath? {
        var rest = pending
        let property = column.property
        // Values of all dictionaries count as mixed, other properties have types of their own.
        let hasNames = pending.contains { if case .name = $0 { true } else { false } }
        guard
            property.type == .mixed
                || property.collection == .dictionary && (property.type != .link || rest.last == .type && !hasNames)
        else { return nil }
        let start: MixedPath.Start
        switch (property.collection, rest.first) {
        case (.single, _): start = .value(column)
        case (.dictionary, .keys): return nil
        case (.dictionary, .key(let key)):
            start = .entry(column, key)
            rest.removeFirst()
        case (.list, let step) where position(step) != nil:
            start = .element(column, position(step) ?? .last)
            rest.removeFirst()
        case (_, .all), (_, .values):
            start = .elements(column)
            rest.removeFirst()
        default: start = .elements(column)
        }
        // Without steps inside, the property's own ends read the same.
        if rest.isEmpty { return nil }
        return MixedPath(start: start, steps: Array(rest))
    }

    private mutating func finish(_ end: End, _ pending: inout ArraySlice<PropertyPath.Step>) throws {
        try finish(end, pending)
        pending = []
    }

    private mutating func finish(_ end: End, _ pending: ArraySlice<PropertyPath.Step>) throws {
        self.end = end
        guard pending.isEmpty else {
            throw StoreError(.badQuery, "a property of '\(endTable.name)' that isn't a link has no properties")
        }
    }

    private func target(of column: StoredColumn, _ schema: StoredSchema) throws -> StoredTable {
        guard let table = column.property.target.flatMap({ schema.table(named: $0) }) else {
            throw StoreError(.corrupt, "'\(column.property.name)' links to a class that doesn't exist")
        }
        return table
    }

    private static func position(_ step: PropertyPath.Step?) -> Position? {
        switch step {
        case .index(let index): .index(index)
        case .first: .index(0)
        case .last: .last
        default: nil
        }
    }

    /// As the type check puts it, or by name.
    private static func isLength(_ step: PropertyPath.Step) -> Bool {
        if case .name(let name) = step { return name.lowercased() == "length" }
        return step == .length
    }
}
