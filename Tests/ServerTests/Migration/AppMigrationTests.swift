import EventLoop
import Foundation
import History
import Model
import Store
import Sync
import TestSupport
import Testing

@testable import Server

/// An app whose owner migrates it.
@LoopActor
private final class MigrationYard {
    let yard: SyncYard
    private var waiter: Int64 = 100

    init() throws { yard = try SyncYard.quick() }

    func migrate(to type: String, _ key: String? = "realm_id:string") throws -> JSONValue {
        var arguments: JSONValue = ["name": "shop", "to": .string(type)]
        if let key { arguments = ["name": "shop", "to": .string(type), "partitionKey": .string(key)] }
        return try yard.administer("app.migrate", arguments)
    }

    /// What the command refuses with.
    func refusal(of body: () throws -> JSONValue) throws -> String {
        do {
            let answer = try body()
            Issue.record("not refused: \(answer.text)")
            return ""
        } catch let failure as ServerAdministration.Failure {
            return failure.description
        }
    }

    func partition(_ name: String, _ dogs: [Instruction]) throws -> SyncDevice {
        let device = try yard.device(.string(name))
        try device.write(Dogs.schema + dogs)
        try upload(device)
        return device
    }

    /// Waits until all that was written on a device is on the server.
    func upload(_ device: SyncDevice) throws {
        waiter += 1
        let number = waiter
        device.awaitUpload(number)
        #expect(yard.advance { device.completed.contains(number) })
    }

    /// A client that binds without partition, with these subscriptions.
    func subscriber(
        _ query: String, migrated partition: PartitionValue? = nil
    ) throws -> (probe: SyncProbe, file: FileIdent) {
        let probe = try SyncProbe.connect(to: yard, .flexible)
        probe.bind(1, FlexibleBind(migratedPartition: partition?.text).text)
        yard.settle()
        let file = try #require(probe.ident())
        probe.identify(as: file, query: ClientMessage.Query(version: 0, text: "{}"))
        probe.send(.query(session: 1, ClientMessage.Query(version: 1, text: query)))
        yard.settle()
        return (probe, file)
    }

    func created(_ instructions: [Instruction]) -> [PrimaryKey] {
        instructions.compactMap { if case .createObject("Dog", let key) = $0 { key } else { nil } }
    }

    func upload(
        _ probe: SyncProbe, _ instructions: [Instruction], client: Int64 = 5, server: Int64 = 3
    ) throws {
        let cursor = UploadCursor(client: client, server: server)
        let entry = UploadEntry(cursor: cursor, timestamp: 1_000, changeset: try Changeset.encode(instructions))
        probe.send(
            .upload(ClientMessage.Upload(session: 1, progress: cursor, lockedServerVersion: server, entries: [entry])))
        yard.settle()
    }
}

/// An app goes from partitions to flexible sync and back, by its owner's command.
@Suite("App migration")
struct AppMigrationTests {
    @Test func `F-93: all partitions are in the one realm, each object with its own in the partition key`() throws {
        try onServerLoop {
            let shop = try MigrationYard()
            let first = try shop.partition("a", Dogs.put(1, name: "Ada") + Dogs.put(2))
            _ = try shop.partition("b \"quoted\" ü", Dogs.put(3))
            let answer = try shop.migrate(to: "flexible")
            #expect(answer["objects"]?.integer == 3)
            #expect(answer["partitions"]?.integer == 2)
            // A client that goes on as before is told what its partition is now.
            #expect(shop.yard.advance { first.reports.contains { $0.code == .migrateToFlexible } })
            let old = try SyncProbe.connect(to: shop.yard)
            old.bind(1, PartitionValue.string("b \"quoted\" ü").text)
            shop.yard.settle()
            let failure = try #require(old.failure())
            #expect(failure.code == .migrateToFlexible)
            #expect(failure.body.action == .migrateToFlexible)
            let query = try #require(failure.body.partitionQuery)
            #expect(query.hasPrefix("realm_id == "))
            let subscriber = try shop.subscriber(QueryText.encode(["Dog": "(\(query))"])).probe
            #expect(shop.created(try subscriber.instructions()) == [.int(3)])
            let all = try shop.subscriber(#"{"Dog":"(TRUEPREDICATE)"}"#).probe
            #expect(shop.created(try all.instructions()).count == 3)
            #expect(
                try all.instructions().contains(
                    .update(InstructionPath("Dog", .int(1), "realm_id"), .value(.string("a")), isDefault: false)))
            #expect(subscriber.errors == [])
        }
    }

    @Test func `F-98: what a migrated client makes is in its partition, whatever it says itself`() throws {
        try onServerLoop {
            let shop = try MigrationYard()
            _ = try shop.partition("a", Dogs.put(1))
            _ = try shop.migrate(to: "flexible")
            let query = #"{"Dog":"(realm_id == \"a\")"}"#
            let (probe, _) = try shop.subscriber(query, migrated: .string("a"))
            let other = try shop.subscriber(query).probe
            let path = InstructionPath("Dog", .int(8), "realm_id")
            try shop.upload(
                probe, Dogs.put(7) + Dogs.put(8) + [.update(path, .value(.string("z")), isDefault: false)])
            // A class that nobody knew, without the property.
            let key = KeyColumn(name: "_id", type: .int, isNullable: false)
            try shop.upload(
                probe,
                [.addTable(className: "Cat", kind: .topLevel, key: key)], client: 6)
            #expect(probe.errors == [])
            let sent = try other.instructions()
            #expect(shop.created(sent) == [.int(1), .int(7), .int(8)])
            #expect(sent.contains(.update(path, .value(.string("a")), isDefault: false)))
            // Nothing of it comes back to the author but the property of the new class.
            let echo = try probe.instructions()
            #expect(shop.created(echo) == [.int(1)])
            #expect(!echo.contains { if case .update(path, _, _) = $0 { true } else { false } })
            #expect(echo.contains { if case .addColumn("Cat", "realm_id", _) = $0 { true } else { false } })
        }
    }

    @Test func `F-93: after the way back partition clients go on, and others are told`() throws {
        try onServerLoop {
            let shop = try MigrationYard()
            var away: SyncDevice? = try shop.partition("a", Dogs.put(1) + Dogs.put(2))
            let (tokens, directory) = (away?.tokens, try #require(away?.directory))
            try away?.stop()
            // It has its file open as long as it is there.
            away = nil
            _ = try shop.partition("b", Dogs.put(3))
            _ = try shop.migrate(to: "flexible")
            let (probe, _) = try shop.subscriber(#"{"Dog":"(realm_id == \"a\")"}"#, migrated: .string("a"))
            let renamed = InstructionPath("Dog", .int(1), "name")
            try shop.upload(
                probe,
                [
                    .update(renamed, .value(.string("Bo")), isDefault: false),
                    .eraseObject(className: "Dog", key: .int(2))
                ] + Dogs.put(4))
            #expect(probe.errors == [])
            let answer = try shop.migrate(to: "partition", nil)
            #expect(answer["objects"]?.integer == 3)
            #expect(answer["type"]?.string == "partition")
            let migrated = try SyncProbe.connect(to: shop.yard, .flexible)
            migrated.bind(1, FlexibleBind(migratedPartition: PartitionValue.string("a").text).text)
            let native = try SyncProbe.connect(to: shop.yard, .flexible)
            native.bind(1, FlexibleBind().text)
            shop.yard.settle()
            #expect(migrated.failure()?.code == .revertToPartition)
            #expect(migrated.failure()?.body.action == .revertToPartition)
            #expect(native.errors == [[114, 0]])
            // The device that was away has no reset.
            let back = try SyncDevice(
                shop.yard.network, shop.yard.time, at: "h:80", app: "shop", .string("a"), tokens: tokens,
                directory: directory)
            try back.write(Dogs.put(5))
            back.start()
            back.awaitDownload(9)
            #expect(shop.yard.advance { back.completed.contains(9) })
            #expect(back.reports.isEmpty)
            let dogs = try back.dogs()
            #expect(dogs == [1: "Bo", 4: "Rex", 5: "Rex"])
        }
    }

    @Test func `a native app of flexible sync turns partition clients away (F-103), and the reverse (F-93)`() throws {
        try onServerLoop {
            let shop = try MigrationYard()
            _ = try shop.yard.administer("app.create", ["name": "native", "type": "flexible"])
            let old = try SyncProbe.connect(to: shop.yard, app: "native")
            old.bind()
            let new = try SyncProbe.connect(to: shop.yard, .flexible)
            new.bind(1, FlexibleBind().text)
            shop.yard.settle()
            #expect(old.errors == [[113, 0]])
            #expect(new.errors == [[114, 0]])
        }
    }

    @Test func `objects of several partitions with one key are refused by name, and nothing changes`() throws {
        try onServerLoop {
            let shop = try MigrationYard()
            let device = try shop.partition("a", Dogs.put(1) + Dogs.put(2))
            _ = try shop.partition("b", Dogs.put(2) + Dogs.put(3))
            let refusal = try shop.refusal { try shop.migrate(to: "flexible") }
            #expect(refusal.contains("Dog 2 (again in partition \"b\")"), "\(refusal)")
            // The app is what it was.
            try device.write(Dogs.put(4))
            try shop.upload(device)
            #expect(device.reports.isEmpty)
            // Once it is put right, it goes.
            try device.write([.eraseObject(className: "Dog", key: .int(2))])
            try shop.upload(device)
            #expect(try shop.migrate(to: "flexible")["objects"]?.integer == 4)
        }
    }

    @Test func `objects that belong to no partition are refused by name`() throws {
        try onServerLoop {
            let shop = try MigrationYard()
            _ = try shop.partition("a", Dogs.put(1))
            _ = try shop.migrate(to: "flexible")
            let (probe, _) = try shop.subscriber(#"{"Dog":"(TRUEPREDICATE)"}"#)
            try shop.upload(probe, Dogs.put(77))
            #expect(probe.errors == [])
            let refusal = try shop.refusal { try shop.migrate(to: "partition", nil) }
            #expect(refusal.contains("Dog 77"), "\(refusal)")
            // Still one of flexible sync.
            let next = try shop.subscriber(#"{"Dog":"(TRUEPREDICATE)"}"#).probe
            #expect(shop.created(try next.instructions()).count == 2)
        }
    }

    @Test func `another command for what is done already changes nothing, and keys must agree`() throws {
        try onServerLoop {
            let shop = try MigrationYard()
            _ = try shop.partition("a", Dogs.put(1))
            #expect(try shop.refusal { try shop.migrate(to: "flexible", nil) }.contains("--partition-key"))
            #expect(try shop.migrate(to: "flexible")["migrated"] == .bool(true))
            #expect(try shop.migrate(to: "flexible", nil)["migrated"] == .bool(false))
            #expect(try shop.refusal { try shop.migrate(to: "partition", "other:string") }.contains("realm_id:string"))
            #expect(try shop.migrate(to: "partition", nil)["migrated"] == .bool(true))
            #expect(try shop.migrate(to: "partition", nil)["migrated"] == .bool(false))
            #expect(try shop.migrate(to: "flexible", nil)["objects"]?.integer == 1)
        }
    }

    @Test func `a partition whose name is too long for a file is known by what the file says`() throws {
        try onServerLoop {
            let shop = try MigrationYard()
            let name = String(repeating: "long ", count: 60)
            _ = try shop.partition(name, Dogs.put(1))
            _ = try shop.migrate(to: "flexible")
            let probe = try SyncProbe.connect(to: shop.yard)
            probe.bind(1, PartitionValue.string(name).text)
            shop.yard.settle()
            let query = try #require(probe.failure()?.body.partitionQuery)
            let all = try shop.subscriber(QueryText.encode(["Dog": "(\(query))"])).probe
            #expect(shop.created(try all.instructions()) == [.int(1)])
            #expect(try shop.migrate(to: "partition", nil)["partitions"]?.integer == 1)
        }
    }

    @Test func `F-102: while it runs, clients are told to come again`() throws {
        try onServerLoop {
            let shop = try MigrationYard()
            _ = try shop.partition("a", Dogs.put(1))
            let probe = try SyncProbe.connect(to: shop.yard)
            probe.bind(1, "\"a\"")
            #expect(shop.yard.time.settle())
            var isDone = false
            shop.yard.administration?.perform(
                "app.migrate", ["name": "shop", "to": "flexible", "partitionKey": "realm_id:string"]
            ) { _ in isDone = true }
            let flexible = try SyncProbe.connect(to: shop.yard, .flexible)
            flexible.bind(1, FlexibleBind().text)
            probe.bind(2, "\"a\"")
            #expect(shop.yard.time.settle())
            #expect(!isDone)
            #expect(probe.errors == [[229, 1], [229, 2]])
            #expect(flexible.errors == [[229, 1]])
            var refusal = ""
            shop.yard.administration?.perform("app.migrate", ["name": "shop", "to": "partition"]) { result in
                if case .failure(let failure) = result { refusal = failure.description }
            }
            #expect(refusal.contains("being migrated"))
            #expect(shop.yard.advance { isDone })
            probe.bind(3, "\"a\"")
            probe.bind(4, "{\"$numberLong\":\"4\"}")
            shop.yard.settle()
            #expect(probe.errors.suffix(2) == [[232, 3], [204, 4]])
        }
    }

    @Test func `what an interrupted migration has left counts for nothing`() throws {
        try onServerLoop {
            let shop = try MigrationYard()
            _ = try shop.partition("a", Dogs.put(1))
            let b = try shop.partition("b", Dogs.put(2))
            let flexible = shop.yard.directory.path + "/apps/shop/flexible.realm"
            // A file that was only begun, and one that was being filled.
            try "begun".write(toFile: flexible, atomically: false, encoding: .utf8)
            _ = try shop.migrate(to: "flexible")
            _ = try shop.migrate(to: "partition", nil)
            var union: PartitionUnion? = try PartitionUnion(
                path: flexible, file: RealmFileOptions(), options: HistoryOptions(),
                field: PartitionField(property: "realm_id", type: .string, isNullable: false))
            let source = try RealmFile(path: shop.yard.directory.path + "/source.realm")
            let transaction = try source.beginWrite()
            try Changeset.encode(Dogs.schema + Dogs.put(99)).withUnsafeBytes { try transaction.apply($0) }
            try transaction.commit(uid: nil)
            try union?.add(source.snapshot(), .string("z")) { _ in }
            try b.write(Dogs.put(3))
            try shop.upload(b)
            #expect(throws: (any Error).self) { try shop.migrate(to: "flexible") }
            union?.abandon()
            union = nil
            try Data(contentsOf: URL(fileURLWithPath: source.path)).write(to: URL(fileURLWithPath: flexible))
            #expect(try shop.migrate(to: "flexible")["objects"]?.integer == 3)
            // On the way back, one partition had been written already.
            let realm = try ServerRealm(path: flexible)
            let split = try PartitionSplit(
                realm.snapshot(), field: PartitionField(property: "realm_id", type: .string, isNullable: false),
                known: [])
            let part = try shop.yard.realm(.string("a"))
            try split.write(.string("a"), into: part)
            let version = part.version
            try split.write(.string("a"), into: part)
            #expect(part.version == version)
            try part.close()
            try realm.close()
        }
    }

    @Test func `F-93: null is a partition if the key says so, and numbers are`() throws {
        try onServerLoop {
            let shop = try MigrationYard()
            let device = try shop.yard.device(.null)
            try device.write(Dogs.schema + Dogs.put(1))
            try shop.upload(device)
            let other = try shop.yard.device(.int(0))
            try other.write(Dogs.schema + Dogs.put(2))
            try shop.upload(other)
            #expect(try shop.refusal { try shop.migrate(to: "flexible", "n:int") }.contains("partition null"))
            #expect(try shop.migrate(to: "flexible", "n:int?")["objects"]?.integer == 2)
            let probe = try SyncProbe.connect(to: shop.yard)
            probe.bind(1, "null")
            probe.bind(2, PartitionValue.int(0).text)
            shop.yard.settle()
            let queries = try [1, 2].map { try #require(probe.failure($0)?.body.partitionQuery) }
            #expect(queries == ["n == NULL", "n == 0"])
            for (query, id) in zip(queries, [Int64(1), 2]) {
                let found = try shop.subscriber(QueryText.encode(["Dog": "(\(query))"])).probe
                #expect(shop.created(try found.instructions()) == [.int(id)])
            }
            #expect(try shop.migrate(to: "partition", nil)["partitions"]?.integer == 2)
        }
    }

    @Test func `an app without objects, and one that was never synced by partition`() throws {
        try onServerLoop {
            let shop = try MigrationYard()
            #expect(try shop.migrate(to: "flexible")["objects"]?.integer == 0)
            let (probe, _) = try shop.subscriber(#"{"Dog":"(TRUEPREDICATE)"}"#)
            try shop.upload(
                probe,
                Dogs.schema + Dogs.put(1) + [
                    .addColumn(
                        className: "Dog", property: "owner",
                        ColumnDeclaration(
                            type: ValueType.string.rawValue, isNullable: true, collection: .single, target: nil,
                            keyType: nil)),
                    .update(InstructionPath("Dog", .int(1), "owner"), .value(.string("u")), isDefault: false)
                ])
            #expect(probe.errors == [])
            #expect(try shop.refusal { try shop.migrate(to: "partition", nil) }.contains("Dog 1"))
            _ = try shop.yard.administer("app.create", ["name": "native", "type": "flexible"])
            let answer = try shop.yard.administer(
                "app.migrate", ["name": "native", "to": "partition", "partitionKey": "owner:string"])
            #expect(answer["objects"]?.integer == 0)
        }
    }

    @Test(arguments: [PartitionValue.null, .int(-5), .objectId(ObjectId(high: 1, low: 2)), .string("%2F/..\u{e9}")])
    func `names of partitions' files say which partition it is`(value: PartitionValue) throws {
        let address = RealmAddress(appId: "shop", partition: value)
        let name = try #require(address.path.split(separator: "/").last.map(String.init))
        #expect(RealmAddress(appId: "shop", fileName: name) == address)
        #expect(RealmAddress(appId: "shop", fileName: "x" + name) == nil)
        #expect(RealmAddress(appId: "shop", fileName: "flexible.realm") == nil)
        #expect(
            RealmAddress(appId: "shop", fileName: "str-%2f.realm")
                == RealmAddress(appId: "shop", partition: .string("/")))
    }
}
