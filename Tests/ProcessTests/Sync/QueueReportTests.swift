import Foundation
import TestSupport
import Testing
import Wire

/// A device that is offline for long (R42), with processes.
@Suite struct QueueReportTests {
    @Test("R42: many updates of few objects while offline cost no memory, are counted, and arrive; readers don't wait")
    func longOffline() throws {
        var server = try ServerUnderTest()
        let a = try SyncedDevice(server.url)
        try a.open()
        let objects = Int64(100)
        func update(_ round: Int) throws {
            try a.put((0..<objects).map { ($0, "in round \(round)") })
        }
        try update(0)
        try a.wait(.upload)
        server.end(SIGKILL)
        let memory = try a.agent.residentBytes
        // 200,000 updates with a soak factor of 10.
        let rounds = 200 * soakFactor
        for round in 1...rounds { try update(round) }
        #expect(try a.agent.residentBytes - memory < 64 << 20)
        let pending = try a.state(naming: 1_000)
        #expect(pending.unsentTransactions == Int64(rounds) && pending.unsentObjects.count == 100)
        server = try ServerUnderTest(server.directory, port: server.port)
        _ = try a.wire.call(SyncControl(target: .handle(a.realm), wish: .reconnect))
        // Another client reads while this is uploaded.
        let reader = try a.agent.connect()
        let handle = try reader.call(RealmOpen(path: a.path("home"))).realm
        var slowest = Duration.zero
        while try a.state().unsentTransactions > 0 {
            let time = try ContinuousClock().measure {
                let reply = try reader.call(ReadQuery(realm: handle, query: QueryRequest("Task")))
                #expect(reply.objects?.count == 100)
            }
            slowest = max(slowest, time)
        }
        #expect(slowest < .seconds(1), "\(slowest)")
        try a.wait(.upload)
        #expect(try a.agent.residentBytes - memory < 64 << 20)
        let b = try SyncedDevice(server.url)
        try b.open()
        try b.wait(.download)
        #expect(try b.tasks() == a.tasks())
        #expect(try b.tasks().values.allSatisfy { $0 == "in round \(rounds)" })
    }

    @Test("R42: a queue that is full refuses what is written, can be read, and goes on when the server has taken some")
    func bounded() throws {
        var server = try ServerUnderTest()
        let a = try SyncedDevice(server.url, environment: ["REEVE_QUEUE_LIMIT": "20000"])
        try a.open()
        try a.wait(.upload)
        server.end(SIGKILL)
        var refusal: WireError?
        var written: Int64 = 0
        while refusal == nil, written < 100 {
            do {
                try a.put([(written, String(repeating: "x", count: 1_000))])
                written += 1
            } catch let error as WireError { refusal = error }
        }
        #expect(refusal?.code == .queueFull)
        #expect(refusal?.facts["limit"] == .int64(20_000))
        // It looks less often while there is much room.
        #expect((18...60).contains(written), "\(written)")
        #expect(try a.tasks().count == Int(written))
        #expect(try a.state().unsentTransactions == written)
        // So it is after a restart, and who only reads is let in.
        try a.restartAgent()
        #expect(try a.tasks().count == Int(written))
        server = try ServerUnderTest(server.directory, port: server.port)
        _ = try a.wire.call(SyncControl(target: .handle(a.realm), wish: .reconnect))
        try a.wait(.upload)
        try a.put([(1_000, "again")])
        try a.wait(.upload)
        let b = try SyncedDevice(server.url)
        try b.open()
        try b.wait(.download)
        #expect(try b.tasks() == a.tasks())
    }
}
