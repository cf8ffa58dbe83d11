import Foundation
import Model
import TestSupport
import Testing
import Wire

/// Realms that are damaged: the agent stays up for the others.
@Suite struct HostileFileTests {
    @Test func aDamagedRealmIsRefusedAndTheOthersAreServed() throws {
        let agent = try AgentUnderTest().start()
        let path = agent.home.path("a.realm")
        let other = try RawClient(agent, "other")
        try other.open(agent.home.path("b.realm"))
        do {
            let client = try RawClient(agent)
            try client.open(path)
            for start in stride(from: Int64(0), to: 500, by: 100) {
                try client.commit(Changes.create(start..<(start + 100), name: "a name"))
            }
            _ = try client.wire.call(RealmClose(realm: client.realm))
        }
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        // The agent is through with the file when it gives up the lock on it.
        #expect(eventually { flock(file.fileDescriptor, LOCK_SH | LOCK_NB) == 0 })
        #expect(flock(file.fileDescriptor, LOCK_UN) == 0)
        let size = try file.seekToEnd()
        for page in stride(from: UInt64(8_192), to: size, by: 4_096) {
            try file.seek(toOffset: page + 12)
            try file.write(contentsOf: Data([0xFE, 0xFF, 0xFF, 0xFF]))
        }
        try file.close()
        for _ in 0..<3 {
            let error = #expect(throws: WireError.self) { try RawClient(agent).open(path) }
            #expect(error?.code == .corrupt)
        }
        try other.commit(Changes.create([1]))
        #expect(try other.count() == 1)
        #expect(agent.isRunning, "\(agent.output)")
    }

    @Test func aRealmThatIsTruncatedWhileOpenIsNotReadAnyMore() throws {
        let agent = try AgentUnderTest().start()
        let path = agent.home.path("a.realm")
        let client = try RawClient(agent)
        try client.open(path)
        try client.commit(Changes.create(0..<3_000, name: "a name"))
        let first = try client.wire.call(
            ReadQuery(realm: client.realm, query: QueryRequest("Item"), form: ObjectForm(batch: 100)))
        let cursor = try #require(first.cursor)
        #expect(try client.wire.call(ReadNext(cursor: cursor)).objects?.count == 100)
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(truncate(path, status.st_size - 100) == 0)
        func code(_ body: () throws -> Void) -> WireError.Code? {
            (#expect(throws: WireError.self) { try body() })?.code
        }
        #expect(code { _ = try client.wire.call(ReadNext(cursor: cursor)) } == .corrupt)
        #expect(
            code {
                _ = try client.wire.call(
                    ReadGet(realm: client.realm, className: "Item", key: .int(1)))
            } == .corrupt)
        #expect(code { _ = try client.count() } == .corrupt)
        #expect(code { try client.commit(Changes.create([5_000])) } == .corrupt)
        #expect(code { _ = try client.wire.call(RealmVerify(target: .handle(client.realm))) } == .corrupt)
        let other = try RawClient(agent, "other")
        try other.open(agent.home.path("b.realm"))
        #expect(agent.isRunning, "\(agent.output)")
    }
}
