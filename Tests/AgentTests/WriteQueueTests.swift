import TestSupport
import Testing

@testable import Agent

/// Who may write, and when.
@Suite struct WriteQueueTests {
    private let start = ContinuousClock.now

    private func open(_ transaction: Int64, _ client: UInt64) -> WriteQueue.Turn {
        WriteQueue.Turn(transaction: transaction, client: client, kind: .open)
    }

    private func whole(_ transaction: Int64, _ client: UInt64) -> WriteQueue.Turn {
        WriteQueue.Turn(transaction: transaction, client: client, kind: .whole)
    }

    private func exclusive(_ transaction: Int64) -> WriteQueue.Turn {
        WriteQueue.Turn(transaction: transaction, client: nil, kind: .exclusive)
    }

    @Test func theFirstIsGrantedAtOnceAndTheOthersInOrderOfAsking() throws {
        var queue = WriteQueue()
        #expect(queue.request(open(1, 10), now: start) == [.grant(open(1, 10))])
        #expect(queue.request(open(2, 20), now: start) == [])
        #expect(queue.request(open(3, 30), now: start) == [])
        try queue.end(1, by: 10)
        #expect(queue.finished(now: start) == [.grant(open(2, 20))])
        try queue.end(2, by: 20)
        #expect(queue.finished(now: start) == [.grant(open(3, 30))])
        try queue.end(3, by: 30)
        #expect(queue.finished(now: start) == [])
        #expect(queue.isIdle)
    }

    @Test func nobodyIsGrantedWhileTheWriterThreadIsBusy() throws {
        var queue = WriteQueue()
        _ = queue.request(open(1, 10), now: start)
        try queue.end(1, by: 10)
        #expect(queue.request(open(2, 20), now: start) == [])
        #expect(queue.request(whole(3, 30), now: start) == [])
        #expect(queue.finished(now: start) == [.grant(open(2, 20))])
    }

    @Test func wholeTransactionsBehindOneAnotherRunTogetherButNotPastOthers() {
        var queue = WriteQueue()
        _ = queue.request(exclusive(1), now: start)
        for turn in [whole(2, 20), whole(3, 30), open(4, 40), whole(5, 50)] {
            #expect(queue.request(turn, now: start) == [])
        }
        #expect(queue.finished(now: start) == [.run([whole(2, 20), whole(3, 30)])])
        #expect(queue.finished(now: start) == [.grant(open(4, 40))])
        #expect(queue.clientLeft(40) == [.rollBack(open(4, 40))])
        #expect(queue.finished(now: start) == [.run([whole(5, 50)])])
    }

    @Test func aBatchIsBounded() {
        var queue = WriteQueue(batchLimit: 3)
        _ = queue.request(exclusive(1), now: start)
        for number in 2...6 { _ = queue.request(whole(Int64(number), 1), now: start) }
        #expect(queue.finished(now: start) == [.run([whole(2, 1), whole(3, 1), whole(4, 1)])])
        #expect(queue.finished(now: start) == [.run([whole(5, 1), whole(6, 1)])])
    }

    @Test func whoDoesNotHoldTheLockCanNeitherWriteNorEnd() {
        var queue = WriteQueue()
        _ = queue.request(open(1, 10), now: start)
        _ = queue.request(open(2, 20), now: start)
        #expect(throws: WriteQueue.Refusal.notHeld) { try queue.beginJob(2, by: 20) }
        #expect(throws: WriteQueue.Refusal.notHeld) { try queue.end(2, by: 20) }
        #expect(throws: WriteQueue.Refusal.notHeld) { try queue.beginJob(1, by: 20) }
        #expect(throws: WriteQueue.Refusal.notHeld) { try queue.end(1, by: 20) }
    }

    @Test func aSilentHolderIsRolledBackAndToldSo() throws {
        var queue = WriteQueue(stallLimit: .seconds(10))
        _ = queue.request(open(1, 10), now: start)
        _ = queue.request(open(2, 20), now: start)
        #expect(queue.stallDeadline == start + .seconds(10))
        #expect(queue.checkStall(now: start + .milliseconds(9_999)) == [])
        try queue.beginJob(1, by: 10)
        queue.didJob(1, now: start + .seconds(8))
        #expect(queue.checkStall(now: start + .seconds(10)) == [])
        #expect(queue.checkStall(now: start + .seconds(18)) == [.rollBack(open(1, 10))])
        #expect(queue.finished(now: start + .seconds(18)) == [.grant(open(2, 20))])
        #expect(throws: WriteQueue.Refusal.stalled) { try queue.beginJob(1, by: 10) }
        #expect(throws: WriteQueue.Refusal.stalled) { try queue.end(1, by: 10) }
        #expect(throws: WriteQueue.Refusal.notHeld) { try queue.end(1, by: 10) }
    }

    @Test func theTimeThatTheWriterThreadTakesIsNotTheHoldersSilence() throws {
        var queue = WriteQueue(stallLimit: .seconds(10))
        for turn in [open(1, 10), open(2, 20), open(3, 30)] { _ = queue.request(turn, now: start) }
        try queue.beginJob(1, by: 10)
        try queue.beginJob(1, by: 10)
        #expect(queue.stallDeadline == nil)
        #expect(queue.checkStall(now: start + .seconds(60)) == [])
        queue.didJob(1, now: start + .seconds(60))
        #expect(queue.stallDeadline == nil)
        queue.didJob(1, now: start + .seconds(70))
        #expect(queue.stallDeadline == start + .seconds(80))
        #expect(queue.checkStall(now: start + .seconds(79)) == [])
        #expect(queue.checkStall(now: start + .seconds(80)) == [.rollBack(open(1, 10))])
        // A job that ends after its transaction says nothing of the next one.
        #expect(queue.finished(now: start + .seconds(80)) == [.grant(open(2, 20))])
        queue.didJob(1, now: start + .seconds(85))
        #expect(queue.stallDeadline == start + .seconds(90))
        queue.excuse(now: start + .seconds(90))
        #expect(queue.checkStall(now: start + .seconds(99)) == [])
    }

    @Test func aSilentHolderKeepsItsTurnUntilSomebodyWaits() throws {
        var queue = WriteQueue(stallLimit: .seconds(10))
        _ = queue.request(open(1, 10), now: start)
        #expect(queue.stallDeadline == nil)
        #expect(queue.checkStall(now: start + .seconds(60)) == [])
        _ = queue.request(open(2, 20), now: start + .seconds(61))
        #expect(queue.stallDeadline == start + .seconds(10))
        try queue.beginJob(1, by: 10)
        queue.didJob(1, now: start + .seconds(62))
        #expect(queue.checkStall(now: start + .seconds(71)) == [])
        #expect(queue.checkStall(now: start + .seconds(72)) == [.rollBack(open(1, 10))])
    }

    @Test func aClientThatGoesIsForgottenWhereverItStands() {
        var queue = WriteQueue()
        _ = queue.request(open(1, 10), now: start)
        _ = queue.request(open(2, 20), now: start)
        _ = queue.request(whole(3, 20), now: start)
        _ = queue.request(open(4, 30), now: start)
        #expect(queue.clientLeft(20) == [.drop([open(2, 20), whole(3, 20)])])
        #expect(queue.clientLeft(10) == [.rollBack(open(1, 10))])
        #expect(queue.finished(now: start) == [.grant(open(4, 30))])
        #expect(!queue.isInvolved(20))
    }

    @Test func aClientThatGoesWhileItsCommitRunsDoesNotDisturbIt() throws {
        var queue = WriteQueue()
        _ = queue.request(open(1, 10), now: start)
        try queue.end(1, by: 10)
        #expect(queue.clientLeft(10) == [])
        #expect(queue.finished(now: start) == [])
        #expect(queue.isIdle)
    }

    @Test func whoSendsNothingMoreStillGetsWhatItWaitsFor() {
        var queue = WriteQueue()
        _ = queue.request(open(1, 10), now: start)
        _ = queue.request(whole(2, 10), now: start)
        #expect(queue.abandonHeld(by: 10) == [.rollBack(open(1, 10))])
        #expect(queue.finished(now: start) == [.run([whole(2, 10)])])
    }

    @Test func drainingTakesBackWhatHasNotBegun() {
        var queue = WriteQueue()
        _ = queue.request(open(1, 10), now: start)
        _ = queue.request(open(2, 20), now: start)
        _ = queue.request(whole(3, 30), now: start)
        #expect(queue.refuseWaiting() == [open(2, 20), whole(3, 30)])
        #expect(queue.holder == open(1, 10))
    }

    /// Whatever happens in whatever order: at most one holder, first come first served among those that stay.
    @Test(arguments: 0..<50) func randomEventsKeepTheOrder(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var queue = WriteQueue(batchLimit: 4)
        var asked: [Int64] = []
        var begun: [Int64] = []
        var busy = false
        var held: WriteQueue.Turn?
        var next: Int64 = 0

        func take(_ actions: [WriteQueue.Action]) {
            for action in actions {
                switch action {
                case .grant(let turn):
                    #expect(held == nil && !busy)
                    held = turn
                    begun.append(turn.transaction)
                case .run(let turns):
                    #expect(held == nil && !busy)
                    busy = true
                    begun += turns.map(\.transaction)
                case .rollBack(let turn):
                    #expect(held == turn)
                    held = nil
                    busy = true
                case .drop(let turns):
                    asked.removeAll { turns.map(\.transaction).contains($0) }
                }
            }
        }

        for _ in 0..<400 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1:
                next += 1
                asked.append(next)
                let kinds: [WriteQueue.Turn.Kind] = [.open, .whole, .whole, .exclusive]
                let kind = kinds[Int.random(in: 0..<kinds.count, using: &random)]
                take(queue.request(.init(transaction: next, client: UInt64(next), kind: kind), now: start))
            case 2:
                if let turn = held, (try? queue.end(turn.transaction, by: UInt64(turn.transaction))) != nil {
                    held = nil
                    busy = true
                }
            case 3, 4:
                if busy {
                    busy = false
                    take(queue.finished(now: start))
                }
            default:
                let client = UInt64(Int.random(in: 1...max(1, Int(next)), using: &random))
                take(queue.clientLeft(client))
            }
        }
        #expect(begun == Array(asked.prefix(begun.count)), "seed \(seed)")
    }
}
