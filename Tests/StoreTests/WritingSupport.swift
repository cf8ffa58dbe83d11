import Foundation
import Model
import TestSupport

@testable import Store

/// A realm file in a directory of its own.
final class TestRealm: Sendable {
    let directory: TemporaryDirectory
    var path: String { directory.path + "/default.realm" }

    init() {
        directory = TemporaryDirectory()
    }

    func open(_ change: (inout RealmFileOptions) -> Void = { _ in }) throws -> RealmFile {
        var options = RealmFileOptions()
        change(&options)
        return try RealmFile(path: path, options: options)
    }
}

extension RealmFile {
    /// Applies one transaction of instructions.
    @discardableResult
    func write(_ instructions: [Instruction], uid: TransactionUID? = nil) throws -> UInt64 {
        let bytes = try Changeset.encode(instructions)
        let transaction = try beginWrite()
        do {
            try bytes.withUnsafeBytes { try transaction.apply($0) }
            return try transaction.commit(uid: uid)
        } catch {
            transaction.rollback()
            throw error
        }
    }

    /// Brings the file's schema to what an app declares.
    @discardableResult
    func ensure(_ schema: RealmSchema, version: UInt64 = 0, _ mode: SchemaMode = .automatic) throws -> SchemaOutcome {
        let transaction = try beginWrite()
        do {
            let outcome = try transaction.ensureSchema(schema, schemaVersion: version, mode: mode)
            if outcome.isChanged { try transaction.commit(uid: nil) } else { transaction.rollback() }
            return outcome
        } catch {
            transaction.rollback()
            throw error
        }
    }
}

extension Instruction {
    static func create(_ name: String, _ key: Int64) -> Instruction { .createObject(className: name, key: .int(key)) }
    static func erase(_ name: String, _ key: Int64) -> Instruction { .eraseObject(className: name, key: .int(key)) }

    static func set(_ name: String, _ key: Int64, _ property: String, _ value: Value) -> Instruction {
        .update(InstructionPath(name, .int(key), property), .value(value), isDefault: false)
    }

    static func insert(
        _ name: String, _ key: Int64, _ property: String, _ index: UInt32, _ value: Value, prior: UInt32
    ) -> Instruction {
        .arrayInsert(InstructionPath(name, .int(key), property, [.index(index)]), .value(value), priorSize: prior)
    }
}

/// Dogs with every type, and people who own some.
let dogs = RealmSchema([
    ClassSchema(
        "Dog", primaryKey: "id",
        [
            PropertySchema("id", .int),
            PropertySchema("name", .string, indexed: true),
            PropertySchema("nick", .string, nullable: true),
            PropertySchema("age", .int, nullable: true, indexed: true),
            PropertySchema("good", .bool),
            PropertySchema("weight", .double),
            PropertySchema("height", .float),
            PropertySchema("born", .timestamp, nullable: true),
            PropertySchema("tag", .objectId),
            PropertySchema("chip", .uuid),
            PropertySchema("price", .decimal),
            PropertySchema("photo", .binary, nullable: true),
            PropertySchema("mother", .link, nullable: true, target: "Dog"),
            PropertySchema("scores", .int, collection: .list),
            PropertySchema("names", .string, collection: .list)
        ]),
    ClassSchema(
        "Person", primaryKey: "name",
        [
            PropertySchema("name", .string),
            PropertySchema("dogs", .link, collection: .list, target: "Dog")
        ])
])
