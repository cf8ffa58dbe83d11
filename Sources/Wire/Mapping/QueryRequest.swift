import Model

/// An argument of a query's text (`$0`, `%@`): a value or a list of them.
package enum QueryArgument: WireField, Hashable {
    case value(Value)
    case list([Value])

    package static var expectation: String { "a value or an array of values" }

    package init(field element: UnsafeBSONView.Element) throws(WireDecodingError) {
        self = element.type == .array ? .list(try [Value](field: element)) : .value(try Value(field: element))
    }

    package func write(_ key: BSONKey, to writer: BSONWriter) {
        switch self {
        case .value(let value): value.write(key, to: writer)
        case .list(let values): values.write(key, to: writer)
        }
    }
}

extension QueryArgument: NullableField {}

/// One criterion of a sort: `["owner.name", true]`.
package struct SortCriterion: WireField, Hashable {
    package var path: String
    package var ascending: Bool

    package init(_ path: String, ascending: Bool = true) {
        self.path = path
        self.ascending = ascending
    }

    package static var expectation: String { "[path, ascending]" }

    package init(field element: UnsafeBSONView.Element) throws(WireDecodingError) {
        guard element.type == .array, let view = element.view else { throw Self.mismatch(element) }
        self.init(try view.get("0"), ascending: try view.find("1") ?? true)
    }

    package func write(_ key: BSONKey, to writer: BSONWriter) {
        writer.array(key) { writer in
            writer.string(.next, path)
            writer.bool(.next, ascending)
        }
    }
}

/// Which objects of a class, in which order, and how much of them. The fields lie beside those of the request.
package struct QueryRequest: WirePayload {
    package var className: String
    /// Query text; nil for all objects. It may end in SORT, DISTINCT and LIMIT, which apply before the fields below.
    package var filter: String?
    package var arguments: [QueryArgument]
    /// Applied in this order: sort, distinct, limit.
    package var sort: [SortCriterion]
    package var distinct: [String]
    package var limit: Int64?
    /// Internal keys of the objects to look at, in the order that counts without a sort; nil: all of the class.
    package var among: PackedKeys?

    package init(
        _ className: String, filter: String? = nil, arguments: [QueryArgument] = [], sort: [SortCriterion] = [],
        distinct: [String] = [], limit: Int64? = nil, among: PackedKeys? = nil
    ) {
        self.className = className
        self.filter = filter
        self.arguments = arguments
        self.sort = sort
        self.distinct = distinct
        self.limit = limit
        self.among = among
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            try view.get("class"), filter: try view.find("where"), arguments: try view.find("arguments") ?? [],
            sort: try view.find("sort") ?? [], distinct: try view.find("distinct") ?? [],
            limit: try view.find("limit"), among: try view.find("among"))
        if let limit, limit < 0 {
            throw WireDecodingError(field: "limit", expected: "a number not below 0", found: "\(limit)")
        }
    }

    package func write(to writer: BSONWriter) {
        writer.put("class", className)
        writer.put("where", filter)
        if !arguments.isEmpty { writer.put("arguments", arguments) }
        if !sort.isEmpty { writer.put("sort", sort) }
        if !distinct.isEmpty { writer.put("distinct", distinct) }
        writer.put("limit", limit)
        writer.put("among", among)
    }
}

/// In which form objects come back.
package struct ObjectForm: WirePayload {
    /// Names of the properties wanted; nil for all.
    package var properties: [String]?
    /// Only internal object keys, packed.
    package var keysOnly: Bool
    /// At most so many objects a reply; the rest under a cursor.
    package var batch: Int32?

    package init(properties: [String]? = nil, keysOnly: Bool = false, batch: Int32? = nil) {
        self.properties = properties
        self.keysOnly = keysOnly
        self.batch = batch
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            properties: try view.find("properties"), keysOnly: try view.find("keysOnly") ?? false,
            batch: try view.find("batch"))
        if let batch, batch < 1 {
            throw WireDecodingError(field: "batch", expected: "a number above 0", found: "\(batch)")
        }
    }

    package func write(to writer: BSONWriter) {
        writer.put("properties", properties)
        if keysOnly { writer.put("keysOnly", true) }
        writer.put("batch", batch)
    }
}
