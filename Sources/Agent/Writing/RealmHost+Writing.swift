import EventLoop
import Foundation
import Store
import Wire

// Who writes when, and what the writer thread is given.
extension RealmHost {
    /// Puts a turn into the line. The caller has entered the realm or has a handle on it.
    func request(_ work: WriteTurn, client: UInt64?) {
        let transaction = server.nextNumber()
        let kind: WriteQueue.Turn.Kind =
            switch work {
            case .open: .open
            case .whole: .whole
            case .exclusive: .exclusive
            }
        turns[transaction] = work
        carryOut(queue.request(WriteQueue.Turn(transaction: transaction, client: client, kind: kind), now: .now))
    }

    /// Runs `body` on the writer thread with the realm to itself, when its turn has come; calls back once everything up to
    /// then is on disk, or with what went wrong.
    func exclusively<Value: Sendable>(
        _ body: @escaping @Sendable (RealmWriter) throws -> Value,
        completion: @escaping @Sendable @LoopActor (Result<Value, WireError>) -> Void
    ) {
        let fail: @Sendable @LoopActor (WireError) -> Void = { completion(.failure($0)) }
        let work = ExclusiveWork(
            body: { writer in
                let value = try body(writer)
                return Receipt(succeed: { _ in completion(.success(value)) }, fail: fail)
            }, fail: fail)
        request(.exclusive(work), client: nil)
    }

    /// Throws if nothing may be written any more. With `looking: false` the file's place isn't looked at, which the
    /// writer thread does in any case: see `didRefuse`.
    func checkWritable(looking: Bool = true) throws(WireError) {
        if isDraining { throw WireError(.shuttingDown, "the agent is shutting down and takes no transactions") }
        if let syncFailure { throw syncFailure }
        guard isReplaced || looking && !isInPlace else { return }
        if !isReplaced { registry.retire(self) }
        throw replacedError
    }

    /// The writer thread has refused a commit; if its file has lost its place, that is known from now on.
    func didRefuse(_ error: WireError) {
        if error.code == .fileNotFound, !isReplaced, queue.isIdle, !isInPlace { registry.retire(self) }
    }

    private func carryOut(_ actions: [WriteQueue.Action]) {
        for action in actions {
            switch action {
            case .grant(let turn): grant(turn)
            case .run(let turns): run(turns)
            case .rollBack(let turn): rollBack(turn)
            case .drop(let dropped):
                refuse(dropped, WireError(.cancelled, "the realm was closed before it was the request's turn"))
            }
        }
        armStallTimer()
    }

    /// The writer thread is through with what it was given.
    func turnEnded() {
        carryOut(queue.finished(now: .now))
        if isDraining { server.checkDrained() }
        closeIfUnused()
    }

    // MARK: Open transactions

    private func grant(_ turn: WriteQueue.Turn) {
        guard case .open(let handle, let responder)? = turns[turn.transaction], let newest else { return }
        do {
            let pin = try pin(newest, for: handle)
            responder.succeed(
                WriteBeginReply(
                    transaction: turn.transaction, version: newest.version, pin: pin,
                    generation: Int64(newest.generation)))
            // What it sends next may stand behind requests that have to wait for just this transaction.
            handle.session.takeMore()
        } catch {
            responder.fail(error)
            turns[turn.transaction] = nil
            if (try? queue.end(turn.transaction, by: handle.writer)) != nil { turnEnded() }
        }
    }

    func append(_ changes: [UInt8], transaction: Int64, by handle: RealmHandle) throws(WireError) {
        try beginJob(transaction, by: handle)
        let session = handle.session
        session.unappliedBytes += changes.count
        let count = changes.count
        writer.perform { writer in
            writer.append(changes)
            EventLoop.shared.post {
                session.unappliedBytes -= count
                self.didJob(transaction)
                session.takeMore()
            }
        }
    }

    /// Runs `body` on the writer thread inside the open transaction, then `completion` on the loop.
    func read<Value: Sendable>(
        inside transaction: Int64, by handle: RealmHandle,
        _ body: @escaping @Sendable (WriteTransaction) throws -> Value,
        completion: @escaping @Sendable @LoopActor (Result<Value, any Error>) -> Void
    ) throws(WireError) {
        try beginJob(transaction, by: handle)
        writer.perform { writer in
            let result = Result { try body(writer.current()) }
            EventLoop.shared.post {
                self.didJob(transaction)
                completion(result)
            }
        }
    }

    private func beginJob(_ transaction: Int64, by handle: RealmHandle) throws(WireError) {
        do throws(WriteQueue.Refusal) {
            try queue.beginJob(transaction, by: handle.writer)
        } catch {
            throw refusal(error, transaction)
        }
    }

    /// The client's silence counts from now on: the time that its work took wasn't its own.
    private func didJob(_ transaction: Int64) {
        queue.didJob(transaction, now: .now)
        armStallTimer()
    }

    func commit(_ changes: [UInt8], uid: TransactionUID, transaction: Int64, by handle: RealmHandle, _ receipt: Receipt)
        throws(WireError)
    {
        do throws(WriteQueue.Refusal) {
            try queue.end(transaction, by: handle.writer)
        } catch {
            throw refusal(error, transaction)
        }
        turns[transaction] = nil
        let syncs = queue.waitingCount == 0
        writer.perform { writer in
            var receipt = receipt
            do throws(WireError) {
                receipt.own = try writer.commitOpen(changes, uid: uid)
            } catch {
                EventLoop.shared.post { [receipt] in
                    receipt.fail(error)
                    self.turnEnded()
                }
                return
            }
            self.report([receipt], from: writer, syncs: syncs)
        }
    }

    func cancel(_ transaction: Int64, by handle: RealmHandle) throws(WireError) {
        do throws(WriteQueue.Refusal) {
            try queue.end(transaction, by: handle.writer)
        } catch {
            throw refusal(error, transaction)
        }
        undo(transaction)
    }

    private func rollBack(_ turn: WriteQueue.Turn) {
        counters.rollbacks += 1
        if case .open(let handle, _)? = turns[turn.transaction], handle.session.isOpen {
            AgentLog.write("\(path): a transaction of \(handle.session.title) was rolled back: silent for too long")
        }
        undo(turn.transaction)
    }

    private func undo(_ transaction: Int64) {
        turns[transaction] = nil
        writer.perform { writer in
            writer.rollBack()
            EventLoop.shared.post { self.turnEnded() }
        }
    }

    private func refusal(_ refusal: WriteQueue.Refusal, _ transaction: Int64) -> WireError {
        switch refusal {
        case .stalled:
            WireError(
                .transactionStalled,
                "the transaction was rolled back: its client sent nothing for \(queue.stallLimit.milliseconds) ms",
                facts: ["limit": .int64(queue.stallLimit.milliseconds)])
        case .notHeld:
            WireError(
                .unknownTransaction, "the connection has no open transaction \(transaction)",
                facts: ["transaction": .int64(transaction)])
        }
    }

    // MARK: Turns that the writer thread takes alone

    private func run(_ batch: [WriteQueue.Turn]) {
        var commits: [(WholeCommit, Receipt)] = []
        for turn in batch {
            switch turns.removeValue(forKey: turn.transaction) {
            case .whole(let commit, let receipt): commits.append((commit, receipt))
            case .exclusive(let work): return run(work)
            case .open, nil: preconditionFailure("turn \(turn) has no work")
            }
        }
        run(commits)
    }

    private func run(_ work: ExclusiveWork) {
        let syncs = queue.waitingCount == 0
        writer.perform { writer in
            let receipt: Receipt
            do {
                receipt = try work.body(writer)
            } catch {
                let failure = WireError(reporting: error, path: self.path)
                EventLoop.shared.post {
                    work.fail(failure)
                    self.turnEnded()
                }
                return
            }
            self.report([receipt], from: writer, syncs: syncs)
        }
    }

    private func run(_ commits: [(WholeCommit, Receipt)]) {
        let syncs = queue.waitingCount == 0
        writer.perform { writer in
            let outcomes = writer.commitWhole(commits.map(\.0))
            var receipts: [Receipt] = []
            var refusals: [(Receipt, WireError)] = []
            for (outcome, (_, receipt)) in zip(outcomes, commits) {
                switch outcome {
                case .success(let version):
                    var receipt = receipt
                    receipt.own = version
                    receipts.append(receipt)
                case .failure(let error): refusals.append((receipt, error))
                }
            }
            if !refusals.isEmpty {
                EventLoop.shared.post { [refusals] in for (receipt, error) in refusals { receipt.fail(error) } }
            }
            self.report(receipts, from: writer, syncs: syncs)
        }
    }

    // MARK: Clients that go

    /// The client won't end what it holds open under the handle, and waits for nothing more.
    func abandonTransactions(of handle: RealmHandle) { carryOut(queue.clientLeft(handle.writer)) }

    /// The client sends nothing more, but waits for the answers that are due.
    func abandonOpenTransaction(of handle: RealmHandle) {
        guard queue.holder?.client == handle.writer else { return }
        carryOut(queue.abandonHeld(by: handle.writer))
    }

    func refuseWaiting(_ error: WireError) { refuse(queue.refuseWaiting(), error) }

    /// Tells those who asked for them that these turns never come.
    private func refuse(_ refused: [WriteQueue.Turn], _ error: WireError) {
        for turn in refused {
            switch turns.removeValue(forKey: turn.transaction) {
            case .open(_, let responder): responder.fail(error)
            case .whole(_, let receipt): receipt.fail(error)
            case .exclusive(let work): work.fail(error)
            case nil: break
            }
        }
    }

    // MARK: Stalls

    private func armStallTimer() {
        guard let deadline = queue.stallDeadline else { return }
        let timer = stallTimer ?? LoopTimer { [unowned self] in checkStall() }
        stallTimer = timer
        // A timer that is due too early looks again; starting one for each transaction would cost more.
        if !timer.isActive { timer.start(after: max(.zero, deadline - .now)) }
    }

    private func checkStall() {
        let holder = queue.holder?.client
        if handles.first(where: { $0.writer == holder })?.session.isUnheard == true { queue.excuse(now: .now) }
        carryOut(queue.checkStall(now: .now))
    }

    // MARK: The end

    /// Whether nothing is being written and everything written is on disk, or can't be brought there.
    var isQuiet: Bool { queue.isIdle && writer.line.isQuiet }

    func drain(abandoning: Bool) {
        isDraining = true
        sync?.end()
        endFateWaits(WireError(.shuttingDown, "the agent is shutting down"))
        refuseWaiting(WireError(.shuttingDown, "the agent is shutting down and takes no transactions"))
        guard abandoning, let holder = queue.holder, let client = holder.client else { return }
        carryOut(queue.abandonHeld(by: client))
    }
}
