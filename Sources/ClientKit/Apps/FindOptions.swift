import Foundation

/// What of the found documents is returned, and in which order.
public final class FindOptions: Sendable {
    /// At most so many; 0: all.
    public let limit: Int
    /// The fields to return.
    public let projection: Document?
    /// The fields to sort by, with 1 or -1.
    public let sorting: [Document]

    public init(_ limit: Int = 0, _ projection: Document? = nil, _ sorting: [Document] = []) {
        self.limit = limit
        self.projection = projection
        self.sorting = sorting
    }

    @available(*, deprecated, message: "Use init(_:_:_:) with an array of documents to sort by")
    public convenience init(limit: Int?, projection: Document?, sort: Document?) {
        self.init(limit ?? 0, projection, sort.map { [$0] } ?? [])
    }

    var arguments: Document {
        var arguments: Document = [:]
        if limit != 0 { arguments["limit"] = AnyBSON(limit) }
        if let projection { arguments["projection"] = .document(projection) }
        if let sort = sorted(by: sorting) { arguments["sort"] = sort }
        return arguments
    }
}

/// How a document is found, changed and returned in one step.
public final class FindOneAndModifyOptions: Sendable {
    /// The fields to return.
    public let projection: Document?
    /// The fields to sort by, with 1 or -1: the first document counts.
    public let sorting: [Document]
    /// Whether one is made if none is found.
    public let upsert: Bool
    /// Whether the document is returned as it is afterwards.
    public let shouldReturnNewDocument: Bool

    public init(
        _ projection: Document? = nil, _ sorting: [Document] = [], _ upsert: Bool = false,
        _ shouldReturnNewDocument: Bool = false
    ) {
        self.projection = projection
        self.sorting = sorting
        self.upsert = upsert
        self.shouldReturnNewDocument = shouldReturnNewDocument
    }

    @available(*, deprecated, message: "Use init(_:_:_:_:) with an array of documents to sort by")
    public convenience init(
        projection: Document?, sort: Document?, upsert: Bool = false, shouldReturnNewDocument: Bool = false
    ) {
        self.init(projection, sort.map { [$0] } ?? [], upsert, shouldReturnNewDocument)
    }

    var arguments: Document {
        var arguments: Document = [:]
        if let projection { arguments["projection"] = .document(projection) }
        if let sort = sorted(by: sorting) { arguments["sort"] = sort }
        if upsert { arguments["upsert"] = true }
        if shouldReturnNewDocument { arguments["returnNewDocument"] = true }
        return arguments
    }
}

/// What an update has done.
public final class UpdateResult: Sendable {
    public let matchedCount: Int
    public let modifiedCount: Int
    /// Id of the document that was made, if one was.
    public let documentId: AnyBSON?

    /// Id of the document that was made, if one was and its id is an object id.
    @available(*, deprecated, renamed: "documentId")
    public var objectId: ObjectId? { documentId?.objectIdValue }

    init(matchedCount: Int, modifiedCount: Int, documentId: AnyBSON?) {
        self.matchedCount = matchedCount
        self.modifiedCount = modifiedCount
        self.documentId = documentId
    }
}

/// One document with the fields in the order in which they are sorted by. JSON's members have an order on the wire, ours
/// has that of names: several are an array, which servers take, too.
private func sorted(by sorting: [Document]) -> AnyBSON? {
    switch sorting.count {
    case 0: nil
    case 1: .document(sorting[0])
    default: .array(sorting.map { .document($0) })
    }
}
