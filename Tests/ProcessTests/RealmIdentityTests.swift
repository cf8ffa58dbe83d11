import CPlatform
import Foundation
import Model
import TestSupport
import Testing
import Wire

/// Which file a realm is, whatever happens to its name meanwhile.
@Suite struct RealmIdentityTests {
    private func inode(_ path: String) -> ino_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_ino : nil
    }

    private func code(_ body: () throws -> some Any) -> WireError.Code? {
        do {
            _ = try body()
            return nil
        } catch {
            return (error as? WireError)?.code
        }
    }

    /// What the agent has open.
    private func openFiles(_ agent: AgentUnderTest) -> [String] {
        let directory = "/proc/\(agent.pid)/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(directory)/\($0)") }
    }

    /// The code of the next reply, if it is a refusal.
    private func nextRefusal(_ client: RawClient) throws -> WireError.Code? {
        let frame = try client.wire.connection.receiveFrame(deadline: .now + .seconds(20))
        if let descriptor = frame.descriptor { close(descriptor) }
        return try frame.bytes.withUnsafeBytes {
            guard case .failure(_, let error) = try UnsafeEnvelope(frame: $0) else { return nil }
            return error.code
        }
    }

    @Test func namesThatLookAlikeAreNamesOfTwoFiles() throws {
        let agent = try AgentUnderTest().start()
        let names = ["caf\u{E9}.realm", "cafe\u{301}.realm"]
        let clients = try names.enumerated().map { index, name in
            let client = try RawClient(agent)
            try client.open(agent.home.path(name))
            try client.commit(Changes.create([Int64(index)]))
            return client
        }
        for (index, client) in clients.enumerated() {
            #expect(try client.count() == 1)
            #expect(try client.int(Int64(index)) != nil)
        }
    }

    @Test func theLastOneToLeaveADeletedRealmTakesNothingOfTheNewOne() throws {
        let agent = try AgentUnderTest().start()
        let path = agent.home.path("a.realm")
        let former = try RawClient(agent, "former")
        try former.open(path)
        try former.commit(Changes.create([1]))
        unlink(path)
        let newcomer = try RawClient(agent, "newcomer")
        #expect(try newcomer.open(path).created)
        try newcomer.commit(Changes.create([2]))
        let journal = try #require(inode(path + ".journal"))
        #expect(openFiles(agent).contains("\(path) (deleted)"))
        _ = try former.wire.call(RealmClose(realm: former.realm))
        #expect(eventually { !openFiles(agent).contains("\(path) (deleted)") })
        #expect(inode(path + ".journal") == journal)
        try newcomer.commit(Changes.create([3]))
        agent.kill(SIGKILL)
        try agent.start()
        let again = try RawClient(agent, "again")
        try again.open(path)
        #expect(try again.count() == 2)
    }

    @Test func aTransactionThatFailsAfterARestartDoesNotRetireTheRealm() throws {
        let agent = try AgentUnderTest().start()
        let path = agent.home.path("a.realm")
        let first = try RawClient(agent)
        try first.open(path)
        try first.commit(Changes.create([1]))
        // An app keeps the file mapped while the agent dies: the next one goes on in a copy before its first write.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        #expect(reeve_lock_shared(descriptor) == 0)
        agent.kill(SIGKILL)
        try agent.start()
        let one = try RawClient(agent, "one")
        try one.open(path)
        let before = inode(path)
        let begun = try one.wire.call(WriteBegin(realm: one.realm))
        try one.wire.notify(
            WriteAppend(realm: one.realm, transaction: begun.transaction, changes: Bytes(Changes.create([2]))))
        _ = try one.wire.call(WriteCancel(realm: one.realm, transaction: begun.transaction))
        #expect(
            try eventually { try one.wire.call(RealmInfo(target: .handle(one.realm))).writer == nil })
        #expect(inode(path) != before)
        let two = try RawClient(agent, "two")
        try two.open(path)
        try two.commit(Changes.create([3]))
        try one.commit(Changes.create([4]))
        #expect(try one.count() == 3)
        #expect(try two.count() == 3)
        #expect(try one.wire.call(AgentStatus()).realms.count == 1)
    }

    @Test func oneFileUnderTwoNamesIsOpenedOnce() throws {
        let agent = try AgentUnderTest().start()
        let (one, two) = (agent.home.path("one.realm"), agent.home.path("two.realm"))
        let client = try RawClient(agent)
        try client.open(one)
        _ = try client.wire.call(RealmClose(realm: client.realm))
        link(one, two)
        // Both are asked for before either is open.
        for round in 0..<20 {
            let clients = try (0..<2).map { try RawClient(agent, "client \($0)") }
            for (client, path) in zip(clients, [one, two]) {
                try client.wire.send(RealmOpen(path: path, schema: RawClient.schema, create: true))
            }
            let codes = try clients.map { try nextRefusal($0) }
            #expect(codes.filter { $0 == nil }.count == 1, "round \(round): \(codes)")
            #expect(codes.contains { $0 == .alreadyOpen || $0 == .locked }, "round \(round): \(codes)")
        }
    }

    @Test func aRenamedRealmIsNotOpenedBesideItself() throws {
        let agent = try AgentUnderTest().start()
        let (one, two) = (agent.home.path("one.realm"), agent.home.path("two.realm"))
        let former = try RawClient(agent, "former")
        try former.open(one)
        try former.commit(Changes.create([1], n: 7))
        let pin = try former.wire.call(SnapshotPin(realm: former.realm))
        rename(one, two)
        let newcomer = try RawClient(agent, "newcomer")
        #expect(try newcomer.open(one).created)
        #expect(code { try newcomer.open(two) } == .alreadyOpen)
        #expect(try former.int(1, pin: pin.pin) == 7)
        _ = try former.wire.call(RealmClose(realm: former.realm))
        #expect(eventually { code { try newcomer.open(two) } == nil })
        #expect(try newcomer.count() == 1)
    }

    @Test func namesOfCompanionsAreRefused() throws {
        // R84
        let agent = try AgentUnderTest().start()
        let path = agent.home.path("a.realm")
        let client = try RawClient(agent)
        try client.open(path)
        let lock = inode(path + ".lock")
        for suffix in [".lock", "-lock", ".journal", ".new-0123abcd"] {
            #expect(code { try client.wire.call(RealmOpen(path: path + suffix, create: true)) } == .badParams)
            #expect(code { try client.wire.call(RealmDelete(path: path + suffix)) } == .badParams)
            #expect(
                code { try client.wire.call(RealmCopy(target: .handle(client.realm), destination: path + suffix)) }
                    == .badParams)
        }
        #expect(inode(path + ".lock") == lock && lock != nil)
        let long = agent.home.path(String(repeating: "n", count: 250))
        #expect(code { try client.wire.call(RealmOpen(path: long, create: true)) } == .badParams)
        // The file needn't be there for what lies beside its path to matter.
        let victim = agent.home.path("victim")
        #expect(FileManager.default.createFile(atPath: victim, contents: Data("own".utf8)))
        let absent = agent.home.path("absent.realm")
        symlink(victim, absent + "-lock")
        #expect(code { try client.wire.call(RealmOpen(path: absent, create: true)) } == .permissionDenied)
        #expect(FileManager.default.contents(atPath: victim) == Data("own".utf8))
    }

    @Test func aRealmIsOpenedAnewWhileAReadOfBeforeRuns() throws {
        let agent = try AgentUnderTest().start()
        let path = agent.home.path("a.realm")
        let setUp = try RawClient(agent)
        try setUp.open(path)
        for start in stride(from: Int64(0), to: 20_000, by: 5_000) {
            try setUp.commit(Changes.create(start..<(start + 5_000), blob: String(repeating: "ab", count: 200)))
        }
        _ = try setUp.wire.call(RealmClose(realm: setUp.realm))
        for round in 0..<5 {
            let reader = try RawClient(agent, "reader")
            try reader.open(path)
            for _ in 0..<4 {
                _ = try reader.wire.send(
                    ReadCount(
                        realm: reader.realm, query: QueryRequest("Item", filter: "blob CONTAINS[c] 'abababx' AND n > 1")
                    ))
            }
            reader.wire.connection.shutdown()
            let other = try RawClient(agent, "other")
            #expect(code { try other.open(path) } == nil, "round \(round)")
            #expect(try other.int(5) == 0)
            _ = try other.wire.call(RealmClose(realm: other.realm))
        }
    }

    @Test func realmsInMemoryOfAKilledAgentAreRemovedByTheNext() throws {
        let agent = try AgentUnderTest().start()
        let client = try RawClient(agent)
        _ = try client.wire.call(RealmOpen(path: "scratch", schema: RawClient.schema, create: true, inMemory: true))
        let directory = agent.location.path + ".memory"
        #expect(try !FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
        agent.kill(SIGKILL)
        try agent.start()
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
    }
}
