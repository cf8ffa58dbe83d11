import Model
import Query

/// A sort, distinct or limit with its paths looked up.
enum ResolvedDescriptor {
    case sort([(path: ResolvedPath, ascending: Bool)])
    case distinct([ResolvedPath])
    case limit(Int)
    case filter(any ScanNode)

    init(_ descriptor: Descriptor, on table: StoredTable, _ compiler: QueryCompiler) throws {
        let schema = compiler.snapshot.schema
        switch descriptor {
        case .limit(let count): self = .limit(count)
        case .filter(let condition): self = .filter(try compiler.node(condition, on: table))
        case .sort(let keys):
            self = .sort(
                try keys.map { (try ResolvedDescriptor.path($0.path, table, schema, "sort"), $0.ascending) })
        case .distinct(let paths):
            self = .distinct(try paths.map { try ResolvedDescriptor.path($0, table, schema, "distinct") })
        }
    }

    /// Properties of the class or through to-one links, and values of their dictionaries (Q-124).
    private static func path(
        _ path: PropertyPath, _ table: StoredTable, _ schema: StoredSchema, _ clause: String
    ) throws -> ResolvedPath {
        let resolved = try ResolvedPath(path, from: table, in: schema)
        let isSingle = resolved.steps.allSatisfy { if case .link = $0 { true } else { false } }
        switch resolved.end {
        case .value where isSingle, .entry where isSingle: return resolved
        case .object where isSingle && !resolved.steps.isEmpty: return resolved
        default:
            throw StoreError(.badQuery, "\(clause): only properties with one value can be used")
        }
    }

    /// Whether it can leave objects out.
    var changesCount: Bool {
        if case .sort = self { false } else { true }
    }

    func apply(_ keys: [ObjectKey], _ table: Table) -> [ObjectKey] {
        switch self {
        case .limit(let count): return Array(keys.prefix(count))
        case .filter(let node): return table.selected(keys, by: node)
        case .sort(let criteria): return ObjectSort(criteria, table).sorted(keys)
        case .distinct(let paths): return ObjectDistinct(paths, table).firsts(keys)
        }
    }

    /// What it does, for `explain`, in the words of the query that it was made of.
    func planLines(_ descriptor: Descriptor) -> [String] {
        if case .filter(let node) = self {
            return ["then keep"] + node.planParts(depth: 1).map(\.line)
        }
        let text = try? RQL.print(.constant(true), [descriptor]).text
        return text.map { ["then \($0.dropFirst("TRUEPREDICATE ".count))"] } ?? []
    }
}

extension Table {
    /// Those of some keys that satisfy a condition, in their order, duplicates included.
    func selected(_ keys: [ObjectKey], by node: any ScanNode) -> [ObjectKey] {
        var selected = KeySet(for: self)
        QueryScan(self, node, candidates: Set(keys).sorted()).eachKey { selected.insert($0) }
        return keys.filter { selected.contains($0) }
    }
}

/// Reads a property through to-one links.
struct SingleValueReader {
    private let path: ResolvedPath
    private let links: [StoredColumn]
    private let targets: [Table]
    /// What is read at the end; the last link itself if the path ends in one.
    let column: StoredColumn
    /// The key whose value is read, if the column is a dictionary.
    private var name: String?

    enum Found {
        case value(UnsafeScalar)
        /// A link on the way has no target.
        case nullLink
    }

    init?(_ path: ResolvedPath, _ table: Table) {
        self.path = path
        var links: [StoredColumn] = path.steps.compactMap { if case .link(let column) = $0 { column } else { nil } }
        switch path.end {
        case .value(let column): self.column = column
        case .entry(let column, let name):
            self.column = column
            self.name = name
        case .object:
            guard let last = links.popLast() else { return nil }
            column = last
        default: return nil
        }
        self.links = links
        targets = path.tables.prefix(links.count).map { table.snapshot.table($0.id) }
    }

    func read(_ cluster: Cluster, _ row: Int) -> Found {
        var cluster = cluster
        var row = row
        for (link, target) in zip(links, targets) {
            guard let key = cluster.chunk(link.slot)?.link(row), let found = target.locate(key) else {
                return .nullLink
            }
            (cluster, row) = found
        }
        if let name { return .value(RowReference(cluster: cluster, row: row).entry(column, name)) }
        return .value(cluster.scalar(row, column))
    }
}
