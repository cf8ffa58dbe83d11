import Model
import Store
import Sync
import TestSupport
import Testing

@testable import History

/// Sets of subscriptions in a client file (F-17 to F-27), and bootstraps (F-40 to F-47).
@Suite struct ClientSubscriptionsTests {
    /// A client file whose process can die, and what its observer heard.
    private final class Client {
        private let directory = TemporaryDirectory()
        private(set) var file: RealmFile!
        private(set) var history: ClientHistory!
        private(set) var heard: [String] = []

        init() throws { try open() }

        var subscriptions: ClientSubscriptions { get throws { try #require(history.subscriptions) } }

        private func open() throws {
            file = try RealmFile(path: directory.path + "/device.realm")
            history = try ClientHistory(file, isFlexible: true)
            history.subscriptions?.observer = { [unowned self] in heard.append("\($0.version) \($0.state)") }
        }

        func restart() throws {
            try file.close()
            file = nil
            history = nil
            try open()
        }

        func receive(
            _ version: Int64, _ batch: ServerMessage.BatchState, server: Int64, _ instructions: [Instruction]
        ) throws -> StoreAnswer {
            let bytes = try instructions.isEmpty ? [] : Changeset.encode(instructions)
            let entry = DownloadEntry(
                cursor: DownloadCursor(server: server, client: 0), timestamp: 5, originFile: 1, changeset: bytes)
            return try history.answer(
                .integrate(
                    ServerMessage.Download(
                        session: 1, progress: entry.cursor, latest: SaltedVersion(version: server, salt: 7),
                        upload: UploadCursor(),
                        contents: .flexible(queryVersion: version, batch: batch, estimate: 1), entries: [entry])))
        }

        var dogs: Int { get throws { try file.snapshot().table(named: "Dog")?.count ?? 0 } }
    }

    private func subscribe(_ client: Client, _ query: String = "TRUEPREDICATE") throws -> SubscriptionSet {
        try client.subscriptions.update { $0.insert(className: "Dog", query: query) }
    }

    private func dog(_ key: Int64) -> Instruction { .createObject(className: "Dog", key: .int(key)) }

    @Test func `a subscription gets another query by its id, with or without a name (SU-12)`() throws {
        let client = try Client()
        let first = try client.subscriptions.update {
            $0.insert(className: "Dog", query: "a == 1")
            $0.insert(name: "mine", className: "Dog", query: "a == 2")
        }
        let ids = first.subscriptions.map(\.id)
        var found: [Bool] = []
        let second = try client.subscriptions.update { edit in
            found.append(edit.setQuery(id: ids[0], className: nil, query: "a == 3"))
            found.append(edit.setQuery(id: ids[1], className: "Cat", query: "a == 4"))
            found.append(edit.setQuery(id: ObjectId.generate(), className: nil, query: "a == 5"))
        }
        #expect(found == [true, true, false])
        #expect(second.subscriptions.map(\.id) == ids)
        #expect(second.subscriptions.map(\.query) == ["a == 3", "a == 4"])
        #expect(second.subscriptions.map(\.className) == ["Dog", "Cat"])
        #expect(second.subscriptions.map(\.createdAt) == first.subscriptions.map(\.createdAt))
    }

    @Test func `a new file has the empty version 0, pending (F-5, F-20)`() throws {
        let client = try Client()
        let set = try client.subscriptions.latest
        #expect(set.version == 0 && set.state == .pending && set.subscriptions.isEmpty)
        #expect(set.query.text == "{}")
        #expect(try client.subscriptions.active == set)
        #expect(try client.subscriptions.pending == [])
    }

    @Test func `the text names each query once, sorted and in parentheses (F-1, F-2)`() throws {
        let client = try Client()
        let set = try client.subscriptions.update {
            $0.insert(name: "b", className: "TopLevel", query: "b == 2")
            $0.insert(name: "a", className: "TopLevel", query: "a == 1")
            $0.insert(className: "TopLevel", query: "a == 1")
            $0.insert(className: "Item", query: "owner == \"u1\"")
        }
        #expect(set.version == 1 && set.subscriptions.count == 4)
        #expect(set.query.text == #"{"Item":"(owner == \"u1\")","TopLevel":"(a == 1) OR (b == 2)"}"#)
        #expect(try QueryText.decode(set.query.text)["Item"] == "(owner == \"u1\")")
    }

    @Test func `a name is given once, a nameless query too (F-22, F-23)`() throws {
        let client = try Client()
        let first = try client.subscriptions.update {
            $0.insert(name: "mine", className: "Dog", query: "age > 1")
            $0.insert(className: "Dog", query: "age > 1")
            $0.insert(className: "Cat", query: "age > 2")
        }
        let second = try client.subscriptions.update {
            $0.insert(name: "mine", className: "Cat", query: "age > 3")
            $0.insert(className: "Dog", query: "age > 1")
        }
        #expect(second.subscriptions.count == 3)
        #expect(second.first(named: "mine")?.id == first.first(named: "mine")?.id)
        #expect(second.first(named: "mine")?.query == "age > 3")
        var found: [Bool] = []
        let third = try client.subscriptions.update { edit in
            found = [edit.remove(named: "mine"), edit.remove(named: "mine")]
        }
        #expect(found == [true, false])
        // The last one has moved into its place.
        #expect(third.subscriptions.map(\.className) == ["Cat", "Dog"])
        let fourth = try client.subscriptions.update { $0.removeAll(className: "Cat") }
        #expect(fourth.subscriptions.map(\.className) == ["Dog"])
        #expect(fourth.covers("Dog") && !fourth.covers("Cat"))
    }

    @Test func `a bootstrap in parts is invisible until its last part, and complete with the MARK (F-25)`() throws {
        let client = try Client()
        let set = try subscribe(client)
        #expect(try client.receive(1, .moreToCome, server: 3, RandomApp.schema + [dog(1)]) != .stored(newestVersion: 0))
        #expect(try client.subscriptions.state(of: 1) == .bootstrapping)
        #expect(try client.dogs == 0)
        _ = try client.receive(1, .moreToCome, server: 3, [dog(2)])
        _ = try client.receive(1, .lastInBatch, server: 3, [dog(3)])
        #expect(try client.dogs == 3)
        #expect(try client.subscriptions.active.version == 1)
        try client.history.caughtUp()
        #expect(client.heard == ["1 pending", "1 bootstrapping", "1 awaitingMark", "0 superseded", "1 complete"])
        try client.restart()
        #expect(try client.subscriptions.latest.subscriptions == set.subscriptions)
        #expect(try client.subscriptions.latest.state == .complete)
        #expect(try client.subscriptions.state(of: 0) == .superseded)
        #expect(client.history.clientFile.download.server == 3)
    }

    @Test func `parts of a bootstrap don't survive a restart or a lost connection (F-42)`() throws {
        let client = try Client()
        _ = try subscribe(client)
        _ = try client.receive(1, .moreToCome, server: 3, RandomApp.schema + [dog(1)])
        try client.restart()
        #expect(try client.subscriptions.state(of: 1) == .pending)
        _ = try client.receive(1, .moreToCome, server: 4, RandomApp.schema + [dog(2)])
        try client.history.disconnected()
        #expect(try client.subscriptions.state(of: 1) == .pending)
        _ = try client.receive(1, .moreToCome, server: 4, RandomApp.schema + [dog(2)])
        // Another set's bootstrap throws the parts away, too (F-41).
        _ = try subscribe(client, "age > 2")
        _ = try client.receive(2, .moreToCome, server: 5, RandomApp.schema + [dog(3)])
        #expect(try client.subscriptions.state(of: 1) == .pending)
        _ = try client.receive(2, .lastInBatch, server: 5, [dog(4)])
        #expect(try client.dogs == 2)
        #expect(try client.subscriptions.sets.map(\.version) == [2])
    }

    @Test func `a refused set keeps its reason, and the one before stays in force (F-8, F-27)`() throws {
        let client = try Client()
        _ = try client.receive(0, .lastInBatch, server: 1, RandomApp.schema)
        try client.history.caughtUp()
        _ = try subscribe(client, "nonsense")
        try client.history.queryFailed(version: 1, message: "Invalid query")
        try client.restart()
        #expect(try client.subscriptions[1]?.error == "Invalid query")
        #expect(try client.subscriptions.active.version == 0)
        #expect(try client.subscriptions.pending == [])
        guard case .failed = try client.receive(1, .lastInBatch, server: 2, []) else {
            Issue.record("a bootstrap for a refused set was taken (F-25)")
            return
        }
        let next = try subscribe(client)
        #expect(next.version == 2)
        #expect(try client.subscriptions.pending.map(\.version) == [2])
        _ = try client.receive(2, .lastInBatch, server: 2, [])
        #expect(try client.subscriptions.sets.map(\.version) == [2])
    }

    @Test func `a bootstrap of the set in force changes no state (F-25, F-38)`() throws {
        let client = try Client()
        _ = try client.receive(0, .lastInBatch, server: 1, RandomApp.schema)
        try client.history.caughtUp()
        _ = try client.receive(0, .moreToCome, server: 2, [dog(1)])
        _ = try client.receive(0, .lastInBatch, server: 2, [dog(2)])
        #expect(try client.subscriptions.state(of: 0) == .complete)
        #expect(try client.dogs == 2)
    }

    @Test func `a session begins with the set in force and those that wait (F-4)`() throws {
        let client = try Client()
        _ = try subscribe(client, "age > 1")
        _ = try subscribe(client, "age > 2")
        var options = ClientSessionOptions(session: 1, path: "{}")
        options.queries = try client.subscriptions.queries
        #expect(options.queries.active?.version == 0)
        #expect(options.queries.pending.map(\.query.version) == [1, 2])
        #expect(
            options.queries.pending.map(\.query.text) == [
                #"{"Dog":"(age > 1)"}"#, #"{"Dog":"(age > 1) OR (age > 2)"}"#
            ])
    }
}
