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
}
