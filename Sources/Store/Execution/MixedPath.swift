import Model
import Query

/// The part of a path that lies inside mixed values (Q-112 … Q-117): where it begins in an object, and its steps.
struct MixedPath {
    enum Start {
        /// A Mixed property.
        case value(StoredColumn)
        /// Elements of a list or set, or values of a dictionary, of mixed or (for `@type`) other values.
        case elements(StoredColumn)
        case element(StoredColumn, ResolvedPath.Position)
        case entry(StoredColumn, String)
    }

    var start: Start
    var steps: [PropertyPath.Step]

    /// Whether it can lead to several values.
    var isMulti: Bool {
        if case .elements = start { return true }
        return steps.contains { [.all, .values, .keys].contains($0) }
    }

    /// Whether it ends with the type of the values.
    var isType: Bool { steps.last == .type }

    /// Whether it is the type of what a property holds.
    var isTypeOfValue: Bool {
        if case .value = start { steps == [.type] } else { false }
    }

    /// What it leads to from one object.
    func nodes(from row: RowReference) -> [MixedNode] {
        steps.reduce(first(row)) { nodes, step in nodes.flatMap { $0.next(step, row.table.snapshot) } }
    }

    /// The values that it leads to from one object.
    func scalars(from row: RowReference) -> [UnsafeScalar] { nodes(from: row).map(\.scalar) }

    private func first(_ row: RowReference) -> [MixedNode] {
        let table = row.table
        switch start {
        case .value(let column):
            let address = CollectionAddress(table.stored.id, column.id, row.key)
            return [MixedNode(row.cluster.scalar(row.row, column), table, column, address)]
        case .elements(let column): return MixedNode.elements(table.list(row.key, column))
        case .element(let column, let position):
            let list = table.list(row.key, column)
            return position.index(in: list.count).map { [list.node(at: $0)] } ?? []
        case .entry(let column, let name):
            let dictionary = table.dictionary(row.key, column)
            return [dictionary.index(of: name).map { dictionary.values.node(at: $0) } ?? .value(.null)]
        }
    }
}

/// What a step inside mixed values leads to.
enum MixedNode {
    case value(UnsafeScalar)
    case list(ListView)
    case dictionary(DictionaryView)

    init(_ scalar: UnsafeScalar, _ table: Table, _ column: StoredColumn, _ address: CollectionAddress) {
        var address = address
        address.isKeys = false
        switch scalar {
        case .list(let id):
            address.nested = id
            self = .list(ListView(table, column, address))
        case .dictionary(let id):
            address.nested = id
            self = .dictionary(DictionaryView(table, column, address))
        default: self = .value(scalar)
        }
    }

    /// The value; a collection has none but its number, which equals nothing.
    var scalar: UnsafeScalar {
        switch self {
        case .value(let scalar): scalar
        case .list(let list): .list(list.address.nested ?? NestedId(0))
        case .dictionary(let dictionary): .dictionary(dictionary.values.address.nested ?? NestedId(0))
        }
    }

    /// Elements of a collection, bytes of a string or binary; null for others.
    var count: UnsafeScalar {
        switch self {
        case .value(let scalar): scalar.bytes.map { .int(Int64($0.count)) } ?? .null
        case .list(let list): .int(Int64(list.count))
        case .dictionary(let dictionary): .int(Int64(dictionary.count))
        }
    }

    static func elements(_ list: ListView) -> [MixedNode] { (0..<list.count).map { list.node(at: $0) } }

    /// Where a step leads: nowhere if it doesn't fit.
    func next(_ step: PropertyPath.Step, _ snapshot: Snapshot) -> [MixedNode] {
        switch (step, self) {
        case (.type, _): [.value(.string(TypeName(of: self).bytes))]
        case (.index(let index), .list(let list)): list.node(ResolvedPath.Position.index(index))
        case (.first, .list(let list)): list.node(ResolvedPath.Position.index(0))
        case (.last, .list(let list)): list.node(ResolvedPath.Position.last)
        case (.all, .list(let list)): MixedNode.elements(list)
        case (.all, .dictionary(let dictionary)), (.values, .dictionary(let dictionary)):
            MixedNode.elements(dictionary.values)
        case (.keys, .dictionary(let dictionary)): dictionary.keys.scalars.map { .value($0) }
        case (.key(let key), .dictionary(let dictionary)):
            [dictionary.index(of: key).map { dictionary.values.node(at: $0) } ?? .value(.null)]
        case (.key(let name), .value(.link(let table, let key))):
            property(name, snapshot.table(table), key)
        default: []
        }
    }

    /// A property of a linked object.
    private func property(_ name: String, _ table: Table, _ key: ObjectKey) -> [MixedNode] {
        guard let column = table.stored.column(named: name), let (cluster, row) = table.locate(key) else { return [] }
        switch column.property.collection {
        case .single:
            let address = CollectionAddress(table.stored.id, column.id, key)
            return [MixedNode(cluster.scalar(row, column), table, column, address)]
        case .list: return [.list(table.list(key, column))]
        // Sets have no index: their elements are reached as a whole only.
        case .set: return [.list(table.list(key, column))]
        case .dictionary: return [.dictionary(table.dictionary(key, column))]
        }
    }
}

extension ListView {
    /// An element of any type.
    func node(at index: Int) -> MixedNode { node(of: anyScalar(at: index)) }

    fileprivate func node(_ position: ResolvedPath.Position) -> [MixedNode] {
        guard !isSet else { return [] }
        return position.index(in: count).map { [node(at: $0)] } ?? []
    }
}

extension TypeName {
    fileprivate init(of node: MixedNode) {
        switch node {
        case .list: self = .list
        case .dictionary: self = .dictionary
        // Named without copying what they hold.
        case .value(.string): self = .string
        case .value(.binary): self = .binary
        case .value(.link): self = .link
        case .value(let scalar): self.init(of: scalar.value)
        }
    }

    private struct Names: @unchecked Sendable {
        var bytes: [TypeName: UnsafeRawBufferPointer] = [:]
    }

    /// The names' bytes, for the life of the process.
    private static let names: Names = {
        var names = Names()
        for name in allCases {
            let text = Array(name.rawValue.utf8)
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: text.count, alignment: 1)
            memory.copyBytes(from: text)
            names.bytes[name] = UnsafeRawBufferPointer(memory)
        }
        return names
    }()

    var bytes: UnsafeRawBufferPointer { TypeName.names.bytes[self] ?? UnsafeRawBufferPointer(start: nil, count: 0) }

    /// The type that a scalar names.
    init?(_ scalar: UnsafeScalar) {
        guard case .string(let bytes) = scalar else { return nil }
        self.init(rawValue: String(decoding: bytes, as: UTF8.self))
    }
}
