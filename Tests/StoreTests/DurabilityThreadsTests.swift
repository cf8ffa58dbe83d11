import Foundation
import Model
import TestSupport
import Testing

@testable import Store

@Suite struct DurabilityThreadsTests {
    /// A writer, threads that wait for their commits, one that takes checkpoints and one that reads, all at once.
    @Test func commitsSyncsCheckpointsAndReadersTogether() throws {
        let realm = TestRealm()
        let file = try realm.open {
            $0.largestJournaledChange = 2 << 10
            $0.checkpointFileBytes = 256 << 10
        }
        try file.ensure(dogs)
        let count = 300 * soakFactor
        let failures = Lock<[String]>([])
        let isDone = Lock(false)
        let group = DispatchGroup()
        func run(_ body: @escaping @Sendable () throws -> Void) {
            let thread = Thread {
                do { try body() } catch { failures.withLock { $0.append("\(error)") } }
                group.leave()
            }
            group.enter()
            thread.start()
        }
        run {
            while !isDone.withLock({ $0 }) {
                if file.isCheckpointDue { try file.checkpoint() }
                usleep(200)
            }
        }
        run {
            var last: UInt64 = 0
            while !isDone.withLock({ $0 }) {
                let snapshot = try file.snapshot()
                guard let table = snapshot.table(named: "Dog"), snapshot.version >= last else {
                    return failures.withLock { $0.append("went back from \(last) to \(snapshot.version)") }
                }
                last = snapshot.version
                let keys = table.count == 0 ? [] : (0..<table.count).map { table.key(at: $0) }
                if keys.count != table.count { failures.withLock { $0.append("\(keys.count) of \(table.count)") } }
            }
        }
        let committed = Lock<[UInt64]>([])
        for _ in 0..<3 {
            run {
                while true {
                    guard let version = committed.withLock({ $0.popLast() }) else {
                        if isDone.withLock({ $0 }) { return }
                        usleep(50)
                        continue
                    }
                    try file.makeDurable(through: version)
                }
            }
        }
        run {
            defer { isDone.withLock { $0 = true } }
            for number in 0..<count {
                let many = number % 20 == 0 ? 200 : 3
                let version = try file.write(
                    (0..<many).map { .create("Dog", Int64(number * 1_000 + $0)) })
                committed.withLock { $0.append(version) }
                if number % 100 == 50 { try file.compact() }
            }
        }
        group.wait()
        #expect(failures.withLock { $0 } == [])
        #expect(try file.verify().findings == [])
        try file.makeDurable(through: file.version)
        #expect(file.durability?.state.withLock { $0.durable } == file.version)
    }

    /// The agent's event loop asks whether a checkpoint is due: it must not wait for a disk.
    @Test func whetherACheckpointIsDueIsAnsweredWhileACommitIsWritten() throws {
        let realm = TestRealm()
        let file = try realm.open()
        try file.ensure(dogs)
        let durability = try #require(file.durability)
        let (begun, asked, ended) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        Thread {
            try? durability.committing(file.version, records: [], written: 0) {
                begun.signal()
                _ = ended.wait(timeout: .now() + 10)
            }
            asked.signal()
        }.start()
        begun.wait()
        Thread {
            _ = file.isCheckpointDue
            asked.signal()
        }.start()
        #expect(asked.wait(timeout: .now() + 5) == .success)
        ended.signal()
        #expect(asked.wait(timeout: .now() + 5) == .success)
    }
}
