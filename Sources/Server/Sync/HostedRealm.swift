import EventLoop
import Sync

/// A server realm and who is bound to it. The work is done beside the loop, one job after another.
@LoopActor
final class HostedRealm {
    /// A session on a connection.
    struct Seat: Hashable {
        var connection: ObjectIdentifier
        var session: Int64
    }

    private struct Guest {
        weak var connection: SyncConnection?
        var session: Int64
        var flexible: FlexibleSeat?
    }

    let address: RealmAddress
    private let box: RealmBox
    private let line: StoreLine
    private unowned let realms: HostedRealms
    private var guests: [Seat: Guest] = [:]
    /// Which seat speaks for a client file (P-51).
    private var files: [Int64: Seat] = [:]
    /// What is being done, but for the requests that wait.
    private var jobs = 0
    private var waiting: [Request] = []
    private var version: Int64 = 0
    private var idleTimer: (any ScheduledTimer)?
    /// When the history may be compacted again.
    private var nextCompaction = Duration.zero

    init(_ address: RealmAddress, _ box: RealmBox, _ line: StoreLine, _ realms: HostedRealms) {
        self.address = address
        self.box = box
        self.line = line
        self.realms = realms
    }

    /// Nobody is bound to it, and nothing is being done.
    var isIdle: Bool { guests.isEmpty && jobs == 0 && waiting.isEmpty }

    // MARK: Sessions

    func attach(_ connection: SyncConnection, _ session: Int64, _ flexible: FlexibleSeat? = nil) {
        guests[Seat(connection: ObjectIdentifier(connection), session: session)] = Guest(
            connection: connection, session: session, flexible: flexible)
        idleTimer?.cancel()
    }

    func detach(_ connection: SyncConnection, _ session: Int64) {
        let seat = Seat(connection: ObjectIdentifier(connection), session: session)
        if let flexible = guests.removeValue(forKey: seat)?.flexible {
            jobs += 1
            line.perform {
                flexible.leave()
            } completion: { [self] _ in
                jobs -= 1
                if jobs == 0 { performWaiting() }
            }
        }
        for (file, holder) in files where holder == seat {
            files[file] = nil
            hear(of: file)
        }
        becomeIdle()
    }

    /// A session is that of this file from now on; whoever was it before on another connection is dead.
    func claim(_ file: Int64, by connection: SyncConnection, _ session: Int64) {
        let seat = Seat(connection: ObjectIdentifier(connection), session: session)
        let earlier = files.updateValue(seat, forKey: file)
        guard let earlier, earlier.connection != seat.connection else { return }
        guests[earlier]?.connection?.supersede(file: file)
    }

    private func hear(of file: Int64) {
        jobs += 1
        let box = box
        line.perform {
            box.heard(of: file)
        } completion: { [self] fault in
            jobs -= 1
            if let fault { realms.report("sync.realm-failed", address, fault) }
            if jobs == 0 { performWaiting() }
        }
    }

    // MARK: Work

    private struct Request {
        var author: Seat
        var job: RealmBox.Job
        var completion: @LoopActor (ServerAnswer) -> Void
    }

    /// So many requests are made durable by one sync.
    private static let requestsTogether = 64

    /// Does a session's work; tells the other sessions when the history has grown.
    func perform(
        _ request: ServerRequest, for connection: SyncConnection, writeRefusal: SessionFailure?,
        completion: @escaping @LoopActor (ServerAnswer) -> Void
    ) {
        let author = Seat(connection: ObjectIdentifier(connection), session: request.session)
        waiting.append(
            Request(
                author: author,
                job: RealmBox.Job(
                    work: request.work, user: connection.peer.userId, writeRefusal: writeRefusal,
                    seat: guests[author]?.flexible),
                completion: completion))
        if jobs == 0 { performWaiting() }
    }

    /// Does what has come while something else was done.
    private func performWaiting() {
        guard !waiting.isEmpty else { return becomeIdle() }
        let requests = Array(waiting.prefix(Self.requestsTogether))
        waiting.removeFirst(requests.count)
        jobs += 1
        let box = box
        let work = requests.map(\.job)
        line.perform {
            box.answer(work)
        } completion: { [self] outcomes in
            for (request, outcome) in zip(requests, outcomes) { finish(request, outcome) }
            jobs -= 1
            if jobs == 0 { performWaiting() }
        }
    }

    private func finish(_ request: Request, _ outcome: RealmBox.Outcome) {
        if let fault = outcome.fault { realms.report("sync.realm-failed", address, fault) }
        request.completion(outcome.answer)
        if outcome.isCompactionDue { compactHistory() }
        if let woken = outcome.woken { return wake(woken) }
        if let version = outcome.version, version > self.version {
            // The first job finds what earlier runs have written; no session knows of it, so telling all is right.
            self.version = version
            for (seat, guest) in guests where seat != request.author { guest.connection?.historyGrew(guest.session) }
        }
    }

    /// Compacts the history after what is being done. Clients that hold it back may do so for long: it isn't tried all the
    /// time.
    private func compactHistory() {
        let now = realms.scheduler.now
        guard now >= nextCompaction else { return }
        nextCompaction = now + realms.options.compactionInterval
        jobs += 1
        let box = box
        line.perform {
            box.compactHistory()
        } completion: { [self] result in
            jobs -= 1
            switch result {
            case .success(let bytes): realms.compacted(address, bytes)
            case .failure(let error): realms.report("sync.compaction-failed", address, "\(error)")
            }
            if jobs == 0 { performWaiting() }
        }
    }

    /// Tells the sessions of some client files that there is news.
    private func wake(_ files: Set<Int64>) {
        for file in files {
            guard let seat = self.files[file], let guest = guests[seat] else { continue }
            guest.connection?.historyGrew(guest.session)
        }
    }

    // MARK: Idleness

    private func becomeIdle() {
        guard isIdle else { return }
        let timer = idleTimer ?? realms.scheduler.timer { [weak self] in self?.close {} }
        idleTimer = timer
        timer.start(after: realms.options.realmIdle, repeating: nil)
    }

    /// Closes the file if nobody needs it, and leaves the table of realms; a session that comes meanwhile keeps it there,
    /// and its first job opens the file again.
    func close(completion: @escaping @LoopActor () -> Void) {
        guard isIdle else { return completion() }
        jobs += 1
        let box = box
        line.perform {
            box.close()
        } completion: { [self] fault in
            jobs -= 1
            if let fault { realms.report("sync.realm-close-failed", address, fault) }
            if isIdle {
                idleTimer?.close()
                idleTimer = nil
                realms.remove(self)
            }
            completion()
            if jobs == 0, !waiting.isEmpty { performWaiting() }
        }
    }
}
