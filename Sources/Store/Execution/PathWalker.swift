import Model
import Query

/// A row that evaluation looks at.
struct RowReference {
    var cluster: Cluster
    var row: Int

    var key: ObjectKey { cluster.key(at: row) }
    var table: Table { cluster.table }
}

/// Follows paths and reads what is at their end.
struct PathWalker {
    let snapshot: Snapshot

    /// Objects at the end of a path's steps. Nil when a to-one link on a path without collections is null: the path
    /// then has one value, null, while a path with collections has no value there.
    func objects(_ path: ResolvedPath, from row: RowReference) -> [RowReference]? {
        var rows = [row]
        for (step, stored) in zip(path.steps, path.tables) {
            let target = snapshot.table(stored.id)
            var next: [RowReference] = []
            var hint: Cluster?
            func append(_ key: ObjectKey) {
                guard let (cluster, row) = target.locate(key, near: hint) else { return }
                hint = cluster
                next.append(RowReference(cluster: cluster, row: row))
            }
            for row in rows {
                switch step {
                case .link(let column):
                    if let key = row.cluster.chunk(column.slot)?.link(row.row) { append(key) }
                case .list(let column):
                    row.table.list(row.key, column).eachChunk { chunk in
                        for index in 0..<chunk.count { if let key = chunk.link(index) { append(key) } }
                    }
                case .element(let column, let position):
                    let list = row.table.list(row.key, column)
                    if target.record.tombstones == 0 {
                        if let index = position.index(in: list.count), let key = list.linkKey(at: index) { append(key) }
                    } else {
                        // Links to objects that don't exist are no elements.
                        let keys = list.linkKeys
                        if let index = position.index(in: keys.count) { append(keys[index]) }
                    }
                case .entry(let column, let name):
                    if let key = row.entryKey(column, name) { append(key) }
                case .backlinks(let origin, let column):
                    for key in row.table.backlinks(to: row.key, from: origin, column) { append(key) }
                }
            }
            rows = next
        }
        return rows.isEmpty && !path.stepsThroughCollection && !path.endsAfterElement ? nil : rows
    }

    /// The values of a path for one row. A collection of values behind collections of objects gives one group per
    /// object; everything else is one group.
    func groups(_ path: ResolvedPath, from row: RowReference) -> [[UnsafeScalar]] {
        guard let objects = objects(path, from: row) else {
            switch path.end {
            case .mixed(let mixed) where mixed.isTypeOfValue: return [[.string(TypeName.null.bytes)]]
            case .elements, .lengths, .element, .keys, .entry, .mixed: return [[]]
            case .allBacklinks: return [[.int(0)]]
            case .object, .value: return [[.null]]
            }
        }
        switch path.end {
        case .mixed(let mixed) where mixed.isTypeOfValue:
            // Without a step inside it is as any value.
            return [objects.flatMap { mixed.scalars(from: $0) }]
        case .object:
            return [objects.map { .link($0.table.stored.id, $0.key) }]
        case .value(let column):
            return [objects.map { $0.cluster.scalar($0.row, column) }]
        case .allBacklinks:
            return [objects.map { .int(Int64($0.table.incomingLinks(to: $0.key).reduce(0) { $0 + $1.count })) }]
        case .elements(let column):
            return grouped(objects) { $0.table.list($0.key, column).scalars }
        case .keys(let column):
            return grouped(objects) { $0.table.dictionary($0.key, column).keys.scalars }
        case .entry(let column, let name):
            return grouped(objects) { [$0.entry(column, name)] }
        case .mixed(let mixed):
            return grouped(objects) { mixed.scalars(from: $0) }
        case .lengths(let column):
            // One sequence, also behind links.
            let texts = objects.lazy.flatMap { $0.table.list($0.key, column).scalars }
            return [texts.map { .int(Int64($0.bytes?.count ?? 0)) }]
        case .element(let column, let position):
            return grouped(objects) { object in
                let list = object.table.list(object.key, column)
                return position.index(in: list.count).map { [list.scalar(at: $0)] } ?? []
            }
        }
    }

    private func grouped(_ objects: [RowReference], _ values: (RowReference) -> [UnsafeScalar]) -> [[UnsafeScalar]] {
        objects.isEmpty ? [[]] : objects.map(values)
    }
}

extension RowReference {
    /// The value of a dictionary's key; null if it isn't there.
    func entry(_ column: StoredColumn, _ name: String) -> UnsafeScalar {
        if column.property.type == .link {
            guard let key = entryKey(column, name), let target = table.targetTable(column) else { return .null }
            return .link(target.stored.id, key)
        }
        let dictionary = table.dictionary(key, column)
        return dictionary.index(of: name).map { dictionary.values.scalar(at: $0) } ?? .null
    }
}

extension ResolvedPath {
    /// Whether some step picks an element, which may be missing without being null.
    var endsAfterElement: Bool {
        steps.contains { step in
            switch step {
            case .element, .entry: true
            default: false
            }
        }
    }
}

extension ResolvedPath.Position {
    /// The index that is meant in a list; nil when there is none.
    func index(in count: Int) -> Int? {
        switch self {
        case .index(let index): index < count ? index : nil
        case .last: count > 0 ? count - 1 : nil
        }
    }
}

extension UnsafeChunk {
    /// The value in a row of a chunk of values; not of links, and not of values in `blobs`. A link inside a Mixed may
    /// lead to an object that doesn't exist.
    func storedScalar(_ row: Int) -> UnsafeScalar {
        if isNull(row) { return .null }
        switch kind {
        case .int: return .int(int(row))
        case .bool: return .bool(int(row) != 0)
        case .float: return .float(float(row))
        case .double: return .double(double(row))
        case .timestamp: return .timestamp(timestamp(row))
        case .objectId: return .objectId(objectId(row))
        case .uuid: return .uuid(uuid(row))
        case .decimal: return .decimal(decimal(row))
        case .string: return .string(bytes(row))
        case .binary: return .binary(bytes(row))
        case .link, .keys: return .null
        case .mixed: return MixedCoding.decode(bytes(row))
        }
    }
}

extension Cluster {
    /// The value of a property in a row.
    func scalar(_ row: Int, _ column: StoredColumn) -> UnsafeScalar {
        guard let chunk = chunk(column.slot) else { return .null }
        if chunk.kind == .link {
            guard let target = table.linkKey(self, row, column), let other = table.targetTable(column) else {
                return .null
            }
            return .link(other.stored.id, target)
        }
        if chunk.isExternal(row) {
            let bytes = table.blob(key(at: row), column)
            if chunk.kind == .mixed { return table.snapshot.visible(MixedCoding.decode(bytes)) }
            return chunk.kind == .string ? .string(bytes) : .binary(bytes)
        }
        return chunk.kind == .mixed ? table.snapshot.visible(chunk.storedScalar(row)) : chunk.storedScalar(row)
    }
}

extension ListView {
    /// The element at an index of a list of values.
    func scalar(at index: Int) -> UnsafeScalar {
        let (chunk, row) = locate(index)
        return visible(chunk.storedScalar(row))
    }

    /// All elements of a list of values.
    var scalars: [UnsafeScalar] {
        var all: [UnsafeScalar] = []
        all.reserveCapacity(count)
        eachChunk { chunk in
            for row in 0..<chunk.count { all.append(visible(chunk.storedScalar(row))) }
        }
        return all
    }
}
