import Model
import Query

/// A query made ready for one snapshot: its condition as scan nodes, what an index can contribute, its descriptors.
final class CompiledQuery {
    let table: Table
    let scan: QueryScan
    let descriptors: [ResolvedDescriptor]
    private let compiler: QueryCompiler
    private let access: String
    private let query: ClassQuery

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
        let compiler = QueryCompiler(snapshot)
        self.compiler = compiler
        let node = try compiler.node(query.condition, on: table.stored)
        let index = IndexAccess(table)
        let found = index.candidates(query.condition)
        scan = QueryScan(table, node, candidates: found?.keys)
        access = found?.explanation ?? "all"
        self.query = query
        descriptors = try query.descriptors.map { try ResolvedDescriptor($0, on: table.stored, compiler) }
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
        while let descriptor = rest.popFirst() {
            if case .sort(let criteria) = descriptor, case .limit(let count)? = rest.first {
                // Only the first are wanted.
                keys = ObjectSort(criteria, table).sorted(keys, first: count)
                rest.removeFirst()
            } else {
                keys = descriptor.apply(keys, table)
            }
        }
        return keys
    }

    /// How many objects there are in the end: without looking for them if sorts and limits are all that follows.
    var count: Int {
        var limit = Int.max
        for descriptor in descriptors {
            switch descriptor {
            case .sort: continue
            case .limit(let count): limit = min(limit, count)
            case .distinct, .filter: return objects().count
            }
        }
        // Who wants a few needn't count all.
        return limit == .max || scan.node is ConstantNode ? min(limit, matchCount) : matches(limit: limit).count
    }

    var plan: QueryPlan {
        let threads = scan.isShared ? ", shared by \(QueryScan.shares) threads" : ""
        let clusters = "\(table.clusterCount) cluster\(table.clusterCount == 1 ? "" : "s")"
        return QueryPlan(
            className: table.stored.name, objectCount: table.count,
            access: scan.candidates == nil ? clusters + threads : access, candidateCount: scan.candidates?.count,
            condition: scan.node.planParts(),
            descriptors: zip(query.descriptors, descriptors).flatMap { $1.planLines($0) })
    }
}

extension Snapshot {
    /// Keys of the objects that a query selects, in its order; ascending when it has none (Q-4).
    package func objects(_ query: ClassQuery) throws -> [ObjectKey] {
        try reading { try CompiledQuery(query, on: self).objects() }
    }

    /// Those of `keys` that a query selects. They keep their order, duplicates included, unless the query sorts.
    package func objects(_ query: ClassQuery, among keys: [ObjectKey]) throws -> [ObjectKey] {
        try reading {
            let compiled = try CompiledQuery(query, on: self)
            let selected = compiled.table.selected(keys, by: compiled.scan.node)
            return compiled.descriptors.reduce(selected) { $1.apply($0, compiled.table) }
        }
    }

    /// How many objects a query selects.
    package func count(_ query: ClassQuery) throws -> Int {
        try reading { try CompiledQuery(query, on: self).count }
    }

    /// How a query would be carried out.
    package func plan(_ query: ClassQuery) throws -> QueryPlan {
        try reading { try CompiledQuery(query, on: self).plan }
    }
}
