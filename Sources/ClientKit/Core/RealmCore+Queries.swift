import Model
import Query
import Store
import Wire

extension RealmCore {
    /// The objects of a collection, in order, with the open transaction's changes.
    package func evaluate(_ query: CollectionQuery) throws -> KeySource {
        settle()
        if query.isWholeTable {
            guard let overlay = transaction?.recorder.overlay(query.info) else {
                return .table(count: query.info.reader.count)
            }
            if overlay.createdCount == 0, overlay.deletedCount == 0 { return .table(count: query.info.reader.count) }
            return .keys(tableKeys(query.info))
        }
        let among = sourceKeys(query)
        if let among, query.condition == .constant(true), query.descriptors.isEmpty { return .keys(among) }
        if let transaction, isAffected(query, by: transaction.recorder) {
            if commitUnderWay != nil {
                // The agent can't be asked any more, and the file not yet.
                finishCommit()
                return try evaluate(query)
            }
            return .keys(try keys(query, among: among, in: transaction))
        }
        return .keys(try QueryExecution.objects(query.classQuery, among: among, on: snapshot))
    }

    package func count(_ query: CollectionQuery) throws -> Int {
        settle()
        if query.isWholeTable {
            let overlay = transaction?.recorder.overlay(query.info)
            return query.info.reader.count + (overlay?.createdCount ?? 0) - (overlay?.deletedCount ?? 0)
        }
        if query.source == .table {
            guard let transaction, isAffected(query, by: transaction.recorder) else {
                return try snapshot.count(query.classQuery)
            }
        }
        return try evaluate(query).count
    }

    /// The key at a position of `KeySource.table`.
    package func key(_ info: ClassInfo, at index: Int) -> ObjectKey {
        info.reader.key(at: index)
    }

    /// All keys of a class, ascending.
    func tableKeys(_ info: ClassInfo) -> [ObjectKey] {
        let overlay = transaction?.recorder.overlay(info)
        var keys = info.reader.allKeys
        guard let overlay else { return keys }
        if overlay.deletedCount > 0 {
            keys.removeAll { key in overlay.row(of: key).map { overlay.rows[$0].isDeleted } ?? false }
        }
        let created = overlay.createdKeys
        let isInOrder = created.first.map { first in keys.last.map { $0 < first } ?? true } ?? true
        keys += created
        // A revived key may be smaller than others.
        return isInOrder ? keys : keys.sorted()
    }

    /// The keys that a query on a list or on backlinks starts from; nil: the whole class.
    private func sourceKeys(_ query: CollectionQuery) -> [ObjectKey]? {
        switch query.source {
        case .table: return nil
        case .list(let owner, let key, let column):
            guard contains(owner, key) else { return [] }
            return listCells(owner, key, column).compactMap { if case .link(let key) = $0 { key } else { nil } }
        case .backlinks(let target, let key, let column):
            guard contains(target, key) else { return [] }
            return backlinks(to: target, key, from: query.info, column)
        }
    }

    /// Whether the outcome may depend on what the transaction changed: classes that it touched can be reached.
    private func isAffected(_ query: CollectionQuery, by recorder: ChangeRecorder) -> Bool {
        guard !recorder.isEmpty else { return false }
        if recorder.overlays[query.info.table.id] != nil { return true }
        // Conditions and sorts may look through links, in both directions: then any change may count.
        let isPlain = query.condition == .constant(true) && query.descriptors.isEmpty
        let hasLinks = query.info.table.columns.contains { $0.property.type == .link }
        return !isPlain
            && (hasLinks
                || snapshot.schema.tables.contains { table in
                    table.columns.contains { $0.property.target == query.info.name }
                })
    }

    /// Lets the agent evaluate in the open transaction. Once that can't be, the block goes on with what the file has:
    /// committing will throw.
    private func keys(
        _ query: CollectionQuery, among: [ObjectKey]?, in transaction: OpenTransaction
    ) throws -> [ObjectKey] {
        transaction.append()
        if transaction.failure == nil, let grant = transaction.grant {
            do {
                var found = among
                for stage in query.classQuery.stages { found = try keys(stage, found, grant) }
                return found ?? []
            } catch let error as WireError where !error.isAboutQuery {
                transaction.failure = error
            }
        }
        return try QueryExecution.objects(query.classQuery, among: among, on: snapshot)
            .filter { contains(query.info, $0) }
    }

    private func keys(_ query: ClassQuery, _ among: [ObjectKey]?, _ grant: WriteGrant) throws -> [ObjectKey] {
        let request = try QueryExecution.request(query, among: among)
        var keys: [Int64] = []
        let link = grant.handle.link
        var reply = try link.call(
            WriteQuery(
                realm: grant.handle.realm, transaction: grant.reply.transaction, query: request,
                form: ObjectForm(keysOnly: true)))
        while true {
            keys += reply.keys?.keys ?? []
            guard let cursor = reply.cursor else { break }
            reply = try link.call(ReadNext(cursor: cursor))
        }
        return keys.map { ObjectKey($0) }
    }

    /// `path` is relative to the query's class. Null when there is nothing to aggregate (sum: 0).
    package func aggregate(_ function: AggregateFunction, _ path: PropertyPath, over query: CollectionQuery) throws
        -> Value
    {
        settle()
        let isOnSnapshot = transaction.map { $0.recorder.isEmpty } ?? true
        if isOnSnapshot, query.source == .table {
            return try snapshot.aggregate(function, path, over: query.classQuery)
        }
        let keys: [ObjectKey]
        switch try evaluate(query) {
        case .table: keys = tableKeys(query.info)
        case .keys(let found): keys = found
        }
        if isOnSnapshot { return try snapshot.aggregate(function, path, className: query.info.name, keys: keys) }
        guard let type = type(at: path, query.info) else { return .null }
        return ValueAggregate.of(function, type, keys.lazy.map { self.value(at: path, query.info, $0) })
    }

    /// The type of the values at the end of a path of links.
    private func type(at path: PropertyPath, _ info: ClassInfo) -> ValueType? {
        var info = info
        for (index, step) in path.steps.enumerated() {
            guard case .name(let name) = step, let column = info.table.column(named: name) else { return nil }
            if index == path.steps.count - 1 { return column.property.type }
            info = info.target(of: column)
        }
        return nil
    }

    /// The value at the end of a path of links, null if one of them is.
    private func value(at path: PropertyPath, _ info: ClassInfo, _ key: ObjectKey) -> Value {
        var (info, key) = (info, key)
        for (index, step) in path.steps.enumerated() {
            guard case .name(let name) = step, let column = info.table.column(named: name) else { return .null }
            if index == path.steps.count - 1 { return value(info, key, column) }
            guard let target = linkKey(info, key, column) else { return .null }
            (info, key) = (info.target(of: column), target)
        }
        return .null
    }
}

extension WireError {
    /// Whether the query is wrong, and not the circumstances.
    fileprivate var isAboutQuery: Bool {
        [.badQuery, .badParams, .unknownClass, .unknownProperty, .typeMismatch].contains(code)
    }
}
