import EventLoop
import Foundation
import Store
import Wire

// snapshot.* and write.*
extension ClientSession {
    func pin(_ request: SnapshotPin, _ responder: Responder) throws {
        let handle = try realm(request.realm)
        let snapshot = try handle.host.snapshot(nil, for: self)
        let pin = try handle.host.pin(snapshot, for: handle)
        responder.succeed(
            SnapshotPinReply(pin: pin, version: snapshot.version, generation: Int64(snapshot.generation)))
    }

    func release(_ request: SnapshotRelease, _ responder: Responder) throws {
        let handle = try realm(request.realm)
        handle.host.release(request.pins, keeping: request.kept, by: handle)
        responder.succeed(Acknowledgement())
    }

    func beginWrite(_ request: WriteBegin, _ responder: Responder) throws {
        let handle = try realm(request.realm)
        guard responder.id != nil else { throw WireError(.badMessage, "write.begin needs an id") }
        try handle.host.checkWritable()
        guard !handle.host.queue.isInvolved(handle.writer) else {
            throw WireError(
                .nestedTransaction, "the realm has a transaction open or waiting on this handle already; end it first",
                facts: ["realm": .int32(handle.number)])
        }
        handle.host.request(.open(handle, responder), client: handle.writer)
    }

    func appendWrite(_ request: WriteAppend, _ responder: Responder) throws {
        let changes = request.changes.array
        do {
            let handle = try realm(request.realm)
            try handle.host.append(changes, transaction: request.transaction, by: handle)
        } catch {
            // Without changes it only says that the transaction is alive, by another thread than the one that may have
            // ended it since.
            let isOver = error.code == .unknownTransaction || error.code == .unknownRealm
            guard changes.isEmpty, responder.id == nil, isOver else { throw error }
        }
        responder.succeed(Acknowledgement())
    }

    func commitWrite(_ request: WriteCommit, _ responder: Responder) throws {
        let handle = try realm(request.realm)
        let uid = TransactionUID(request.uid)
        let receipt = commitReceipt(handle, responder)
        if let transaction = request.transaction {
            guard !request.mustCreate, request.ifVersion == nil else {
                throw WireError(.badParams, "mustCreate and ifVersion are for commits without transaction")
            }
            try handle.host.commit(request.changes.array, uid: uid, transaction: transaction, by: handle, receipt)
        } else {
            try handle.host.checkWritable(looking: false)
            let commit = WholeCommit(
                changes: request.changes.array, uid: uid, mustCreate: request.mustCreate, ifVersion: request.ifVersion)
            handle.host.request(.whole(commit, receipt), client: handle.writer)
        }
        handle.commitsUnderWay += 1
    }

    /// Answers a commit with a pinned snapshot that contains it.
    private func commitReceipt(_ handle: RealmHandle, _ responder: Responder) -> Receipt {
        let fail: @Sendable @LoopActor (WireError) -> Void = { error in
            handle.commitsUnderWay -= 1
            responder.fail(error)
            handle.host.didRefuse(error)
        }
        let lose: @Sendable @LoopActor (WireError) -> Void = { error in
            handle.commitsUnderWay -= 1
            handle.session.dismiss(error)
        }
        guard let id = responder.id else {
            return Receipt(
                succeed: { _ in
                    handle.commitsUnderWay -= 1
                    responder.succeed(Acknowledgement())
                }, fail: fail, lose: lose)
        }
        let pin = server.nextNumber()
        let direct = Receipt.DirectReply(outlet: connection.outlet, id: id, pin: pin) { snapshot in
            guard handle.session.isOpen, handle.session.handles[handle.number] === handle else { return }
            do {
                try handle.host.pin(snapshot, as: pin, for: handle)
            } catch {
                // The commit stands; a client with that many pins has to be told something else than "failed".
                handle.session.dismiss(WireError(reporting: error))
            }
        }
        return Receipt(
            direct: direct,
            succeed: { snapshot, own, outcome in
                handle.commitsUnderWay -= 1
                guard handle.session.isOpen else { return }
                switch outcome {
                case .refused:
                    responder.succeed(
                        WriteCommitReply(
                            version: snapshot.version, pin: pin, generation: Int64(snapshot.generation), own: own))
                case .begun:
                    handle.session.connection.takeRest()
                    handle.session.answeredDirectly(responder.bytes)
                case .sent: handle.session.answeredDirectly(responder.bytes)
                }
            }, fail: fail, lose: lose)
    }

    func cancelWrite(_ request: WriteCancel, _ responder: Responder) throws {
        let handle = try realm(request.realm)
        try handle.host.cancel(request.transaction, by: handle)
        responder.succeed(Acknowledgement())
    }

    /// Waits in line like a commit, so that a commit that came before has been decided, and until it is on disk.
    func writeOutcome(_ request: WriteOutcome, _ responder: Responder) throws {
        let handle = try realm(request.realm)
        let uid = TransactionUID(request.uid)
        let work = ExclusiveWork(
            body: { writer in
                let file = try writer.openFile()
                let version = try file.outcome(of: uid)
                if version == nil, let after = request.after, try !file.remembersTransactions(after: after) {
                    throw WireError(
                        .outcomeUnknown,
                        "the realm doesn't remember all transactions since version \(after): whether that one was "
                            + "written can't be told",
                        facts: ["after": .int64(Int64(bitPattern: after))])
                }
                return Receipt(
                    succeed: { _ in responder.succeed(WriteOutcomeReply(version: version)) },
                    fail: { responder.fail($0) })
            }, fail: { responder.fail($0) })
        handle.host.request(.exclusive(work), client: handle.writer)
    }

    func queryWrite(_ request: WriteQuery, _ responder: Responder) throws {
        let handle = try realm(request.realm)
        guard let id = responder.id else { throw WireError(.badMessage, "write.query needs an id") }
        let limit = rules.limits.frame
        try handle.host.read(inside: request.transaction, by: handle) { transaction in
            let snapshot = try transaction.reader()
            let query = try request.query.classQuery(in: snapshot.schema)
            let keys = try snapshot.objects(query, among: request.query.keys)
            // The transaction's state is gone with the next append, so there can be no cursor: all or nothing.
            let batch = ObjectBatch(
                table: query.className, keys: keys, form: request.form, countLimit: .max, byteLimit: Int(limit) - 1024)
            let (frame, next) = try batch.frame(id: id, snapshot: snapshot, from: 0, cursor: nil, count: keys.count)
            guard next == keys.count else {
                throw WireError(
                    .frameTooLarge, "the \(keys.count) objects don't fit into one reply; ask for keysOnly",
                    facts: ["limit": .int64(Int64(limit))])
            }
            return frame
        } completion: { [self] result in
            writeQueries -= 1
            switch result {
            case .success(let frame): responder.succeed(frame: frame)
            case .failure(let error): responder.fail(error)
            }
            takeMore()
        }
        writeQueries += 1
    }
}
