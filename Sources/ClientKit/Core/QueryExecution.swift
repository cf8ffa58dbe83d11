import Model
import Query
import Store
import Wire

/// Where queries are evaluated: on the mapped snapshot, or by the agent in the open transaction.
enum QueryExecution {
    static func objects(_ query: ClassQuery, among: [ObjectKey]?, on snapshot: Snapshot) throws -> [ObjectKey] {
        guard query.condition == .constant(true), query.descriptors.isEmpty,
            let table = snapshot.table(named: query.className)
        else { throw notYet }
        return among ?? table.allKeys
    }

    static func count(_ query: ClassQuery, on snapshot: Snapshot) throws -> Int {
        try objects(query, among: nil, on: snapshot).count
    }

    /// The query as the agent takes it.
    static func request(_ query: ClassQuery, among: [ObjectKey]?) throws -> QueryRequest {
        guard query.condition == .constant(true), query.descriptors.isEmpty else { throw notYet }
        return QueryRequest(query.className, among: among.map { PackedKeys($0.map(\.raw)) })
    }

    private static var notYet: Realm.Error { Realm.Error(.fail, "Conditions can't be evaluated yet.") }
}
