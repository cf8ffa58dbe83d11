import CLMDB
import Foundation
import Model
import TestSupport
import Testing

@testable import Store

/// Records of the `sync` database, which are part of transactions without being part of the data.
@Suite struct SyncRecordTests {
    private let realm = TestRealm()

    private func records(_ file: RealmFile) throws -> [String: String] {
        var records: [String: String] = [:]
        let snapshot = try file.snapshot()
        try snapshot.eachSyncRecord(from: [], to: [0xFF]) { key, value in
            records[String(decoding: key, as: UTF8.self)] = String(decoding: value, as: UTF8.self)
            return true
        }
        return records
    }

    private func change(_ file: RealmFile, _ body: (WriteTransaction) throws -> Void) throws {
        let transaction = try file.beginWrite()
        do {
            try body(transaction)
            try transaction.commit(uid: nil)
        } catch {
            transaction.rollback()
            throw error
        }
    }

    private func apply(_ transaction: WriteTransaction, _ instructions: [Instruction]) throws -> [UInt8] {
        let bytes = try Changeset.encode(instructions)
        try bytes.withUnsafeBytes { try transaction.apply($0) }
        return bytes
    }

    @Test func theyComeGoAndAreUndone() throws {
        let file = try realm.open()
        try change(file) { transaction in
            for key in ["a", "b1", "b2", "c"] { try transaction.putSync([UInt8](key.utf8), [UInt8]("1".utf8)) }
        }
        try change(file) { transaction in
            try transaction.putSync([UInt8]("a".utf8), [UInt8]("2".utf8))
            #expect(try transaction.syncRecord([UInt8]("a".utf8)) == [UInt8]("2".utf8))
            #expect(try transaction.syncRecord([UInt8]("b".utf8)) == nil)
            try transaction.removeSync([UInt8]("c".utf8))
            try transaction.removeSync([UInt8]("absent".utf8))
            try transaction.removeSync(from: [UInt8]("b".utf8), to: [UInt8]("b2".utf8))
        }
        #expect(try records(file) == ["a": "2", "b2": "1"])
        let undone = try file.beginWrite()
        try undone.removeSync(from: [0], to: [0xFF])
        undone.rollback()
        #expect(try records(file) == ["a": "2", "b2": "1"])
        let last = try file.snapshot().lastSyncRecord(from: [UInt8]("a".utf8), below: [UInt8]("b".utf8))
        #expect(last.map { Array($0.key) } == [UInt8]("a".utf8))
        #expect(try file.snapshot().lastSyncRecord(from: [UInt8]("a".utf8), below: [UInt8]("a".utf8)) == nil)
        #expect(try file.snapshot().checkInvariants() == [])
    }

    @Test func aRecordCanHoldTheChangesetOfItsTransaction() throws {
        let file = try realm.open()
        try file.ensure(dogs)
        var expected: [String] = []
        for part in 0..<2 {
            let transaction = try file.beginWrite()
            transaction.keepsChangeset = true
            var changeset = try apply(transaction, [.create("Dog", Int64(part))])
            // Later calls go on with the strings of earlier ones, so that all is one changeset.
            changeset += try apply(transaction, [])
            try transaction.putSyncChangeset([UInt8(part)], head: [7])
            try transaction.commit(uid: nil)
            expected.append(String(decoding: [7] + changeset, as: UTF8.self))
        }
        #expect(try records(file).sorted { $0.key < $1.key }.map(\.value) == expected)
    }

    @Test(arguments: [1, 400_000])
    func theySurviveAPowerFailure(size: Int) throws {
        let target = TestRealm()
        do {
            let file = try realm.open { $0.bootId = "one" }
            try file.ensure(dogs)
            try file.checkpoint()
            var disk = Disk(realm.path)
            disk.noteSynced(file)
            try change(file) { transaction in
                transaction.keepsChangeset = true
                _ = try apply(
                    transaction, [.create("Dog", 1), .set("Dog", 1, "photo", .binary(Data(count: size)))])
                try transaction.putSync([1], [UInt8](repeating: 65, count: size))
                try transaction.putSyncChangeset([2], head: [66])
                try transaction.putSync([3], [67])
                try transaction.removeSync([3])
            }
            try file.makeDurable(through: file.version)
            disk.noteSynced(file)
            var generator = SeededGenerator(seed: 3)
            disk.fail(into: target.path, &generator)
            try file.close()
        }
        let file = try target.open { $0.bootId = "two" }
        let found = try records(file)
        #expect(found.keys.sorted() == ["\u{1}", "\u{2}"])
        #expect(found["\u{1}"]?.utf8.count == size)
        #expect(try file.snapshot().table(named: "Dog")?.count == 1)
        let entry = try #require(file.snapshot().syncRecord([2]))
        let instructions = try Changeset.decode(Array(entry.dropFirst()))
        #expect(instructions.count == 2 && instructions.first == .create("Dog", 1))
    }

    @Test func compactionAndCopiesKeepThem() throws {
        let file = try realm.open()
        try change(file) { try $0.putSync([65], [66]) }
        try file.compact()
        #expect(try records(file) == ["A": "B"])
        let copy = TestRealm()
        try RealmFile.writeCopy(of: try file.snapshot(), to: copy.path)
        #expect(try records(copy.open()) == ["A": "B"])
    }

    @Test func aFileOfAnOlderFormatTakesNone() throws {
        let stamp = FileStamp(format: 1, identity: UUID(), generation: 1)
        try RecordCopy.write(for: realm.path, stamp: stamp, isDurable: true) { store in
            try store.put(store.databases.meta, .meta(MetaKey.format), [1, 0, 0, 0])
            try store.put(store.databases.meta, .meta(MetaKey.version), number: 1)
            try store.put(store.databases.meta, .meta(MetaKey.schema), StoredSchema.empty.encoded())
            mdb_drop(store.transaction, try #require(store.databases.sync), 1)
        }.place()
        let file = try realm.open()
        #expect(throws: StoreError.self) { try change(file) { try $0.putSync([65], [66]) } }
        #expect(try records(file) == [:])
        try file.compact()
        try change(file) { try $0.putSync([65], [66]) }
        #expect(try records(file) == ["A": "B"])
    }

    @Test func whatIsNoOperationIsRefused() {
        var writer = ByteWriter()
        let operations: [SyncOperation] = [
            .put(key: [1], value: []), .putChangeset(key: [2], head: [3]), .remove(key: [4]),
            .removeRange(from: [], to: [5])
        ]
        for operation in operations { operation.encode(to: &writer) }
        #expect(writer.bytes.withUnsafeBytes(SyncOperation.decode) == operations)
        var whole = 0
        for cut in writer.bytes.indices where writer.bytes[..<cut].withUnsafeBytes(SyncOperation.decode) != nil {
            whole += 1
        }
        #expect(whole == operations.count)
        #expect([UInt8]([9, 0, 0]).withUnsafeBytes(SyncOperation.decode) == nil)
    }
}
