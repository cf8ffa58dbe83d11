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
        let arguments = printed.arguments.map { argument -> Wire.QueryArgument in
            switch argument {
            case .value(let value): .value(value)
            case .list(let values): .list(values)
            // An argument may hold the text of a shape.
            case .geo(let shape): .value(.string(shape.text))
            }
        }
        return QueryRequest(
            query.className, filter: printed.text, arguments: arguments,
            among: among.map { PackedKeys($0.map(\.raw)) })
    }
}
