import Foundation

// Each call has a form with `async` and one that calls back in the background.
extension MongoCollection {
    /// Inserts a document. Returns its id.
    public func insertOne(_ value: Document) async throws -> AnyBSON {
        try await AgentRequest.background { try doInsertOne(value) }
    }

    public func insertOne(
        _ value: Document, _ completion: @escaping @Sendable (Result<AnyBSON, Error>) -> Void
    ) {
        AgentRequest.background({ try doInsertOne(value) }, completion)
    }

    /// Inserts documents. Returns their ids.
    public func insertMany(_ objects: [Document]) async throws -> [AnyBSON] {
        try await AgentRequest.background { try doInsertMany(objects) }
    }

    public func insertMany(
        _ objects: [Document], _ completion: @escaping @Sendable (Result<[AnyBSON], Error>) -> Void
    ) {
        AgentRequest.background({ try doInsertMany(objects) }, completion)
    }

    /// The documents that a filter selects.
    public func find(filter: Document, options: FindOptions = FindOptions()) async throws -> [Document] {
        try await AgentRequest.background { try doFind(filter, options) }
    }

    public func find(
        filter: Document, options: FindOptions = FindOptions(),
        _ completion: @escaping @Sendable (Result<[Document], Error>) -> Void
    ) {
        AgentRequest.background({ try doFind(filter, options) }, completion)
    }

    /// The first document that a filter selects; nil if there is none.
    public func findOneDocument(filter: Document, options: FindOptions = FindOptions()) async throws -> Document? {
        try await AgentRequest.background { try doFindOne(filter, options) }
    }

    public func findOneDocument(
        filter: Document, options: FindOptions = FindOptions(),
        _ completion: @escaping @Sendable (Result<Document?, Error>) -> Void
    ) {
        AgentRequest.background({ try doFindOne(filter, options) }, completion)
    }

    /// What comes out of an aggregation pipeline.
    public func aggregate(pipeline: [Document]) async throws -> [Document] {
        try await AgentRequest.background { try doAggregate(pipeline) }
    }

    public func aggregate(
        pipeline: [Document], _ completion: @escaping @Sendable (Result<[Document], Error>) -> Void
    ) {
        AgentRequest.background({ try doAggregate(pipeline) }, completion)
    }

    /// How many documents a filter selects.
    public func count(filter: Document, limit: Int? = nil) async throws -> Int {
        try await AgentRequest.background { try doCount(filter, limit) }
    }

    public func count(
        filter: Document, limit: Int? = nil, _ completion: @escaping @Sendable (Result<Int, Error>) -> Void
    ) {
        AgentRequest.background({ try doCount(filter, limit) }, completion)
    }

    /// Deletes the first document that a filter selects. Returns how many that were.
    public func deleteOneDocument(filter: Document) async throws -> Int {
        try await AgentRequest.background { try doDelete("deleteOne", filter) }
    }

    public func deleteOneDocument(
        filter: Document, _ completion: @escaping @Sendable (Result<Int, Error>) -> Void
    ) {
        AgentRequest.background({ try doDelete("deleteOne", filter) }, completion)
    }

    /// Deletes the documents that a filter selects. Returns how many that were.
    public func deleteManyDocuments(filter: Document) async throws -> Int {
        try await AgentRequest.background { try doDelete("deleteMany", filter) }
    }

    public func deleteManyDocuments(
        filter: Document, _ completion: @escaping @Sendable (Result<Int, Error>) -> Void
    ) {
        AgentRequest.background({ try doDelete("deleteMany", filter) }, completion)
    }

    /// Changes the first document that a filter selects; with `upsert` makes one if there is none.
    public func updateOneDocument(filter: Document, update: Document, upsert: Bool = false) async throws -> UpdateResult
    {
        try await AgentRequest.background { try doUpdate("updateOne", filter, update, upsert) }
    }

    public func updateOneDocument(
        filter: Document, update: Document, upsert: Bool = false,
        _ completion: @escaping @Sendable (Result<UpdateResult, Error>) -> Void
    ) {
        AgentRequest.background({ try doUpdate("updateOne", filter, update, upsert) }, completion)
    }

    /// Changes the documents that a filter selects; with `upsert` makes one if there is none.
    public func updateManyDocuments(filter: Document, update: Document, upsert: Bool = false) async throws
        -> UpdateResult
    {
        try await AgentRequest.background { try doUpdate("updateMany", filter, update, upsert) }
    }

    public func updateManyDocuments(
        filter: Document, update: Document, upsert: Bool = false,
        _ completion: @escaping @Sendable (Result<UpdateResult, Error>) -> Void
    ) {
        AgentRequest.background({ try doUpdate("updateMany", filter, update, upsert) }, completion)
    }

    /// Changes the first document that a filter selects, and returns it; nil if there is none.
    public func findOneAndUpdate(
        filter: Document, update: Document, options: FindOneAndModifyOptions = FindOneAndModifyOptions()
    ) async throws -> Document? {
        try await AgentRequest.background { try doModify("findOneAndUpdate", filter, update, options) }
    }

    public func findOneAndUpdate(
        filter: Document, update: Document, options: FindOneAndModifyOptions = FindOneAndModifyOptions(),
        _ completion: @escaping @Sendable (Result<Document?, Error>) -> Void
    ) {
        AgentRequest.background({ try doModify("findOneAndUpdate", filter, update, options) }, completion)
    }

    /// Replaces the first document that a filter selects, and returns it; nil if there is none.
    public func findOneAndReplace(
        filter: Document, replacement: Document, options: FindOneAndModifyOptions = FindOneAndModifyOptions()
    ) async throws -> Document? {
        try await AgentRequest.background { try doModify("findOneAndReplace", filter, replacement, options) }
    }

    public func findOneAndReplace(
        filter: Document, replacement: Document, options: FindOneAndModifyOptions = FindOneAndModifyOptions(),
        _ completion: @escaping @Sendable (Result<Document?, Error>) -> Void
    ) {
        AgentRequest.background({ try doModify("findOneAndReplace", filter, replacement, options) }, completion)
    }

    /// Deletes the first document that a filter selects, and returns it; nil if there is none.
    public func findOneAndDelete(filter: Document, options: FindOneAndModifyOptions = FindOneAndModifyOptions())
        async throws -> Document?
    {
        try await AgentRequest.background { try doModify("findOneAndDelete", filter, nil, options) }
    }

    public func findOneAndDelete(
        filter: Document, options: FindOneAndModifyOptions = FindOneAndModifyOptions(),
        _ completion: @escaping @Sendable (Result<Document?, Error>) -> Void
    ) {
        AgentRequest.background({ try doModify("findOneAndDelete", filter, nil, options) }, completion)
    }
}

// MARK: - What is sent
extension MongoCollection {
    private func doInsertOne(_ document: Document) throws -> AnyBSON {
        let answer = try call("insertOne", ["document": .document(document)]).documentValue
        guard let id = answer?["insertedId"] ?? nil else { throw wrong("insertOne") }
        return id
    }

    private func doInsertMany(_ documents: [Document]) throws -> [AnyBSON] {
        let answer = try call("insertMany", ["documents": .array(documents.map { .document($0) })]).documentValue
        guard let ids = (answer?["insertedIds"] ?? nil)?.arrayValue else { throw wrong("insertMany") }
        return ids.map { $0 ?? .null }
    }

    private func doFind(_ filter: Document, _ options: FindOptions) throws -> [Document] {
        try documents(call("find", query(filter, options.arguments)), "find")
    }

    private func doFindOne(_ filter: Document, _ options: FindOptions) throws -> Document? {
        var arguments = query(filter, options.arguments)
        arguments["limit"] = nil
        return try document(call("findOne", arguments), "findOne")
    }

    private func doAggregate(_ pipeline: [Document]) throws -> [Document] {
        try documents(call("aggregate", ["pipeline": .array(pipeline.map { .document($0) })]), "aggregate")
    }

    private func doCount(_ filter: Document, _ limit: Int?) throws -> Int {
        var arguments: Document = ["query": .document(filter)]
        if let limit, limit > 0 { arguments["limit"] = AnyBSON(limit) }
        guard let count = try call("count", arguments).asInt() else { throw wrong("count") }
        return count
    }

    private func doDelete(_ function: String, _ filter: Document) throws -> Int {
        let answer = try call(function, ["query": .document(filter)]).documentValue
        guard let count = (answer?["deletedCount"] ?? nil)?.asInt() else { throw wrong(function) }
        return count
    }

    private func doUpdate(
        _ function: String, _ filter: Document, _ update: Document, _ upsert: Bool
    ) throws -> UpdateResult {
        var arguments: Document = ["query": .document(filter), "update": .document(update)]
        if upsert { arguments["upsert"] = true }
        let answer = try call(function, arguments).documentValue
        func count(_ name: String) -> Int? { (answer?[name] ?? nil)?.asInt() }
        guard let matched = count("matchedCount"), let modified = count("modifiedCount") else { throw wrong(function) }
        return UpdateResult(
            matchedCount: matched, modifiedCount: modified, documentId: answer?["upsertedId"] ?? nil)
    }

    private func doModify(
        _ function: String, _ filter: Document, _ update: Document?, _ options: FindOneAndModifyOptions
    ) throws -> Document? {
        var arguments = options.arguments
        arguments["filter"] = .document(filter)
        if let update { arguments["update"] = .document(update) }
        return try document(call(function, arguments), function)
    }

    private func query(_ filter: Document, _ options: Document) -> Document {
        var arguments = options
        arguments["query"] = .document(filter)
        // The server's name for it.
        arguments["project"] = options["projection"]
        arguments["projection"] = nil
        return arguments
    }

    private func document(_ answer: AnyBSON, _ function: String) throws -> Document? {
        if answer.isNull { return nil }
        guard let document = answer.documentValue else { throw wrong(function) }
        return document
    }

    private func documents(_ answer: AnyBSON, _ function: String) throws -> [Document] {
        guard let list = answer.arrayValue else { throw wrong(function) }
        return try list.map { item in
            guard let document = item?.documentValue else { throw wrong(function) }
            return document
        }
    }
}
