import Model
import Query
import Store
import Wire

/// Where queries are evaluated: on the mapped snapshot, or by the agent in the open transaction.
enum QueryExecution {
    /// With `among`, condition and descriptors apply to those objects in that order.
    static func objects(_ query: ClassQuery, among: [ObjectKey]?, on snapshot: Snapshot) throws -> [ObjectKey] {
        if let among { return try snapshot.objects(query, among: among) }
        return try snapshot.objects(query)
    }

    /// The query as the agent takes it.
    static func request(_ query: ClassQuery, among: [ObjectKey]?) throws -> QueryRequest {
        guard query.condition == .constant(true), query.descriptors.isEmpty else { throw notYet }
        return QueryRequest(query.className, among: among.map { PackedKeys($0.map(\.raw)) })
    }

    private static var notYet: Realm.Error { Realm.Error(.fail, "Conditions can't be evaluated yet.") }
}
