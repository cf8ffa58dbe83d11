import EventLoop
import Foundation
import Model
import Query
import Store
import Wire

/// A read: prepared on the loop when its turn comes, carried out on the pool, answered on the loop.
struct ReadJob {
    typealias Answer = @Sendable @LoopActor () -> Void
    typealias Body = @Sendable () throws -> Answer

    var responder: Responder
    var host: RealmHost
    /// What it is going to read, and keeps until then.
    var hold: PinTable.Hold?
    var prepare: @LoopActor () throws -> Body
}

// read.*
extension ClientSession {
    /// One read of a connection runs at a time, and none while the client is slow to take what it got: so what waits
    /// to be sent stays bounded, whatever is asked.
    func read(
        _ responder: Responder, of host: RealmHost, _ snapshot: HeldSnapshot, _ body: @escaping ReadJob.Body
    ) {
        enqueue(ReadJob(responder: responder, host: host, hold: snapshot.hold) { body })
    }

    private func enqueue(_ job: ReadJob) {
        waitingReads.append(job)
        runReads()
    }

    func runReads() {
        while isOpen, !runningRead, !connection.isUnderPressure, !waitingReads.isEmpty {
            let job = waitingReads.removeFirst()
            do {
                start(try job.prepare(), job)
            } catch {
                job.responder.fail(error)
            }
        }
    }

    private func start(_ body: @escaping ReadJob.Body, _ job: ReadJob) {
        let (responder, host) = (job.responder, job.host)
        runningRead = true
        host.beginRead()
        server.pool.perform {
            let outcome = Result { try body() }
            EventLoop.shared.post {
                self.runningRead = false
                switch outcome {
                case .success(let answer): answer()
                case .failure(let error): responder.fail(error)
                }
                host.endRead()
                self.runReads()
            }
        }
    }

    private func needId(_ responder: Responder) throws(WireError) -> Int64 {
        guard let id = responder.id else { throw WireError(.badMessage, "a read needs an id") }
        return id
    }

    func readQuery(_ request: ReadQuery, _ responder: Responder) throws {
        let id = try needId(responder)
        let handle = try realm(request.realm)
        let held = try handle.host.snapshot(request.pin, for: self)
        let number = server.nextNumber()
        read(responder, of: handle.host, held) { [self] in
            let query = try request.query.classQuery(in: held.snapshot.schema)
            let keys = try held.snapshot.objects(query, among: request.query.keys)
            let batch = ObjectBatch(table: query.className, keys: keys, form: request.form, batch: request.form.batch)
            let (frame, next) = try batch.frame(
                id: id, snapshot: held.snapshot, from: 0, cursor: number, count: keys.count)
            return { [self] in
                if next < keys.count {
                    let cursor = Cursor(realm: handle.number, snapshot: held, batch: batch, position: next)
                    if let refusal = keep(cursor, number) { return responder.fail(refusal) }
                }
                responder.succeed(frame: frame)
            }
        }
    }

    private func keep(_ cursor: Cursor, _ number: Int64) -> WireError? {
        guard isOpen, handles[cursor.realm] != nil else { return WireError(.unknownRealm, "the realm was closed") }
        let kept = cursors.values.reduce(0) { $0 + $1.batch.keys.count }
        guard cursors.count < Cursor.limit, cursors.isEmpty || kept + cursor.batch.keys.count <= Cursor.keyLimit else {
            return WireError(
                .tooManyHandles, "too much is kept under \(cursors.count) cursors; read them to the end or close them",
                facts: ["limit": .int32(Int32(Cursor.limit))])
        }
        cursors[number] = cursor
        return nil
    }

    func readNext(_ request: ReadNext, _ responder: Responder) throws {
        let id = try needId(responder)
        guard let cursor = cursors[request.cursor] else { throw unknownCursor(request.cursor) }
        let host = try realm(cursor.realm).host
        // Several may be under way: the place is known when the one before is done.
        enqueue(ReadJob(responder: responder, host: host) { [self] in try nextBatch(request, id, responder) })
    }

    private func nextBatch(_ request: ReadNext, _ id: Int64, _ responder: Responder) throws -> ReadJob.Body {
        guard var cursor = cursors[request.cursor] else { throw unknownCursor(request.cursor) }
        if let batch = request.batch { cursor.batch.countLimit = Int(max(1, batch)) }
        return { [self, cursor] in
            let (frame, next) = try cursor.batch.frame(
                id: id, snapshot: cursor.snapshot.snapshot, from: cursor.position, cursor: request.cursor, count: nil)
            return { [self] in
                cursors[request.cursor]?.position = next
                if next == cursor.batch.keys.count { cursors[request.cursor] = nil }
                responder.succeed(frame: frame)
            }
        }
    }

    private func unknownCursor(_ number: Int64) -> WireError {
        WireError(.unknownCursor, "the connection has no cursor \(number)", facts: ["cursor": .int64(number)])
    }

    func readClose(_ request: ReadClose, _ responder: Responder) throws {
        guard cursors.removeValue(forKey: request.cursor) != nil else { throw unknownCursor(request.cursor) }
        responder.succeed(Acknowledgement())
    }

    /// A point read costs less than a way to another thread and back.
    func readGet(_ request: ReadGet, _ responder: Responder) throws {
        _ = try needId(responder)
        let held = try realm(request.realm).host.snapshot(request.pin, for: self)
        guard let table = held.snapshot.table(named: request.className) else {
            throw WireError(
                .unknownClass, "the realm has no class \(request.className)",
                facts: ["class": .string(request.className)])
        }
        let objects = try ObjectWriter(table, properties: request.properties)
        let key = table.find(request.key)
        responder.succeed { id, send in
            try server.encoder.result(
                id: id,
                writing: { writer in
                    writer.int64("version", Int64(bitPattern: held.version))
                    if let key { objects.write(key, as: "object", to: writer) }
                    try held.snapshot.checkIntact()
                }, send: send)
        }
    }

    func readCount(_ request: ReadCount, _ responder: Responder) throws {
        let host = try realm(request.realm).host
        let held = try host.snapshot(request.pin, for: self)
        read(responder, of: host, held) {
            let query = try request.query.classQuery(in: held.snapshot.schema)
            let count =
                try request.query.keys.map { try held.snapshot.objects(query, among: $0).count }
                ?? held.snapshot.count(query)
            return { responder.succeed(ReadCountReply(version: held.version, count: Int64(count))) }
        }
    }

    func readExplain(_ request: ReadExplain, _ responder: Responder) throws {
        let host = try realm(request.realm).host
        let held = try host.snapshot(request.pin, for: self)
        read(responder, of: host, held) {
            let plan = try held.snapshot.plan(try request.query.classQuery(in: held.snapshot.schema))
            return { responder.succeed(ReadExplainReply(version: held.version, lines: plan.lines)) }
        }
    }

    func readAggregate(_ request: ReadAggregate, _ responder: Responder) throws {
        let host = try realm(request.realm).host
        let held = try host.snapshot(request.pin, for: self)
        guard let path = PropertyPath(keyPath: request.property) else {
            throw WireError(.badParams, "\"\(request.property)\" is not a path of properties")
        }
        read(responder, of: host, held) {
            let query = try request.query.classQuery(in: held.snapshot.schema)
            let value =
                try request.query.keys.map {
                    try held.snapshot.aggregate(
                        request.function.function, path, className: query.className,
                        keys: held.snapshot.objects(query, among: $0))
                } ?? held.snapshot.aggregate(request.function.function, path, over: query)
            return { responder.succeed(ReadAggregateReply(version: held.version, value: value)) }
        }
    }
}
