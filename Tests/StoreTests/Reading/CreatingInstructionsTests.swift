import Model
import TestSupport
import Testing

@testable import Store

/// The instructions that make a realm's objects anew, which is how a sync server sends them (M-110).
@Suite struct CreatingInstructionsTests {
    private static func file(_ directory: TemporaryDirectory, _ name: String, keeps: Bool = false) throws -> RealmFile {
        var options = RealmFileOptions()
        options.keepsAsymmetricObjects = keeps
        return try RealmFile(path: directory.path + "/\(name).realm", options: options)
    }

    private static func apply(_ instructions: [Instruction], to file: RealmFile) throws {
        let transaction = try file.beginWrite()
        let bytes = try Changeset.encode(instructions)
        try bytes.withUnsafeBytes { try transaction.apply($0) }
        try file.makeDurable(through: try transaction.commit(uid: nil))
    }

    private static func column(
        _ className: String, _ name: String, _ type: ValueType, nullable: Bool = false,
        _ collection: CollectionKind = .single, target: String? = nil
    ) -> Instruction {
        .addColumn(
            className: className, property: name,
            ColumnDeclaration(
                type: type.rawValue, isNullable: nullable, collection: collection, target: target,
                keyType: collection == .dictionary ? ValueType.string.rawValue : nil))
    }

    private func expectRemade(_ source: RealmFile, _ directory: TemporaryDirectory, _ comment: Comment) throws {
        let snapshot = try source.snapshot()
        var instructions = snapshot.schemaInstructions()
        for stored in snapshot.schema.tables where stored.kind != .embedded {
            let table = snapshot.table(stored.id)
            let keys = (0..<table.count).map { table.key(at: $0) }
            instructions += snapshot.instructions(creating: keys, of: table)
        }
        let copy = try Self.file(directory, "copy \(comment)", keeps: true)
        try Self.apply(instructions, to: copy)
        #expect(try copy.snapshot().stateDigest() == snapshot.stateDigest(), comment)
    }

    @Test func `random objects, links to what isn't there included`() throws {
        let directory = TemporaryDirectory()
        for seed in 0..<UInt64(5) {
            let file = try Self.file(directory, "seed \(seed)")
            var app = RandomApp(seed: randomSeed &+ seed)
            for _ in 0..<60 { try Self.apply(try app.transaction(file.snapshot()), to: file) }
            try expectRemade(file, directory, "seed \(seed)")
        }
    }

    @Test func `embedded objects in all places, with collections and mixed values in them`() throws {
        let directory = TemporaryDirectory()
        let file = try Self.file(directory, "embedded")
        func path(_ property: String, _ rest: PathElement...) -> InstructionPath {
            InstructionPath("Home", .string("a"), property, rest)
        }
        try Self.apply(
            [
                .addTable(
                    className: "Home", kind: .topLevel, key: KeyColumn(name: "_id", type: .string, isNullable: true)),
                .addTable(className: "Room", kind: .embedded, key: nil),
                Self.column("Room", "size", .double), Self.column("Room", "tags", .string, .list),
                Self.column("Room", "any", .mixed, nullable: true),
                Self.column("Home", "kitchen", .link, nullable: true, target: "Room"),
                Self.column("Home", "rooms", .link, .list, target: "Room"),
                Self.column("Home", "named", .link, nullable: true, .dictionary, target: "Room"),
                .createObject(className: "Home", key: .string("a")),
                .createObject(className: "Home", key: .null),
                .update(path("kitchen"), .embeddedObject, isDefault: false),
                .update(path("kitchen", .name("size")), .value(.double(3)), isDefault: false),
                .update(path("kitchen", .name("any")), .list, isDefault: false),
                .arrayInsert(path("kitchen", .name("any"), .index(0)), .dictionary, priorSize: 0),
                .update(
                    path("kitchen", .name("any"), .index(0), .name("k")), .value(.int(4)), isDefault: false),
                .arrayInsert(path("rooms", .index(0)), .embeddedObject, priorSize: 0),
                .arrayInsert(path("rooms", .index(0), .name("tags"), .index(0)), .value(.string("x")), priorSize: 0),
                .update(path("named", .name("b")), .embeddedObject, isDefault: false),
                .update(path("named", .name("c")), .value(.null), isDefault: false)
            ], to: file)
        try expectRemade(file, directory, "embedded")
    }

    @Test func `only the properties that are asked for`() throws {
        let directory = TemporaryDirectory()
        let file = try Self.file(directory, "some")
        try Self.apply(RandomApp.schema + [.createObject(className: "Dog", key: .int(1))], to: file)
        let snapshot = try file.snapshot()
        let table = try #require(snapshot.table(named: "Dog"))
        let made = snapshot.instructions(creating: [table.key(at: 0)], of: table) { $0 == "age" }
        #expect(
            made == [
                .createObject(className: "Dog", key: .int(1)),
                .update(InstructionPath("Dog", .int(1), "age"), .value(.int(0)), isDefault: false)
            ])
    }

    private static let measurement: [Instruction] = [
        .addTable(
            className: "Measurement", kind: .asymmetric, key: KeyColumn(name: "_id", type: .int, isNullable: false)),
        .addTable(className: "Place", kind: .embedded, key: nil),
        column("Place", "name", .string), column("Measurement", "value", .double),
        column("Measurement", "place", .link, nullable: true, target: "Place"),
        .createObject(className: "Measurement", key: .int(1)),
        .update(InstructionPath("Measurement", .int(1), "value"), .value(.double(2)), isDefault: false),
        .update(InstructionPath("Measurement", .int(1), "place"), .embeddedObject, isDefault: false)
    ]

    @Test func `asymmetric objects go with their transaction, and come back with no replay (F-65)`() throws {
        let directory = TemporaryDirectory()
        var file: RealmFile! = try Self.file(directory, "client")
        try Self.apply(Self.measurement, to: file)
        func expectNone(_ file: RealmFile) throws {
            for name in ["Measurement", "Place"] { #expect(try file.snapshot().table(named: name)?.count == 0) }
            #expect(try file.snapshot().checkInvariants() == [])
        }
        try expectNone(file)
        // The same key again, in another transaction (F-66).
        try Self.apply([.createObject(className: "Measurement", key: .int(1))], to: file)
        try expectNone(file)
        try file.close()
        file = nil
        try expectNone(try Self.file(directory, "client"))
    }

    @Test func `a server keeps asymmetric objects (F-67)`() throws {
        let directory = TemporaryDirectory()
        let file = try Self.file(directory, "server", keeps: true)
        try Self.apply(Self.measurement, to: file)
        #expect(try file.snapshot().table(named: "Measurement")?.count == 1)
        #expect(try file.snapshot().checkInvariants() == [])
        try expectRemade(file, directory, "server")
    }
}
