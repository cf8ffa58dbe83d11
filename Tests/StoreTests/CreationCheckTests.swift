import Model
import TestSupport
import Testing

@testable import Store

/// Which objects may be created: those that the owner of the file lets be, and those that only go up once.
@Suite struct CreationCheckTests {
    private struct Refused: Error {}

    private static let classes = RealmSchema([
        ClassSchema("Dog", primaryKey: "_id", [PropertySchema("_id", .int), PropertySchema("name", .string)]),
        ClassSchema("Cat", primaryKey: "_id", [PropertySchema("_id", .int)]),
        ClassSchema("Log", kind: .asymmetric, primaryKey: "_id", [PropertySchema("_id", .int)])
    ])

    private func prepared(_ directory: TemporaryDirectory) throws -> RealmFile {
        let file = try RealmFile(path: directory.path + "/a.realm")
        let transaction = try file.beginWrite()
        _ = try transaction.ensureSchema(Self.classes, schemaVersion: 0, mode: .additive)
        try file.makeDurable(through: try transaction.commit(uid: nil))
        return file
    }

    private func apply(_ instructions: [Instruction], _ transaction: WriteTransaction) throws {
        let bytes = try Changeset.encode(instructions)
        try bytes.withUnsafeBytes { try transaction.apply($0) }
    }

    private func create(_ className: String, _ key: Int64) -> Instruction {
        .createObject(className: className, key: .int(key))
    }

    @Test func `the check is asked once for each class and stream, and what it throws is thrown (F-28)`() throws {
        let directory = TemporaryDirectory()
        let file = try prepared(directory)
        var asked: [String] = []
        let transaction = try file.beginWrite()
        transaction.checkCreation = { table in
            asked.append(table.name)
            if table.name == "Cat" { throw Refused() }
        }
        try apply([create("Dog", 1), create("Dog", 2), create("Log", 1), create("Dog", 3)], transaction)
        #expect(asked == ["Dog", "Log"])
        try transaction.seal(uid: nil)
        try apply([create("Dog", 4)], transaction)
        #expect(asked == ["Dog", "Log", "Dog"])
        try transaction.seal(uid: nil)
        #expect(throws: Refused.self) { try apply([create("Cat", 1)], transaction) }
        transaction.rollback()
        #expect(try file.snapshot().table(named: "Dog")?.count == 0)
    }

    @Test func `an object that exists isn't created, one that comes back is (F-28)`() throws {
        let directory = TemporaryDirectory()
        let file = try prepared(directory)
        let first = try file.beginWrite()
        try apply([create("Dog", 1)], first)
        try first.commit(uid: nil)
        let second = try file.beginWrite()
        second.checkCreation = { _ in throw Refused() }
        let path = InstructionPath("Dog", .int(1), "name")
        try apply(
            [
                create("Dog", 1), .update(path, .value(.string("Rex")), isDefault: false),
                .eraseObject(className: "Dog", key: .int(1))
            ], second)
        try second.seal(uid: nil)
        #expect(throws: Refused.self) { try apply([create("Dog", 1)], second) }
        second.rollback()
    }

    @Test func `an object that only goes up is created once in a transaction, and leaves no row (F-65, F-66)`() throws {
        let directory = TemporaryDirectory()
        let file = try prepared(directory)
        let first = try file.beginWrite()
        let error = #expect(throws: StoreError.self) {
            try apply([create("Log", 1), create("Log", 2), create("Log", 1)], first)
        }
        #expect(error?.code == .objectExists)
        first.rollback()
        for _ in 0..<2 {
            let transaction = try file.beginWrite()
            try apply([create("Log", 1)], transaction)
            try transaction.commit(uid: nil)
            #expect(try file.snapshot().table(named: "Log")?.count == 0)
        }
        #expect(try file.snapshot().checkInvariants() == [])
    }

    @Test func `a file whose classes aren't only added to takes none that only go up (F-64)`() throws {
        let directory = TemporaryDirectory()
        let file = try RealmFile(path: directory.path + "/a.realm")
        let transaction = try file.beginWrite()
        let error = #expect(throws: StoreError.self) {
            try transaction.ensureSchema(Self.classes, schemaVersion: 0)
        }
        #expect(error?.message.contains("'Log'") == true)
        transaction.rollback()
    }
}
