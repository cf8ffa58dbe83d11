import Foundation
import TestSupport
import Testing

@testable import EventLoop

@Suite("Network watcher")
struct NetworkWatcherTests {
    /// A network namespace of its own, in which this machine may add addresses without anybody else noticing, needs
    /// rights: where they are missing, only that the watcher comes and goes is tested.
    @Test("an address that comes up is told, once for what comes together; after closing nothing is")
    func addresses() throws {
        let calls = Lock(0)
        let watcher = try onLoop { NetworkWatcher { calls.withLock { $0 += 1 } } }
        let made = try #require(watcher)
        defer { run("addr", "del", "127.7.7.7/32", "dev", "lo") }
        guard run("addr", "add", "127.7.7.7/32", "dev", "lo") else { return try onLoop { made.close() } }
        #expect(eventually { calls.withLock { $0 > 0 } })
        try onLoop { made.close() }
        let before = calls.withLock { $0 }
        #expect(before <= 2)
        run("addr", "del", "127.7.7.7/32", "dev", "lo")
        run("addr", "add", "127.7.7.7/32", "dev", "lo")
        let fence = Lock(false)
        try onLoop {
            let timer = LoopTimer { fence.withLock { $0 = true } }
            timer.start(after: NetworkWatcher.moment * 2)
        }
        #expect(eventually { fence.withLock { $0 } })
        #expect(calls.withLock { $0 } == before)
    }

    @Test("a machine that doesn't sleep, and whose clock nobody sets, is not said to have woken up")
    func awake() throws {
        let calls = Lock(0)
        let watcher = try onLoop { NetworkWatcher.awaking { calls.withLock { $0 += 1 } } }
        let made = try #require(watcher)
        let fence = Lock(false)
        try onLoop {
            let timer = LoopTimer { fence.withLock { $0 = true } }
            timer.start(after: NetworkWatcher.moment * 2)
        }
        #expect(eventually { fence.withLock { $0 } })
        #expect(calls.withLock { $0 } == 0)
        try onLoop { made.close() }
    }

    /// Runs `ip`; false if there is none, or it may not.
    @discardableResult
    private func run(_ arguments: String...) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/sbin/ip")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
