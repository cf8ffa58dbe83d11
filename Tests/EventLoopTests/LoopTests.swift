import Foundation
import TestSupport
import Testing

@testable import EventLoop

@Suite("Loop")
struct LoopTests {
    @Test("what is posted runs on the loop thread, in order")
    func posted() throws {
        let log = Log()
        for i in 0..<1000 { EventLoop.shared.post { log.append(EventLoop.shared.isOnLoop ? i : -1) } }
        try onLoop {}
        #expect(log.values == Array(0..<1000))
        #expect(!EventLoop.shared.isOnLoop)
    }

    @Test("posts of several threads all run, each thread's in order")
    func postedByThreads() throws {
        let logs = (0..<4).map { _ in Log() }
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for i in 0..<5000 { EventLoop.shared.post { logs[thread].append(i) } }
        }
        try onLoop {}
        for log in logs { #expect(log.values == Array(0..<5000)) }
    }

    @Test("run gives the result back, and the error")
    func runThrows() throws {
        #expect(try onLoop { 42 } == 42)
        #expect(throws: LoopError("test", errorNumber: EIO)) {
            try onLoop { throw LoopError("test", errorNumber: EIO) }
        }
    }

    @Test("run on the loop itself doesn't wait for itself")
    func nestedRun() throws {
        #expect(try onLoop { try EventLoop.shared.run { 7 } } == 7)
    }

    @Test("an actor function runs on the loop, and so does a task that prefers it after each await")
    func actorAndTasks() async {
        #expect(await isOnLoopInActor())
        let task = Task(executorPreference: LoopActor.executor) {
            let first = EventLoop.shared.isOnLoop
            await Task.yield()
            return first && EventLoop.shared.isOnLoop
        }
        #expect(await task.value)
        LoopExecutorProbe.check()
    }

    @LoopActor private func isOnLoopInActor() -> Bool {
        LoopActor.preconditionIsolated()
        return EventLoop.shared.isOnLoop
    }

    @Test("a timer fires once, not before its time")
    func timerOnce() throws {
        let log = Log()
        let start = ContinuousClock.now
        let timer = try onLoop {
            let timer = LoopTimer { log.append(1) }
            timer.start(after: .milliseconds(30))
            return timer
        }
        #expect(eventually { log.values == [1] })
        #expect(ContinuousClock.now - start >= .milliseconds(29))
        #expect(try onLoop { !timer.isActive })
        try onLoop { timer.close() }
    }

    @Test("a repeating timer repeats until it is cancelled")
    func timerRepeats() throws {
        let log = Log()
        let timer = try onLoop {
            let timer = LoopTimer { log.append(1) }
            timer.start(after: .zero, repeating: .milliseconds(1))
            return timer
        }
        #expect(eventually { log.values.count >= 5 })
        try onLoop { timer.cancel() }
        let count = log.values.count
        let later = Log()
        let other = try onLoop {
            let other = LoopTimer { later.append(1) }
            other.start(after: .milliseconds(20))
            return other
        }
        #expect(eventually { later.values == [1] })
        #expect(log.values.count == count)
        try onLoop {
            timer.close()
            timer.close()
            timer.start(after: .zero)
            other.close()
            #expect(!timer.isActive)
        }
    }

    @Test("closing a timer in its own action is safe")
    func timerClosesItself() throws {
        let log = Log()
        try onLoop {
            let box = Box<LoopTimer?>(nil)
            let timer = LoopTimer {
                log.append(1)
                box.value?.close()
                box.value = nil
            }
            box.value = timer
            timer.start(after: .zero, repeating: .milliseconds(1))
        }
        #expect(eventually { log.values == [1] })
    }

    @Test("a signal reaches its watcher, and after close the next one doesn't")
    func signals() throws {
        let log = Log()
        let watcher = try onLoop { try SignalWatcher(SIGUSR2) { log.append(Int($0)) } }
        kill(getpid(), SIGUSR2)
        #expect(eventually { log.values == [Int(SIGUSR2)] })
        try onLoop {
            watcher.close()
            watcher.close()
        }
    }

    @Test("on the calling thread the loop runs until it is stopped, and can run again")
    func callingThread() async {
        await #expect(processExitsWith: .success) {
            let log = Log()
            for round in 0..<3 {
                EventLoop.shared.post { log.append(EventLoop.shared.isOnLoop ? round : -1) }
                Thread { EventLoop.shared.post { EventLoop.shared.stop() } }.start()
                EventLoop.shared.runOnCallingThread()
                try #require(!EventLoop.shared.isOnLoop)
            }
            try #require(log.values == [0, 1, 2])
            try #require(try onLoop { 5 } == 5)
        }
    }

    @Test("an idle loop doesn't wake up")
    func idle() throws {
        let (peer, connection) = try connectedPair { _ in Recorder.echo() }
        let thread = try onLoop { try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self") }
        func switches() throws -> Int {
            let text = try String(contentsOfFile: "/proc/\(thread)/status", encoding: .utf8)
            let line = text.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches") }
            return Int(line?.split(separator: "\t").last ?? "") ?? -1
        }
        // Whatever other tests do on the shared loop disturbs this one: look for one quiet stretch.
        var quiet = false
        for _ in 0..<20 where !quiet {
            let before = try switches()
            usleep(100_000)
            quiet = try switches() == before
        }
        #expect(quiet)
        try onLoop { connection.close() }
        withExtendedLifetime(peer) {}
    }
}

/// Numbers noted by the loop and read by the test.
final class Log: @unchecked Sendable {
    private let lock = Lock<[Int]>([])
    func append(_ value: Int) { lock.withLock { $0.append(value) } }
    var values: [Int] { lock.withLock { $0 } }
}

final class Box<Value> {
    var value: Value
    init(_ value: Value) { self.value = value }
}

enum LoopExecutorProbe {
    /// Off the loop the executor says so.
    static func check() {
        #expect(LoopActor.executor.isIsolatingCurrentContext() == false)
    }
}
