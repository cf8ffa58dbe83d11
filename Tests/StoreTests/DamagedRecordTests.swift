import CLMDB
import Foundation
import Model
import TestSupport
import Testing

@testable import Store

/// Records that no writer writes: whatever a file says, the store reports it and goes on.
@Suite struct DamagedRecordTests {
    /// A realm of a thousand dogs and a person who has them all.
    private func filled(_ realm: TestRealm) throws -> RealmFile {
        let file = try realm.open()
        try file.ensure(dogs)
        var instructions: [Instruction] = []
        for id in Int64(0)..<60 {
            instructions += [
                .create("Dog", id), .set("Dog", id, "name", .string("dog \(id)")), .set("Dog", id, "age", .int(id)),
                .set("Dog", id, "mother", .link(Link(className: "Dog", key: .int(id / 2))))
            ]
        }
        try file.write(instructions)
        let person = PrimaryKey.string("Ann")
        var list: [Instruction] = [.createObject(className: "Person", key: person)]
        for index in UInt32(0)..<40 {
            list.append(
                .arrayInsert(
                    InstructionPath("Person", person, "dogs", [.index(index)]),
                    .value(.link(Link(className: "Dog", key: .int(Int64(index))))), priorSize: index))
        }
        try file.write(list)
        return file
    }

    private func column(_ table: StoredTable, _ name: String) throws -> ColumnId {
        try #require(table.column(named: name)).id
    }

    /// Writes records past all checks.
    private func damage(_ file: RealmFile, _ body: (UnsafeRecordStore, StoredSchema) throws -> Void) throws {
        let transaction = try file.beginWrite()
        do {
            try transaction.flush()
            try body(transaction.store, transaction.schema)
            transaction.store.closeCursors()
            try transaction.commit(uid: nil)
        } catch {
            transaction.rollback()
            throw error
        }
    }

    /// Everything that a peer can ask for. What it answers doesn't matter, that it does is all.
    private func useAll(_ file: RealmFile) {
        if let snapshot = try? file.snapshot() {
            #expect(snapshot.checkInvariants() != [])
            for stored in snapshot.schema.tables {
                let table = snapshot.table(stored.id)
                _ = table.count
                for position in 0..<table.clusterCount {
                    let cluster = table.cluster(at: position)
                    for row in 0..<cluster.count {
                        let key = cluster.key(at: row)
                        _ = table.primaryKey(of: key)
                        _ = table.incomingLinks(to: key)
                        for column in stored.columns {
                            _ = table.value(key, column)
                            if column.property.collection == .list { _ = table.list(key, column).values }
                        }
                        for origin in snapshot.schema.tables {
                            for column in origin.columns { _ = table.backlinks(to: key, from: origin.id, column.id) }
                        }
                    }
                }
            }
            for version in 0..<snapshot.version { _ = snapshot.changes(after: version) }
        }
        _ = try? file.usedBytes()
        _ = try? file.verify()
        let mother = Value.link(Link(className: "Dog", key: .int(3)))
        _ = try? file.write([.create("Dog", 900), .set("Dog", 900, "mother", mother)])
        for id in Int64(0)..<60 {
            _ = try? file.write([.set("Dog", id, "name", .string("again")), .set("Dog", id, "age", .null)])
        }
        _ = try? file.write([.erase("Dog", 3)])
        let path = InstructionPath("Person", .string("Ann"), "dogs", [.index(0)])
        _ = try? file.write([.arrayErase(path, priorSize: 40)])
        _ = try? file.write([.eraseObject(className: "Person", key: .string("Ann"))])
        for id in Int64(0)..<60 { _ = try? file.write([.erase("Dog", id)]) }
        _ = try? file.write([.eraseColumn(className: "Dog", property: "mother")])
        _ = try? file.compact()
    }

    private func expectNoCrash(_ body: (UnsafeRecordStore, StoredSchema) throws -> Void) throws {
        let realm = TestRealm()
        let file = try filled(realm)
        try damage(file, body)
        useAll(file)
    }

    private func number(_ bytes: UnsafeRawBufferPointer?, _ offset: Int, _ value: UInt64) throws -> [UInt8] {
        var bytes = Array(try #require(bytes))
        bytes.withUnsafeMutableBytes { $0.storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt64.self) }
        return bytes
    }

    @Test(
        arguments: [0, 8, 24], [UInt64.max, UInt64(Int64.max), 1 << 63, 1 << 62]
    ) func counters(offset: Int, value: UInt64) throws {
        try expectNoCrash { store, schema in
            for table in schema.tables {
                let key = RecordKey.meta(table.id)
                try store.put(store.databases.meta, key, number(store.get(store.databases.meta, key), offset, value))
            }
        }
    }

    @Test func counterOfNoObjects() throws {
        try expectNoCrash { store, schema in
            for table in schema.tables {
                let key = RecordKey.meta(table.id)
                try store.put(store.databases.meta, key, number(store.get(store.databases.meta, key), 0, 0))
            }
        }
    }

    @Test(arguments: [UInt64.max, 1 << 62]) func versions(value: UInt64) throws {
        let realm = TestRealm()
        let file = try filled(realm)
        let transaction = try file.beginWrite()
        let store = transaction.store
        try store.put(store.databases.meta, .meta(MetaKey.version), number: value)
        #expect(throws: StoreError.self) {
            try Snapshot(transaction: store.transaction, of: transaction.environment, ownsTransaction: false)
        }
        transaction.rollback()
    }

    @Test(arguments: [UInt64.max, UInt64(Int64.max), 1 << 63]) func objectsOfKeys(value: UInt64) throws {
        try expectNoCrash { store, schema in
            let dog = try #require(schema.table(named: "Dog"))
            for id in Int64(0)..<60 {
                let key = PrimaryKeyCoding.encode(dog.id, .int(id)).key
                try store.put(store.databases.keys, key, number(store.get(store.databases.keys, key), 0, value))
            }
        }
    }

    @Test(arguments: [
        ChunkHeader(kind: .keys, width: 8, flags: .dense, count: 1_000),
        ChunkHeader(kind: .keys, width: 0, flags: [], count: 1_000),
        ChunkHeader(kind: .keys, width: 0, flags: .dense, count: .max),
        ChunkHeader(kind: .keys, width: 0, flags: .dense, count: 1_024),
        ChunkHeader(kind: .keys, width: 0, flags: .dense, count: 3)
    ])
    func keysOfClusters(header: ChunkHeader) throws {
        var bytes = [UInt8](repeating: 0, count: ChunkHeader.size)
        bytes.withUnsafeMutableBytes { if let start = $0.baseAddress { header.store(to: start) } }
        if header.width > 0 || header.flags == [] {
            #expect(bytes.withUnsafeBytes { ChunkHeader(checking: $0) } == nil)
        }
        try expectNoCrash { store, schema in
            for table in schema.tables {
                try store.put(store.databases.objects, .objects(table.id, base: 0, .objectKeys), bytes)
            }
        }
    }

    @Test(arguments: [[Int64](), [5, 4, 3], [1, 1, 1], [0, .max], [.min, 0, 5], [-1, 3]])
    func keysOutOfOrder(offsets: [Int64]) throws {
        let header = ChunkHeader(kind: .keys, width: 8, flags: [], count: UInt32(offsets.count))
        var bytes = [UInt8](repeating: 0, count: ChunkHeader.size + offsets.count * 8)
        bytes.withUnsafeMutableBytes { bytes in
            if let start = bytes.baseAddress { header.store(to: start) }
            for (row, offset) in offsets.enumerated() {
                bytes.storeBytes(of: offset, toByteOffset: ChunkHeader.size + row * 8, as: Int64.self)
            }
        }
        for base in [0, 2, Int64.max, Int64.min, -1] {
            try expectNoCrash { store, schema in
                let dog = try #require(schema.table(named: "Dog"))
                try store.put(store.databases.objects, .objects(dog.id, base: base, .objectKeys), bytes)
            }
        }
    }

    @Test(arguments: [Int64.min, Int64.max, -1, 1 << 40]) func links(value: Int64) throws {
        try expectNoCrash { store, schema in
            let dog = try #require(schema.table(named: "Dog"))
            let person = try #require(schema.table(named: "Person"))
            var chunk = ChunkBuilder(.link)
            for _ in 0..<60 { chunk.append(int: value) }
            let key = RecordKey.objects(dog.id, base: 0, try column(dog, "mother"))
            try store.put(store.databases.objects, key, chunk.encoded())
            try store.put(
                store.databases.lists, .lists(person.id, try column(person, "dogs"), ObjectKey(0), number: 0),
                ListRoot.encoded(inline: chunk))
        }
    }

    @Test(arguments: [0, 1, 59, 61, 2_000]) func rowsOfColumns(count: Int) throws {
        try expectNoCrash { store, schema in
            let dog = try #require(schema.table(named: "Dog"))
            var numbers = ChunkBuilder(.int)
            var texts = ChunkBuilder(.string)
            for row in 0..<count {
                numbers.append(int: Int64(row))
                texts.append(.string("text \(row)"))
            }
            let objects = store.databases.objects
            try store.put(objects, .objects(dog.id, base: 0, try column(dog, "age")), numbers.encoded())
            try store.put(objects, .objects(dog.id, base: 0, try column(dog, "name")), texts.encoded())
        }
    }

    @Test(arguments: [UInt16.max, 0, 1]) func endsOfTexts(value: UInt16) throws {
        try expectNoCrash { store, schema in
            let dog = try #require(schema.table(named: "Dog"))
            let key = RecordKey.objects(dog.id, base: 0, try column(dog, "name"))
            var bytes = Array(try #require(store.get(store.databases.objects, key)))
            for row in stride(from: 0, to: 60, by: 3) {
                bytes.withUnsafeMutableBytes {
                    $0.storeBytes(of: value, toByteOffset: ChunkHeader.size + row * 2, as: UInt16.self)
                }
            }
            try store.put(store.databases.objects, key, bytes)
        }
    }

    @Test(arguments: [[0, 1, 2], [.max, 5, 6], [0x8000_0000, 1], [7, .max]] as [[UInt32]])
    func directoriesOfLists(numbers: [UInt32]) throws {
        try expectNoCrash { store, schema in
            let person = try #require(schema.table(named: "Person"))
            let root = ListRoot(pieces: numbers.map { ListRoot.Piece(number: $0, count: .max) })
            try store.put(
                store.databases.lists, .lists(person.id, try column(person, "dogs"), ObjectKey(0), number: 0),
                root.encoded())
        }
    }

    @Test(arguments: [UInt32.max, 0x7FFF_FFFF, 0]) func countsOfLinks(count: UInt32) throws {
        try expectNoCrash { store, schema in
            let dog = try #require(schema.table(named: "Dog"))
            let person = try #require(schema.table(named: "Person"))
            for target in Int64(0)..<40 {
                let key = RecordKey.backlinks(
                    to: dog.id, ObjectKey(target), from: person.id, try column(person, "dogs"), ObjectKey(0))
                try withUnsafeBytes(of: count.littleEndian) { try store.put(store.databases.backlinks, key, $0) }
            }
        }
    }

    @Test func changesOfMoreObjectsThanThereAre() throws {
        // One table, one run of 2^31 keys that were deleted.
        let summary: [UInt8] = [0, 1, 0, 1, 1, 0, 1, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0x07, 0]
        #expect(throws: StoreError.self) { try summary.withUnsafeBytes { _ = try ChangeRecord.summary(of: $0) } }
        try expectNoCrash { store, schema in
            try store.put(store.databases.changes, .changes(3), summary)
        }
    }

    @Test func schemasThatCantBe() throws {
        let realm = TestRealm()
        let file = try filled(realm)
        let schema = try file.snapshot().schema
        let intact = schema.encoded()
        func decode(_ place: Int, _ value: [UInt8]) -> StoredSchema? {
            var bytes = intact
            bytes.replaceSubrange(place..<(place + value.count), with: value)
            return try? bytes.withUnsafeBytes { try StoredSchema(decoding: $0) }
        }
        #expect(decode(0, []) != nil)
        #expect(decode(0, [UInt8](repeating: 0xFF, count: 8)) == nil, "the stamp")
        for next: UInt8 in [0, 1, 2] { #expect(decode(16, [next, 0]) == nil, "the next table's number") }
        for id: UInt8 in [0, 2, 200] { #expect(decode(20, [id, 0]) == nil, "the first table's number") }
        #expect(decode(23, [200, 0]) == nil, "a primary key that isn't there")
        for next: [UInt8] in [[0, 0], [1, 0], [0xFF, 0xFF]] {
            #expect(decode(25, next) == nil, "the next property's number")
        }
    }
}
