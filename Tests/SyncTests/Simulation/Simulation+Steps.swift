import TestSupport
import Testing

@testable import Sync

extension Simulation {
    enum Step {
        case clientSends(Int)
        case serverReceives(Int)
        case serverSends(Int)
        case clientReceives(Int)
        case historyWorks(Int)
        case serverIsAnswered(Int)
        case fileWorks(Int)
        case clientIsAnswered(Int)
        case connects(Int)
        case refreshes(Int)
        case noticesBreak(Int)
    }

    /// What can happen next without anybody's doing.
    var possible: [Step] {
        var steps: [Step] = []
        for (number, link) in links.sorted(by: { $0.key < $1.key }) {
            let isOurs = clients[link.client].link == number
            if isOurs, link.isOpenAtClient, link.toServer.count < SimulatedLink.capacity,
                clients[link.client].connection.hasOutput
            {
                steps.append(.clientSends(number))
            }
            if !link.toServer.isEmpty, link.server?.wantsInput == true { steps.append(.serverReceives(number)) }
            if link.toClient.count < SimulatedLink.capacity, link.server?.hasOutput == true {
                steps.append(.serverSends(number))
            }
            if isOurs, !link.toClient.isEmpty, clients[link.client].connection.wantsInput {
                steps.append(.clientReceives(number))
            }
            if !link.requests.isEmpty { steps.append(.historyWorks(number)) }
            if !link.answers.isEmpty { steps.append(.serverIsAnswered(number)) }
            if link.isOpenAtClient != (link.server != nil), link.toServer.isEmpty || link.server == nil {
                steps.append(.noticesBreak(number))
            }
        }
        for (index, client) in clients.enumerated() {
            if !client.requests.isEmpty { steps.append(.fileWorks(index)) }
            if !client.answers.isEmpty { steps.append(.clientIsAnswered(index)) }
            if client.wantsToConnect { steps.append(.connects(index)) }
            if client.wantsToken || client.wantsLocation { steps.append(.refreshes(index)) }
        }
        return steps
    }

    mutating func take(_ step: Step) {
        now += .milliseconds(1)
        switch step {
        case .clientSends(let link): sendFromClient(link)
        case .serverReceives(let link): receiveAtServer(link)
        case .serverSends(let link): sendFromServer(link)
        case .clientReceives(let link): receiveAtClient(link)
        case .historyWorks(let link): answerAtServer(link)
        case .serverIsAnswered(let link):
            guard let (request, answer) = links[link]?.answers.removeFirst(),
                let effects = links[link]?.server?.answered(request, answer)
            else { return }
            perform(effects, link: link)
        case .fileWorks(let index):
            let request = clients[index].requests.removeFirst()
            guard let path = clients[index].sessions[request.session],
                let answer = clients[index].files[path]?.answer(request.work)
            else { return }
            clients[index].answers.append((request, answer))
        case .clientIsAnswered(let index):
            let (request, answer) = clients[index].answers.removeFirst()
            perform(clients[index].connection.answered(request, answer, now: now), client: index)
        case .connects(let index):
            if !isCalm, roll(6) == 0 {
                clients[index].wantsToConnect = false
                let failures: [ConnectionFailure] = [.connect, .resolve, .http(401), .closed(4001), .closed(4003)]
                perform(
                    clients[index].connection.failed(failures[roll(failures.count)], now: now), client: index)
            } else {
                connect(index)
            }
        case .refreshes(let index):
            if clients[index].wantsToken {
                clients[index].wantsToken = false
                perform(clients[index].connection.tokenRefreshed(now: now), client: index)
            }
            if clients[index].wantsLocation {
                clients[index].wantsLocation = false
                perform(clients[index].connection.locationRefreshed(now: now), client: index)
            }
        case .noticesBreak(let link):
            guard let state = links[link] else { return }
            if state.server != nil {
                breakAtServer(link)
            } else if clients[state.client].link == link {
                breakAtClient(state.client)
            }
            links[link] = nil
        }
    }

    /// Somebody does something, or something breaks.
    mutating func disturb() {
        let index = roll(clients.count)
        let paths = clients[index].files.keys.sorted()
        let path = paths[roll(paths.count)]
        let session = session(index, path)
        switch roll(40) {
        case 0..<18:
            lastChange += 1
            guard
                let version = clients[index].files[path]?.write(
                    &generator, number: lastChange, now: Int64(lastChange / 3))
            else { return }
            perform(
                clients[index].connection.committed(session: session, newestVersion: version, now: now),
                client: index)
        case 18..<21: breakAtClient(index)
        case 21..<24: if let link = clients[index].link { breakAtServer(link) }
        case 24: restartClient(index)
        case 25: for link in links.keys.sorted() { breakAtServer(link) }
        case 26, 27: waitForDownload(index, session, path)
        case 28, 29: waitForUpload(index, session, path)
        case 30: perform(clients[index].connection.suspend(session: session, now: now), client: index)
        case 31, 32: perform(clients[index].connection.resume(session: session, now: now), client: index)
        case 33: endSession(index)
        case 34: perform(clients[index].connection.reconnectNow(now: now), client: index)
        case 35 where mode == .flexible: subscribe(index, session, path)
        default: passTime()
        }
    }

    private mutating func waitForDownload(_ index: Int, _ session: Int64, _ path: String) {
        clients[index].lastWaiter += 1
        let waiter = clients[index].lastWaiter
        clients[index].downloads[waiter] = realms[path]?.current.version
        perform(
            clients[index].connection.awaitDownload(session: session, waiter: waiter, now: now), client: index)
    }

    private mutating func waitForUpload(_ index: Int, _ session: Int64, _ path: String) {
        clients[index].lastWaiter += 1
        let waiter = clients[index].lastWaiter
        clients[index].uploads[waiter] = clients[index].files[path]?.state.newestVersion
        perform(
            clients[index].connection.awaitUpload(session: session, waiter: waiter, now: now), client: index)
    }

    /// The server ends a session, as after a change of permissions.
    private mutating func endSession(_ index: Int) {
        guard let link = clients[index].link, let session = links[link]?.paths.keys.sorted().first,
            let effects = links[link]?.server?.end(session: session, SessionFailure(.sessionClosed, "again"))
        else { return }
        perform(effects, link: link)
    }

    private mutating func subscribe(_ index: Int, _ session: Int64, _ path: String) {
        clients[index].lastQuery += 1
        let query = ClientMessage.Query(version: clients[index].lastQuery, text: "{\"A\":\"\(lastChange)\"}")
        let version = clients[index].files[path]?.state.newestVersion ?? 1
        perform(
            clients[index].connection.subscribed(
                session: session, PendingQuery(query, snapshotVersion: version), now: now), client: index)
    }

    /// Nothing happens until the next timer.
    mutating func passTime() {
        let deadlines = clients.compactMap(\.connection.deadline) + links.values.compactMap { $0.server?.deadline }
        now = max(now, deadlines.min() ?? now)
        for index in clients.indices { perform(clients[index].connection.tick(now: now), client: index) }
        for link in links.keys.sorted() {
            if let effects = links[link]?.server?.tick(now: now) { perform(effects, link: link) }
        }
    }

    /// Everything has arrived everywhere, and nobody waits any more.
    var hasConverged: Bool {
        for (path, realm) in realms {
            let digest = realm.digest
            guard clients.allSatisfy({ $0.files[path]?.digest == digest }) else { return false }
        }
        return clients.allSatisfy { $0.downloads.isEmpty && $0.uploads.isEmpty }
    }

    /// Trouble for a while, then calm until all is quiet. Returns what went wrong.
    mutating func run(steps: Int) -> String? {
        for _ in 0..<steps {
            let steps = possible
            if steps.isEmpty || roll(12) == 0 { disturb() } else { take(steps[roll(steps.count)]) }
            if let fault = faults.first { return fault }
        }
        isCalm = true
        for index in clients.indices {
            for session in clients[index].sessions.keys.sorted() {
                perform(clients[index].connection.resume(session: session, now: now), client: index)
            }
        }
        for _ in 0..<200 {
            for _ in 0..<20_000 {
                let steps = possible
                guard !steps.isEmpty, faults.isEmpty else { break }
                take(steps[roll(steps.count)])
            }
            if let fault = faults.first { return fault }
            if hasConverged { return nil }
            passTime()
        }
        let waiting = clients.map { "\($0.connection.state) \($0.downloads) \($0.uploads)" }
        return
            "no convergence: \(waiting) \(clients.map { $0.files.values.map(\.digest) }) \(realms.values.map(\.digest))"
    }
}
