import EventLoop
import Model
import Query
import Store
import Wire

/// A query whose changes a client wants to hear of.
///
/// After each durable commit, unless the one before is still being looked at or the client is slow: then several
/// commits become one event, so a slow client costs one evaluation and never a queue.
@LoopActor
final class Subscription {
    let number: Int64
    let handle: RealmHandle
    private let request: QueryRequest
    private let form: ObjectForm
    private var known: Known
    /// Whether it stands in the connection's line of those to be looked at, or is being looked at.
    private var isUnderWay = false
    private var hasEnded = false

    /// What the client has been told.
    struct Known: Sendable {
        var snapshot: HeldSnapshot
        var keys: [ObjectKey]
    }

    /// Subscriptions of one connection.
    static let limit = 256

    init(number: Int64, handle: RealmHandle, request: QueryRequest, form: ObjectForm, known: Known) {
        self.number = number
        self.handle = handle
        self.request = request
        self.form = form
        self.known = known
    }

    func end() { hasEnded = true }

    /// The version that the client knows.
    var knownVersion: UInt64 { known.snapshot.version }
    var knownHold: PinTable.Hold { known.snapshot.hold }

    /// The newest durable snapshot, if the client hasn't been told of it.
    private var news: HeldSnapshot? {
        guard !hasEnded, handle.session.isOpen, let durable = handle.host.durable, durable.hold != known.snapshot.hold,
            durable.version > known.snapshot.version || durable.generation > known.snapshot.generation
        else { return nil }
        return durable
    }

    /// Has the newest durable snapshot looked at in its turn, if the client hasn't been told of it.
    func evaluate() {
        guard !isUnderWay, news != nil else { return }
        isUnderWay = true
        handle.session.evaluate(self)
    }

    /// Its turn has come. False if there is nothing to look at any more.
    func begin() -> Bool {
        guard let news else {
            isUnderWay = false
            return false
        }
        let (known, request, form, number, session) = (known, request, form, number, handle.session)
        let host = handle.host
        host.beginRead()
        session.server.pool.perform {
            let outcome = Result { try Self.changes(request, form, number, from: known, to: news) }
            EventLoop.shared.post {
                self.didEvaluate(outcome, session)
                host.endRead()
            }
        }
        return true
    }

    private func didEvaluate(_ outcome: Result<Evaluation, any Error>, _ session: ClientSession) {
        isUnderWay = false
        defer { session.didEvaluate() }
        guard !hasEnded else { return }
        switch outcome {
        case .success(let evaluation):
            known = evaluation.known
            for frame in evaluation.frames { session.connection.write(frame) }
        case .failure(let error):
            // The query fitted the schema once. Without its class there is nothing left to watch.
            AgentLog.write("\(session.title): a subscription ended: \(error)")
            hasEnded = true
            session.subscriptions[number] = nil
            session.send(
                event: Changed(
                    subscription: number, version: known.snapshot.version, reset: true, count: 0,
                    insertions: .objects([]), modifications: .objects([]), deletions: .objects([])))
        }
        evaluate()
    }
}

// MARK: - On the pool
extension Subscription {
    struct Evaluation: Sendable {
        var known: Known
        var frames: [[UInt8]]
    }

    private nonisolated static func changes(
        _ request: QueryRequest, _ form: ObjectForm, _ number: Int64, from known: Known, to newest: HeldSnapshot
    ) throws -> Evaluation {
        let snapshot = newest.snapshot
        let query = try request.classQuery(in: snapshot.schema)
        let summary = snapshot.changes(after: known.snapshot.version)
        if let summary, !summary.schemaChanged, !query.mayDepend(on: summary, schema: snapshot.schema) {
            return Evaluation(known: Known(snapshot: newest, keys: known.keys), frames: [])
        }
        let keys = try snapshot.objects(query, among: request.keys)
        guard let table = snapshot.schema.table(named: query.className) else {
            throw WireError(.unknownClass, "no class \(query.className)")
        }
        let frames = ChangeFrames(number: number, form: form, count: keys.count, isInitial: false)
        guard let summary else {
            // The changes in between aren't kept any more: the client has to read anew.
            return Evaluation(
                known: Known(snapshot: newest, keys: keys), frames: [try frames.reset(version: newest.version)])
        }
        let touched = summary.tables[table.id] ?? TableChanges()
        let recreated = Set(touched.deletions.keys.filter { touched.insertions.contains($0) })
        let changes = ResultChanges(from: known.keys, to: keys, recreated: recreated) {
            touched.modifications[$0] != nil
        }
        let next = Known(snapshot: newest, keys: keys)
        guard !changes.isEmpty else { return Evaluation(known: next, frames: []) }
        return Evaluation(
            known: next,
            frames: try frames.frames(
                changes, className: query.className, before: known.snapshot.snapshot, after: snapshot))
    }
}

extension ClassQuery {
    /// Whether its result can differ after such changes: its own class has changed, or any, if the query follows links.
    func mayDepend(on changes: ChangeSummary, schema: StoredSchema) -> Bool {
        let touched = Set(changes.tables.filter { !$0.value.isEmpty }.map(\.key))
        guard let table = schema.table(named: className) else { return true }
        if touched.contains(table.id) { return true }
        // A query over its own plain properties only can't see other classes.
        let followsLinks = table.columns.contains { $0.property.type == .link } || !schema.hasNoLinks(to: className)
        return followsLinks && !touched.isEmpty
    }
}

extension StoredSchema {
    /// Whether no class links to this one, so that there are no backlinks to query.
    func hasNoLinks(to className: String) -> Bool {
        tables.allSatisfy { $0.columns.allSatisfy { $0.property.target != className } }
    }
}
