import Model
import Store
import Sync
import TestSupport
import Testing

@testable import History

/// Asymmetric classes: objects that only go up (F-64 to F-69).
@Suite struct IngestTests {
    private static let schema: [Instruction] =
        FlexibleSyncTests.schema + [
            .addTable(
                className: "Reading", kind: .asymmetric, key: KeyColumn(name: "_id", type: .int, isNullable: false)),
            .addTable(className: "Spot", kind: .embedded, key: nil),
            column("Reading", "value", .double), column("Spot", "name", .string),
            .addColumn(
                className: "Reading", property: "spot",
                ColumnDeclaration(
                    type: ValueType.link.rawValue, isNullable: true, collection: .single, target: "Spot", keyType: nil))
        ]

    private static func column(_ className: String, _ name: String, _ type: ValueType) -> Instruction {
        .addColumn(
            className: className, property: name,
            ColumnDeclaration(type: type.rawValue, isNullable: false, collection: .single, target: nil, keyType: nil))
    }

    private static func reading(_ key: Int64, _ value: Double) -> [Instruction] {
        let path = InstructionPath("Reading", .int(key), "spot")
        return [
            .createObject(className: "Reading", key: .int(key)),
            .update(InstructionPath("Reading", .int(key), "value"), .value(.double(value)), isDefault: false),
            .update(path, .embeddedObject, isDefault: false),
            .update(
                InstructionPath("Reading", .int(key), "spot", [.name("name")]), .value(.string("here")),
                isDefault: false)
        ]
    }

    private func values(_ yard: FlexibleYard) throws -> [Int64: Value] {
        let snapshot = try yard.realm.base.snapshot()
        guard let table = snapshot.table(named: "Reading"), let column = table.stored.column(named: "value") else {
            return [:]
        }
        var found: [Int64: Value] = [:]
        for index in 0..<table.count {
            let object = table.key(at: index)
            if case .int(let key)? = table.primaryKey(of: object) { found[key] = table.value(object, column) }
        }
        return found
    }

    /// Nothing of them is in the file, nor waits to be sent.
    private func expectEmpty(_ device: FlexibleDevice) throws {
        #expect(try device.numbers("Reading") == [])
        #expect(try device.history.answer(.nextUploadable(after: 0)) == .uploadable(nil))
        #expect(try device.file.snapshot().checkInvariants() == [])
        #expect(
            !device.downloads.flatMap(\.entries).contains { entry in
                (try? Changeset.decode(entry.changeset).contains { $0.object?.className == "Reading" }) ?? true
            })
    }

    @Test func `they reach the server, and nobody else; once acknowledged they are gone`() throws {
        let yard = try FlexibleYard()
        let devices = try [yard.device("a"), yard.device("b")]
        try devices[0].write(Self.schema)
        #expect(try yard.settle())
        for key in 0..<20 { try devices[key % 2].write(Self.reading(Int64(key), Double(key))) }
        #expect(try devices[0].history.answer(.nextUploadable(after: 0)) != .uploadable(nil))
        #expect(try devices[0].numbers("Reading") == [])
        #expect(try yard.settle())
        #expect(try values(yard).count == 20)
        #expect(try values(yard)[7] == .double(7))
        for device in devices { try expectEmpty(device) }
        // The same keys again, in one upload and in several: the first one stays (F-67).
        try devices[1].write(Self.reading(3, 99))
        try devices[1].write(Self.reading(50, 1))
        try devices[1].write(Self.reading(50, 2))
        #expect(try yard.settle())
        #expect(try values(yard)[3] == .double(3))
        #expect(try values(yard)[50] == .double(1))
        #expect(try values(yard).count == 21)
        #expect(devices.flatMap(\.reports) == [])
        #expect(devices.flatMap(\.serverFaults) == [])
        #expect(try yard.realm.base.snapshot().checkInvariants() == [])
    }

    @Test func `with other objects in one transaction, each goes its way (F-71)`() throws {
        let yard = try FlexibleYard()
        let devices = try [yard.device("a"), yard.device("b")]
        try devices[0].write(Self.schema)
        for device in devices { try device.subscribe { $0.insert(className: "Item", query: "TRUEPREDICATE") } }
        #expect(try yard.settle())
        try devices[0].write(FlexibleSyncTests.make(1, owner: "a") + Self.reading(1, 1))
        #expect(try yard.settle())
        #expect(try devices[1].numbers("Item") == [1])
        #expect(try values(yard) == [1: .double(1)])
        for device in devices { try expectEmpty(device) }
    }

    @Test func `what may not be inserted is passed over and told, with the rest acknowledged (F-68)`() throws {
        let role =
            #"{"default_roles": [{"name": "r", "read": true, "write": true, "document_filters": "#
            + #"{"read": true, "write": {"value": {"$lt": 5}}}}]}"#
        let yard = try FlexibleYard(FlexibleConfiguration(json: Array(role.utf8)))
        let device = try yard.device("a")
        try device.write(Self.schema)
        #expect(try yard.settle())
        for key in 0..<8 { try device.write(Self.reading(Int64(key), Double(key))) }
        #expect(try yard.settle())
        #expect(try values(yard).keys.sorted() == [0, 1, 2, 3, 4])
        try expectEmpty(device)
        #expect(device.reports.allSatisfy { $0.status == .writeNotAllowed && !$0.isFatal })
        #expect(device.reports.flatMap(\.rejectedUpdates).compactMap(\.key) == [.int(5), .int(6), .int(7)])
        try device.write(Self.reading(9, 1))
        let count = device.reports.count
        #expect(try yard.settle())
        #expect(try values(yard)[9] == .double(1))
        #expect(device.reports.count == count)
    }

    @Test func `a query on them is refused (F-10)`() throws {
        let yard = try FlexibleYard()
        let device = try yard.device("a")
        try device.write(Self.schema)
        let set = try device.subscribe { $0.insert(className: "Reading", query: "TRUEPREDICATE") }
        #expect(try yard.settle())
        #expect(device.subscriptions.state(of: set.version) == .error)
        #expect(device.subscriptions[set.version]?.error?.contains("\"Reading\"") == true)
    }
}
