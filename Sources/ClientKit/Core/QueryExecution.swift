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

    /// The query as the agent takes it: as text.
    static func request(_ query: ClassQuery, among: [ObjectKey]?) throws -> QueryRequest {
        let printed = try RQL.print(query.condition, query.descriptors)
        let arguments = try printed.arguments.map { argument -> Wire.QueryArgument in
            switch argument {
            case .value(let value): return .value(value)
            case .list(let values): return .list(values)
            default: throw Realm.Error(.fail, "Shapes can't be queried for in a write transaction that has changes.")
            }
        }
        return QueryRequest(
            query.className, filter: printed.text, arguments: arguments,
            among: among.map { PackedKeys($0.map(\.raw)) })
    }
}
