import Model
import Query
import Store
import Wire

extension QueryRequest {
    /// The query that the request means, checked against a schema. Throws `unknownClass`, `badQuery`.
    func classQuery(in schema: StoredSchema) throws(WireError) -> ClassQuery {
        guard schema.table(named: className) != nil else {
            throw WireError(
                .unknownClass, "the realm has no class \(className)", facts: ["class": .string(className)])
        }
        var query = ClassQuery(className)
        do throws(QueryError) {
            if let filter {
                let arguments = self.arguments.map { argument -> Query.QueryArgument in
                    switch argument {
                    case .value(let value): .value(value)
                    case .list(let values): .list(values)
                    }
                }
                (query.condition, query.descriptors) = try RQL.parse(
                    filter, arguments: arguments, extensions: .predicateFormat)
            }
            var keys: [SortKey] = []
            for criterion in sort {
                keys.append(SortKey(try Self.path(criterion.path), ascending: criterion.ascending))
            }
            if !keys.isEmpty { query.descriptors.append(.sort(keys)) }
            var paths: [PropertyPath] = []
            for text in distinct { paths.append(try Self.path(text)) }
            if !paths.isEmpty { query.descriptors.append(.distinct(paths)) }
            if let limit { query.descriptors.append(.limit(Int(clamping: limit))) }
            return try query.checked(in: schema.realmSchema)
        } catch {
            throw WireError(error)
        }
    }

    private static func path(_ text: String) throws(QueryError) -> PropertyPath {
        guard let path = PropertyPath(keyPath: text) else {
            throw QueryError(.sortDescriptor, "\"\(text)\" is not a path of properties")
        }
        return path
    }

    /// The objects to look at, if the client named them.
    var keys: [ObjectKey]? { among?.keys.map { ObjectKey($0) } }
}

extension AggregateName {
    var function: AggregateFunction {
        switch self {
        case .min: .min
        case .max: .max
        case .sum: .sum
        case .average: .average
        }
    }
}

extension WireError {
    init(_ error: QueryError) {
        var facts: BSONDocument = ["kind": .string(error.kind.name)]
        if let offset = error.offset { facts["offset"] = .int32(Int32(clamping: offset)) }
        self.init(.badQuery, error.message, facts: facts)
    }
}

extension Snapshot {
    /// The objects that match, of all or of those named.
    func objects(_ query: ClassQuery, among keys: [ObjectKey]?) throws -> [ObjectKey] {
        try keys.map { try objects(query, among: $0) } ?? objects(query)
    }
}
