import Model
import Query

/// A query made ready for one snapshot: its condition as scan nodes, what an index can contribute, its descriptors.
final class CompiledQuery {
    let table: Table
    let scan: QueryScan
    let descriptors: [ResolvedDescriptor]
    private let compiler: QueryCompiler
    private let access: String

    /// Checks the query's names and types first; checking one that was checked changes nothing.
    init(_ query: ClassQuery, on snapshot: Snapshot) throws {
        guard snapshot.schema.table(named: query.className) != nil else {
            throw StoreError(.unknownClass, "the realm has no class '\(query.className)'")
        }
        let query = try query.checked(in: snapshot.schema.realmSchema)
        guard let table = snapshot.table(named: query.className) else {
            throw StoreError(.unknownClass, "the realm has no class '\(query.className)'")
        }
        self.table = table
        compiler = QueryCompiler(snapshot)
        let node = try compiler.node(query.condition, on: table.stored)
        let index = IndexAccess(table)
        let found = index.candidates(query.condition)
        scan = QueryScan(table, node, candidates: found?.keys)
        access = found?.explanation ?? "\(table.clusterCount) clusters"
        descriptors = try query.descriptors.map {
            try ResolvedDescriptor($0, on: table.stored, in: snapshot.schema)
        }
    }

    /// Keys of the objects that satisfy the condition, ascending; at most `limit`.
    func matches(limit: Int? = nil) -> [ObjectKey] {
        if let limit { return firstMatches(limit) }
        let parts = scan.shared([ObjectKey]()) { keys, cluster, selection in
            selection.eachSelected { row in
                keys.append(cluster.key(at: row))
                return true
            }
        }
        return parts.count == 1 ? parts[0] : Array(parts.joined())
    }

    private func firstMatches(_ limit: Int) -> [ObjectKey] {
        var keys: [ObjectKey] = []
        guard limit > 0 else { return [] }
        scan.eachCluster { cluster, selection in
            selection.eachSelected { row in
                keys.append(cluster.key(at: row))
                return keys.count < limit
            }
        }
        return keys
    }

    var matchCount: Int {
        if let constant = scan.node as? ConstantNode { return constant.value ? table.count : 0 }
        return scan.shared(0) { count, _, selection in count += selection.selectedCount }.reduce(0, +)
    }

    /// Keys in the order and number that the descriptors ask for.
    func objects() -> [ObjectKey] {
        var keys: [ObjectKey]
        var rest = descriptors[...]
        if case .limit(let limit)? = rest.first {
            keys = matches(limit: limit)
            rest = rest.dropFirst()
        } else {
            keys = matches()
        }
        for descriptor in rest { keys = descriptor.apply(keys, table) }
        return keys
    }

    var explanation: String {
        ([access, scan.node.explanation] + descriptors.map(\.explanation)).joined(separator: "; ")
    }
}

extension Snapshot {
    /// Keys of the objects that a query selects, in its order; ascending when it has none.
    package func objects(_ query: ClassQuery) throws -> [ObjectKey] {
        try CompiledQuery(query, on: self).objects()
    }

    /// Those of `keys` that a query selects. They keep their order, duplicates included, unless the query sorts.
    package func objects(_ query: ClassQuery, among keys: [ObjectKey]) throws -> [ObjectKey] {
        let compiled = try CompiledQuery(query, on: self)
        let sorted = Set(keys).sorted()
        var selected = KeySet(for: compiled.table)
        QueryScan(compiled.table, compiled.scan.node, candidates: sorted).eachKey { selected.insert($0) }
        return compiled.descriptors.reduce(keys.filter { selected.contains($0) }) { $1.apply($0, compiled.table) }
    }

    /// How many objects a query selects.
    package func count(_ query: ClassQuery) throws -> Int {
        let compiled = try CompiledQuery(query, on: self)
        let needsObjects = compiled.descriptors.contains { $0.changesCount }
        return needsObjects ? compiled.objects().count : compiled.matchCount
    }

    /// How a query would be evaluated, in words.
    package func explain(_ query: ClassQuery) throws -> String {
        try CompiledQuery(query, on: self).explanation
    }
}
