import Foundation
import Model
import Wire

/// Loads a JSON array or JSON lines into a class.
enum ImportCommand: Command {
    static let name = "import"
    static let summary = "load objects from a JSON array or JSON lines"
    static let synopsis =
        "REALM CLASS FILE [--key PROPERTY] [--at NAME] [--batch N] [--key-file FILE] [--receipt|--json]"
    static let options: [Arguments.Option] = [
        KeyFile.option,
        .init(
            "key", "PROPERTY",
            "the primary key of a class that is made from the data; objects with the same key are one"),
        .init("at", "NAME", "the file is an object; the array is its member NAME"),
        .init("batch", "N", "objects in one transaction (1000); fewer if they have 4 MB"),
        ReceiptOutput.option,
        .init("json", nil, "print one JSON document")
    ]

    static func run(_ arguments: Arguments) throws -> Int32 {
        try arguments.expect("REALM", "CLASS", "FILE")
        let (path, className) = (arguments.positional[0], arguments.positional[1])
        let batch = try arguments.number("batch", minimum: 1) ?? 1000
        let objects = try JSONSource.objects(file: arguments.positional[2], at: arguments.value("at"))

        let client = try AgentClient(key: KeyFile.key(arguments))
        let existing = try existingSchema(client, path)
        let table: ClassSchema
        let realm: OpenRealm
        if let found = existing?.schema.classSchema(className) {
            if let key = arguments.value("key"), key != found.primaryKey {
                throw UsageError("\(className) exists with primary key \(found.primaryKey ?? "none"), not \(key)")
            }
            table = found
            realm = try client.open(path)
        } else {
            table = try SchemaInference.classSchema(className, from: objects, key: arguments.value("key"))
            realm = try client.open(
                path, adding: .classes(RealmSchema([table]), version: existing?.schemaVersion ?? 0))
        }

        // All of them before the first is stored: if one does not fit, none is.
        let documents = try Self.documents(objects, table, in: try realm.schema())
        let reply = try store(documents, in: realm, table, batch: batch)
        if arguments.has("json") {
            Output.json(["created": reply.created, "changed": reply.changed, "receipts": reply.receipts])
        } else if arguments.has("receipt") {
            try ReceiptOutput.show(reply.receipts)
        } else {
            Output.line("\(reply.created) created, \(reply.changed) changed in \(className)")
        }
        return 0
    }

    /// Throws what is wrong with the first object that doesn't fit, and which it is.
    private static func documents(
        _ objects: [[String: Any]], _ table: ClassSchema, in schema: RealmSchema
    ) throws -> [BSONDocument] {
        try objects.enumerated().map { index, object in
            do {
                return try ObjectText.object(object, table, in: schema)
            } catch let error as WireError {
                throw WireError(
                    error.code, "object \(index + 1): \(error.message); nothing was imported", facts: error.facts)
            }
        }
    }

    /// Stores the objects, one transaction for each batch.
    private static func store(
        _ documents: [BSONDocument], in realm: OpenRealm, _ table: ClassSchema, batch: Int
    ) throws -> (created: Int, changed: Int, receipts: [String]) {
        var progress = Progress("objects", total: documents.count)
        defer { progress.finish() }
        var (created, changed) = (0, 0)
        var receipts: [String] = []
        var start = 0
        while start < documents.count {
            let part = documents[start..<(try end(of: start, in: documents, batch: batch))]
            do {
                let reply = try realm.client.call(
                    ObjectPut(realm: realm.handle, className: table.name, objects: Array(part), uid: UniqueId()))
                created += Int(reply.created)
                changed += part.count - Int(reply.created)
                if let receipt = realm.receipt(reply.own) { receipts.append(receipt) }
            } catch let error as WireError {
                throw failure(error, part)
            }
            start = part.endIndex
            progress.update(start)
        }
        return (created, changed, receipts)
    }

    /// Bytes of objects in one transaction. One object beyond them still goes.
    private static let batchBytes = 4 << 20

    private static func end(of start: Int, in documents: [BSONDocument], batch: Int) throws -> Int {
        var end = start
        var bytes = 0
        while end < documents.count, end - start < batch {
            bytes += try documents[end].encoded().count
            guard bytes <= batchBytes || end == start else { break }
            end += 1
        }
        return end
    }

    /// The error that says how much is in.
    private static func failure(_ error: WireError, _ part: ArraySlice<BSONDocument>) -> WireError {
        let stored = part.startIndex
        let range = part.count == 1 ? "object \(stored + 1)" : "objects \(stored + 1) to \(part.endIndex)"
        // Who loses the agent over a commit can't know what became of it.
        let isOpen = [.connectionLost, .timedOut, .outcomeUnknown].contains(error.code)
        let fate = isOpen ? ", of these nobody knows" : ""
        var facts = error.facts
        facts["imported"] = .int64(Int64(stored))
        return WireError(
            error.code, "\(range): \(error.message)\(fate); the \(stored) before were imported", facts: facts)
    }

    /// The schema of the realm; nil if there is no file yet.
    private static func existingSchema(_ client: AgentClient, _ path: String) throws -> RealmSchemaReply? {
        do {
            return try client.call(RealmSchemaRequest(target: client.target(path)))
        } catch let error as WireError where error.code == .fileNotFound {
            return nil
        } catch let error as WireError where error.code == .notARealm {
            // An empty file is in the way of nothing.
            var status = stat()
            guard stat(path, &status) == 0, status.st_size == 0, status.st_mode & S_IFMT == S_IFREG else { throw error }
            return nil
        }
    }
}
