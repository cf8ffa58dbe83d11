import Foundation
import Model
import TestSupport
import Testing
import Wire

/// What every client relies on: open, write, read, events, pins.
@Suite struct RealmServiceTests {
    @Test func whatIsCommittedIsReadByAnother() throws {
        let agent = try AgentUnderTest().start()
        let path = agent.home.path("a.realm")
        let one = try RawClient(agent)
        #expect(try one.open(path).created)
        let two = try RawClient(agent)
        #expect(try !two.open(path).created)
        let version = try one.commit(Changes.create([1, 2], n: 7, name: "seven"))
        #expect(version > one.version)
        #expect(try two.int(2) == 7)
        #expect(try two.count() == 2)
        try two.transaction { begun in
            #expect(begun.version == version)
            return Changes().setting([1], n: 8).erasing([2]).bytes
        }
        #expect(try one.int(1) == 8)
        #expect(try one.int(2) == nil)
    }

    @Test func aQueryIsExplained() throws {
        let agent = try AgentUnderTest().start()
        let client = try RawClient(agent)
        try client.open(agent.home.path("a.realm"))
        try client.commit(Changes.create([1, 2, 3], n: 7))
        func lines(_ filter: String) throws -> [String] {
            try client.wire.call(ReadExplain(realm: client.realm, query: QueryRequest("Item", filter: filter))).lines
        }
        #expect(
            try lines("id == 2 AND n == 7").prefix(2) == ["Item: 3 objects", "look up by primary key id: 1 candidate"])
        #expect(try lines("n == 7 SORT(n ASC) LIMIT(2)").suffix(2) == ["then SORT(n ASC)", "then LIMIT(2)"])
        #expect(throws: WireError.self) { try lines("nope == 1") }
    }

    @Test func aPinnedSnapshotStaysWhatItWas() throws {
        let agent = try AgentUnderTest().start()
        let client = try RawClient(agent)
        try client.open(agent.home.path("a.realm"))
        try client.commit(Changes.create([1], n: 1))
        let pin = try client.wire.call(SnapshotPin(realm: client.realm))
        for n in 2...50 { try client.commit(Changes.set([1], n: Int64(n))) }
        #expect(try client.int(1, pin: pin.pin) == 1)
        #expect(try client.int(1) == 50)
        try client.release([pin.pin])
        #expect(throws: WireError.self) { try client.int(1, pin: pin.pin) }
    }

    @Test func eventsAnnounceDurableVersionsToTheOthersOnly() throws {
        let agent = try AgentUnderTest().start()
        let path = agent.home.path("a.realm")
        let watcher = try RawClient(agent)
        let opened = try watcher.open(path, events: true)
        let writer = try RawClient(agent)
        try writer.open(path, events: true)
        let version = try writer.commit(Changes.create([1], n: 3))
        let event = try watcher.wire.nextEvent().decoded(as: RealmChanged.self)
        #expect(event.version == version && event.realm == opened.realm)
        #expect(try watcher.int(1, pin: event.pin) == 3)
        // The reply was the writer's announcement.
        #expect(throws: WireError.self) { try writer.wire.nextEvent(timeout: .milliseconds(100)) }
    }

    @Test func aClientThatReleasesNothingIsToldAgainWhenItDoes() throws {
        let agent = try AgentUnderTest().start()
        let path = agent.home.path("a.realm")
        let watcher = try RawClient(agent)
        try watcher.open(path, events: true)
        let writer = try RawClient(agent)
        try writer.open(path)
        var last: UInt64 = 0
        for n in 0..<30 { last = try writer.commit(Changes.create([Int64(n)])) }
        var pins: [Int64] = []
        var newest: UInt64 = 0
        for _ in 0..<8 {
            let event = try watcher.wire.nextEvent().decoded(as: RealmChanged.self)
            pins.append(event.pin)
            newest = event.version
        }
        #expect(newest < last)
        try watcher.release(pins)
        let event = try watcher.wire.nextEvent().decoded(as: RealmChanged.self)
        #expect(event.version == last)
    }

    @Test func aTransactionOverManyRequestsIsOneVersion() throws {
        let agent = try AgentUnderTest().start()
        let client = try RawClient(agent)
        try client.open(agent.home.path("a.realm"))
        let before = try client.commit(Changes.create([100]))
        let begun = try client.wire.call(WriteBegin(realm: client.realm))
        var writer = ChangesetWriter()
        for key in 0..<50 {
            writer.append(.createObject(className: "Item", key: .int(Int64(key))))
            let bytes = [UInt8](writer.streamedBytes)
            writer.removeAll(keepingStrings: true)
            try client.wire.notify(
                WriteAppend(realm: client.realm, transaction: begun.transaction, changes: Bytes(bytes)))
        }
        let query = WriteQuery(
            realm: client.realm, transaction: begun.transaction, query: QueryRequest("Item"),
            form: ObjectForm(keysOnly: true))
        #expect(try client.wire.call(query).keys?.keys.count == 51)
        #expect(try client.count() == 1)
        let reply = try client.wire.call(
            WriteCommit(
                realm: client.realm, transaction: begun.transaction, changes: Bytes([]), uid: UniqueId()))
        #expect(reply.version == before + 1)
        #expect(try client.count() == 51)
    }

    @Test func aBadChangesetUndoesItsTransactionAlone() throws {
        let agent = try AgentUnderTest().start()
        let client = try RawClient(agent)
        try client.open(agent.home.path("a.realm"))
        try client.commit(Changes.create([1]))
        let error = #expect(throws: WireError.self) { try client.commit(Changes.create([2]) + [0xFF, 0x7F]) }
        #expect(error?.code == .badChangeset)
        #expect(try client.count() == 1)
        try client.commit(Changes.create([3]))
        #expect(try client.count() == 2)
    }

    @Test func oneBadTransactionDoesNotSpoilThoseThatShareItsSync() throws {
        let agent = try AgentUnderTest().start()
        let client = try RawClient(agent)
        try client.open(agent.home.path("a.realm"))
        var ids: [Int64] = []
        for key in 0..<40 {
            let changes = key % 4 == 3 ? [0xFF, 0x7F] : Changes.create([Int64(key)])
            ids.append(
                try client.wire.send(WriteCommit(realm: client.realm, changes: Bytes(changes), uid: UniqueId())))
        }
        #expect(eventually { (try? client.count()) == 30 })
        #expect(ids.count == 40)
    }

    @Test func mustCreateRefusesAnObjectThatExists() throws {
        let agent = try AgentUnderTest().start()
        let client = try RawClient(agent)
        try client.open(agent.home.path("a.realm"))
        try client.commit(Changes.create([1], n: 1), mustCreate: true)
        let error = #expect(throws: WireError.self) {
            try client.commit(Changes.create([2, 1], n: 2), mustCreate: true)
        }
        #expect(error?.code == .objectExists)
        #expect(try client.int(1) == 1)
        #expect(try client.count() == 1)
    }

    @Test func whatBecameOfACommitCanBeAsked() throws {
        let agent = try AgentUnderTest().start()
        let client = try RawClient(agent)
        try client.open(agent.home.path("a.realm"))
        let uid = UniqueId()
        let version = try client.commit(Changes.create([1]), uid: uid)
        try client.commit(Changes.create([2]))
        #expect(try client.wire.call(WriteOutcome(realm: client.realm, uid: uid)).version == version)
        #expect(try client.wire.call(WriteOutcome(realm: client.realm, uid: UniqueId())).version == nil)
        let never = WriteOutcome(realm: client.realm, uid: UniqueId(), after: version)
        #expect(try client.wire.call(never).version == nil)
        // Another file than the one that the transaction was meant for.
        let lost = WriteOutcome(realm: client.realm, uid: UniqueId(), after: version + 100)
        #expect(#expect(throws: WireError.self) { try client.wire.call(lost) }?.code == .outcomeUnknown)
    }

    @Test func aNestedTransactionIsRefused() throws {
        let agent = try AgentUnderTest().start()
        let client = try RawClient(agent)
        try client.open(agent.home.path("a.realm"))
        let begun = try client.wire.call(WriteBegin(realm: client.realm))
        let error = #expect(throws: WireError.self) { try client.wire.call(WriteBegin(realm: client.realm)) }
        #expect(error?.code == .nestedTransaction)
        _ = try client.wire.call(WriteCancel(realm: client.realm, transaction: begun.transaction))
        try client.transaction { _ in Changes.create([1]) }
    }

    @Test func writersTakeTurnsInOrderOfAsking() throws {
        let agent = try AgentUnderTest().start()
        let path = agent.home.path("a.realm")
        let clients = try (0..<5).map { try RawClient(agent, "client \($0)") }
        for client in clients { try client.open(path) }
        let first = try clients[0].wire.call(WriteBegin(realm: clients[0].realm))
        for (waiting, client) in clients.dropFirst().enumerated() {
            try client.wire.send(WriteBegin(realm: client.realm))
            #expect(
                try eventually {
                    try clients[0].wire.call(RealmInfo(target: .path(path))).waitingWriters == Int32(waiting + 1)
                })
        }
        // Each grant comes when the one before has ended, so waiting for them in order proves the order.
        _ = try clients[0].wire.call(WriteCancel(realm: clients[0].realm, transaction: first.transaction))
        for client in clients.dropFirst() {
            let frame = try client.wire.connection.receiveFrame(deadline: .now + .seconds(10))
            let transaction = try frame.bytes.withUnsafeBytes { bytes -> Int64 in
                guard case .result(_, let view) = try UnsafeEnvelope(frame: bytes) else {
                    throw TestFailure("no grant")
                }
                return try WriteBeginReply(reply: view).transaction
            }
            _ = try client.wire.call(WriteCancel(realm: client.realm, transaction: transaction))
        }
    }

    @Test func aStalledWriterIsRolledBackAndTold() throws {
        let agent = try AgentUnderTest(environment: ["REEVE_WRITE_STALL_MS": "200"]).start()
        let path = agent.home.path("a.realm")
        let stalled = try RawClient(agent)
        try stalled.open(path)
        #expect(stalled.wire.agent?.limits.writeStallMilliseconds == 200)
        let begun = try stalled.wire.call(WriteBegin(realm: stalled.realm))
        try stalled.wire.notify(
            WriteAppend(realm: stalled.realm, transaction: begun.transaction, changes: Bytes(Changes.create([1]))))
        let other = try RawClient(agent)
        try other.open(path)
        try other.transaction { _ in Changes.create([2]) }
        let error = #expect(throws: WireError.self) {
            try stalled.wire.call(
                WriteCommit(realm: stalled.realm, transaction: begun.transaction, changes: Bytes([]), uid: UniqueId()))
        }
        #expect(error?.code == .transactionStalled)
        #expect(try other.count() == 1)
    }

    @Test func aWriterThatDiesIsRolledBack() throws {
        let agent = try AgentUnderTest().start()
        let path = agent.home.path("a.realm")
        let other = try RawClient(agent)
        try other.open(path)
        do {
            let dying = try RawClient(agent)
            try dying.open(path)
            let begun = try dying.wire.call(WriteBegin(realm: dying.realm))
            try dying.wire.notify(
                WriteAppend(realm: dying.realm, transaction: begun.transaction, changes: Bytes(Changes.create([1]))))
        }
        try other.transaction { _ in Changes.create([2]) }
        #expect(try other.count() == 1)
    }

    @Test func resultsComeInBatchesUnderACursor() throws {
        let agent = try AgentUnderTest().start()
        let client = try RawClient(agent)
        try client.open(agent.home.path("a.realm"))
        try client.commit(Changes.create(0..<2500, n: 1))
        let query = ReadQuery(realm: client.realm, query: QueryRequest("Item"), form: ObjectForm(batch: 1000))
        var reply = try client.wire.call(query)
        #expect(reply.count == 2500 && reply.objects?.count == 1000)
        // The cursor reads the snapshot it began with.
        try client.commit(Changes.erase(0..<2500))
        var ids = (reply.objects ?? []).compactMap { $0["id"] }
        while let cursor = reply.cursor {
            reply = try client.wire.call(ReadNext(cursor: cursor))
            ids += (reply.objects ?? []).compactMap { $0["id"] }
        }
        #expect(ids == (0..<2500).map { BSONValue.int64($0) })
        #expect(try client.count() == 0)
    }

    @Test func cursorsAreBounded() throws {
        let agent = try AgentUnderTest().start()
        let client = try RawClient(agent)
        try client.open(agent.home.path("a.realm"))
        try client.commit(Changes.create(0..<3))
        let query = ReadQuery(realm: client.realm, query: QueryRequest("Item"), form: ObjectForm(batch: 1))
        var cursors: [Int64] = []
        let error = #expect(throws: WireError.self) {
            for _ in 0..<1000 { cursors.append(try #require(try client.wire.call(query).cursor)) }
        }
        #expect(error?.code == .tooManyHandles)
        _ = try client.wire.call(ReadClose(cursor: try #require(cursors.first)))
        #expect(try client.wire.call(query).cursor != nil)
    }

    @Test func objectsArePutAndDeletedWithoutChangesets() throws {
        let agent = try AgentUnderTest().start()
        let client = try RawClient(agent)
        try client.open(agent.home.path("a.realm"))
        let put = ObjectPut(
            realm: client.realm, className: "Item",
            objects: [["id": .int64(1), "name": .string("a")], ["id": .int64(2), "n": .int32(5)]])
        #expect(try client.wire.call(put).created == 2)
        #expect(try client.int(2) == 5)
        let change = ObjectPut(realm: client.realm, className: "Item", objects: [["id": .int64(2), "n": .int64(6)]])
        #expect(try client.wire.call(change).created == 0)
        #expect(try client.int(2) == 6)
        let error = #expect(throws: WireError.self) {
            try client.wire.call(
                ObjectPut(realm: client.realm, className: "Item", objects: [["id": .int64(2)]], mode: .create))
        }
        #expect(error?.code == .objectExists)
        let deletion = ObjectDelete(realm: client.realm, className: "Item", keys: [.int(1), .int(9)])
        #expect(try client.wire.call(deletion).deleted == 1)
        #expect(try client.count() == 1)
    }

    @Test func subscriptionsTellWhatChanged() throws {
        let agent = try AgentUnderTest().start()
        let path = agent.home.path("a.realm")
        let watcher = try RawClient(agent)
        try watcher.open(path)
        let writer = try RawClient(agent)
        try writer.open(path)
        try writer.commit(Changes.create([1, 2], n: 1))
        let reply = try watcher.wire.call(
            Subscribe(realm: watcher.realm, query: QueryRequest("Item"), initial: true))
        #expect(reply.count == 2)
        let initial = try watcher.wire.nextEvent().decoded(as: Changed.self)
        #expect(initial.initial && initial.insertions.count == 2)
        try writer.commit(Changes().creating([3]).erasing([1]).setting([2], n: 9).bytes)
        let event = try watcher.wire.nextEvent().decoded(as: Changed.self)
        #expect(event.insertions.count == 1 && event.deletions.count == 1 && event.modifications.count == 1)
        guard case .objects(let deleted) = event.deletions else { throw TestFailure("no documents") }
        #expect(deleted.first?["id"] == .int64(1))
        _ = try watcher.wire.call(Unsubscribe(subscription: reply.subscription))
        try writer.commit(Changes.create([4]))
        #expect(throws: WireError.self) { try watcher.wire.nextEvent(timeout: .milliseconds(100)) }
    }

    @Test func aRealmInMemoryLivesWhileItIsOpen() throws {
        let agent = try AgentUnderTest().start()
        let client = try RawClient(agent)
        let open = RealmOpen(path: "scratch", schema: RawClient.schema, create: true, inMemory: true)
        let reply = try client.wire.call(open)
        let put = ObjectPut(realm: reply.realm, className: "Item", objects: [["id": .int64(1)]])
        _ = try client.wire.call(put)
        let again = try client.wire.call(open)
        #expect(
            try client.wire.call(ReadCount(realm: again.realm, query: QueryRequest("Item"))).count == 1)
        _ = try client.wire.call(RealmClose(realm: reply.realm))
        _ = try client.wire.call(RealmClose(realm: again.realm))
        let fresh = try client.wire.call(open)
        #expect(fresh.created)
        #expect(
            try client.wire.call(ReadCount(realm: fresh.realm, query: QueryRequest("Item"))).count == 0)
    }

    @Test func aSignOfLifeOfATransactionThatIsOverIsNoFault() throws {
        let agent = try AgentUnderTest().start()
        let client = try RawClient(agent)
        try client.open(agent.home.path("a.realm"))
        var transaction: Int64 = 0
        try client.transaction {
            transaction = $0.transaction
            return Changes.create([1])
        }
        for (realm, changes) in [(client.realm, []), (client.realm + 1, []), (client.realm, Changes.create([2]))] {
            try client.wire.notify(WriteAppend(realm: realm, transaction: transaction, changes: Bytes(changes)))
        }
        #expect(try client.count() == 1)
        // What was meant to change something is.
        #expect(agent.output.split(separator: "\n").filter { $0.contains("a request without id failed") }.count == 1)
    }
}
