import TestSupport
import Testing

@testable import EventLoop

@Suite("Schedulers")
struct SchedulerTests {
    @Test("time moved by hand runs timers in order of their moments, then of their starts")
    func order() throws {
        try onLoop {
            let time = ManualScheduler()
            var ran: [String] = []
            let timers = ["a", "b", "c", "d"].map { name in time.timer { ran.append("\(name)\(time.now)") } }
            timers[0].start(after: .seconds(2), repeating: nil)
            timers[1].start(after: .seconds(1), repeating: nil)
            timers[2].start(after: .seconds(1), repeating: nil)
            timers[3].start(after: .seconds(1), repeating: nil)
            timers[3].cancel()
            #expect(time.nextDue == .seconds(1))
            time.advance(by: .seconds(1))
            #expect(ran == ["b1.0 seconds", "c1.0 seconds"])
            time.advance(by: .seconds(9))
            #expect(ran.last == "a2.0 seconds" && time.now == .seconds(10) && time.nextDue == nil)
            #expect(!time.step())
        }
    }

    @Test("a repeating timer repeats until it is closed, a restarted one has its new moment only")
    func repeating() throws {
        try onLoop {
            let time = ManualScheduler()
            var count = 0
            let timer = time.timer { count += 1 }
            timer.start(after: .seconds(5), repeating: nil)
            timer.start(after: .seconds(1), repeating: .seconds(2))
            time.advance(by: .seconds(5))
            #expect(count == 3)
            timer.close()
            timer.start(after: .zero, repeating: nil)
            time.advance(by: .seconds(5))
            #expect(count == 3 && time.nextDue == nil)
        }
    }

    @Test("a system that never rests is noticed")
    func restless() throws {
        try onLoop {
            let time = ManualScheduler()
            let timer = time.timer {}
            timer.start(after: .zero, repeating: .zero)
            #expect(!time.settle(limit: 100))
            timer.close()
            #expect(time.settle())
        }
    }

    @Test("the loop's scheduler runs on the loop's timers")
    func loop() throws {
        let ran = try onLoop { StreamRecorder() }
        let timer = try onLoop {
            let time = LoopScheduler()
            let timer = time.timer { ran.ends += 1 }
            timer.start(after: .milliseconds(1), repeating: nil)
            return timer
        }
        #expect(try eventuallyOnLoop { ran.ends == 1 })
        try onLoop { timer.close() }
    }
}
