import Agent
import EventLoop
import Foundation
import Sync

/// What a connection costs the server over which nothing is to be said.
struct IdleConnections {
    let bench: Bench

    private static let count = 10_000

    /// On a server of its own, which has no memory left over from what it did before.
    func measure() throws -> Measurement {
        let server = try BenchServer(bench, name: "idle")
        defer { server.end() }
        let (input, output) = (Pipe(), Pipe())
        let before = ProcessMemory.anonymous(server.pid)
        let process = try bench.child(
            ["--role", "idlers", server.url, "\(Self.count)"], input: input, output: output)
        defer {
            process.terminate()
            process.waitUntilExit()
        }
        var lines = LineReader(output.fileHandleForReading)
        guard let line = lines.next(), let held = Int(line), held > 0 else {
            throw BenchError("the connections were not made")
        }
        // What the server needed only while it made them goes.
        usleep(500_000)
        let spent = ProcessMemory.anonymous(server.pid) - before
        return .atMost(
            1, "memory of the server for each of \(held) idle connections", spent * 1e3 / Double(held), "KB",
            peer: "goal", 20)
    }

    /// The role: makes so many connections, or as many as this process may, prints their number, and keeps them.
    static func hold(_ count: Int, url: String) throws {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let count = min(count, Int(clamping: limit.rlim_max) - 100)
        let holder = Holder()
        EventLoop.shared.post {
            do {
                let app = try AppServer(
                    appId: BenchServer.app(at: url), baseURL: url,
                    http: HTTPClient(SystemNetwork(), scheduler: LoopScheduler()))
                app.logIn(provider: "anon-user", ["provider": "anon-user"], device: ["sdk": "Reeve"]) { result in
                    switch result {
                    case .success(let login):
                        let idlers = Idlers(SyncUser(login, of: app), count)
                        holder.idlers = idlers
                        idlers.start()
                    case .failure(let error): CommitBenchmarks.emit("\(error)")
                    }
                }
            } catch {
                CommitBenchmarks.emit("\(error)")
            }
        }
        EventLoop.shared.runOnCallingThread()
        withExtendedLifetime(holder) {}
    }

    /// Keeps the connections as long as the process lives.
    @LoopActor
    private final class Holder {
        var idlers: Idlers?

        nonisolated init() {}
    }
}

/// Connections of one user, each with a session of its own.
@LoopActor
private final class Idlers {
    private let user: SyncUser
    private let count: Int
    private var links: [SyncLink] = []
    private var ready = 0

    init(_ user: SyncUser, _ count: Int) {
        self.user = user
        self.count = count
    }

    /// A server takes so many at a time from one who is in a hurry.
    func start() {
        for _ in 0..<min(count, 64) { next() }
    }

    private func next() {
        guard links.count < count else { return }
        let link = SyncLink(user, mode: .partition, scheduler: LoopScheduler())
        links.append(link)
        let session = link.add(IdleFile(), state: ClientFile(newestVersion: 0), path: "\"idle\"")
        link.awaitDownload(session) { [self] isDone in
            guard isDone else { return CommitBenchmarks.emit("a session ended") }
            ready += 1
            if ready == count { CommitBenchmarks.emit("\(ready)") } else { next() }
        }
    }
}

/// A file with nothing in it.
@LoopActor
private final class IdleFile: SyncedFile {
    func answer(_ work: StoreRequest.Work, completion: @escaping @Sendable @LoopActor (StoreAnswer) -> Void) {
        let answer: StoreAnswer =
            switch work {
            case .saveIdent, .integrate: .stored(newestVersion: 0)
            case .scan(let after, _, _, _): .scanned([], reached: after)
            case .nextUploadable: .uploadable(nil)
            }
        EventLoop.shared.post { completion(answer) }
    }

    func didReport(_ report: SyncReport) { CommitBenchmarks.emit("\(report.message)") }
    func needsReset(_ report: SyncReport, partitionQuery: String?) { CommitBenchmarks.emit("\(report.message)") }
    func didProgress(_ download: ServerMessage.Download) {}
}
