import EventLoop
import Foundation
import History
import Store
import Wire

/// Sees to the changes of a user who is about to go that aren't on the server: they are waited for, or given up with the
/// files that they are in, or they keep the user here.
@LoopActor
final class UserDeparture {
    private unowned let server: AgentServer
    private let user: AgentUser
    private let policy: UnsentPolicy
    private let deadline: ContinuousClock.Instant?
    /// Whether who asked for it still wants it.
    private let isWanted: @LoopActor () -> Bool
    private let completion: @LoopActor (WireError?) -> Void

    /// A realm in which something waits.
    private struct Finding {
        var path: String
        var transactions = 0
        /// Why it won't be sent.
        var obstacle: String?
        /// Whether there is a connection, or one is being made.
        var isOnItsWay = false
    }

    private var findings: [Finding] = []
    /// What is still to be looked at, waited for or removed in this round.
    private var left = 0
    private var round = 0
    private var timer: LoopTimer?
    /// Rounds in which waiting has failed.
    private var failures = 0

    /// How long what is being sent may take to arrive before it is called pending.
    private static let grace = Duration.seconds(10)
    /// When to look whether there still is a connection.
    private static let step = Duration.milliseconds(500)
    private static let failureLimit = 3

    /// Calls back with nil once the user may go.
    init(
        _ user: AgentUser, _ policy: UnsentPolicy, within timeout: Duration?, of server: AgentServer,
        while isWanted: @escaping @LoopActor () -> Bool, completion: @escaping @LoopActor (WireError?) -> Void
    ) {
        self.server = server
        self.user = user
        self.policy = policy
        self.isWanted = isWanted
        self.completion = completion
        deadline = (policy == .refuse ? Self.grace : timeout).map { .now + $0 }
    }

    /// Keeps itself alive until it has called back.
    func begin() {
        switch policy {
        case .keep: completion(nil)
        case .refuse, .upload: survey()
        case .discard: removeFiles()
        }
    }

    private func finish(_ error: WireError?) {
        timer?.close()
        timer = nil
        round += 1
        completion(error)
    }

    // MARK: Looking

    private func survey() {
        guard isWanted() else { return finish(WireError(.cancelled, "who asked for it is gone")) }
        findings = []
        let paths = server.apps.realms(of: user, unfinished: true)
        left = paths.count
        if paths.isEmpty { return weigh() }
        for path in paths { look(path) }
    }

    private func look(_ path: String) {
        enter(path) { [self] result in
            switch result {
            case .failure(let error) where error.code == .fileNotFound:
                server.apps.dropRealm(path)
                looked(nil)
            case .failure(let error): looked(Finding(path: path, obstacle: error.message))
            case .success(let host):
                guard host.origin?.user == user.id, host.origin?.app == user.app.id else {
                    host.leave()
                    return looked(nil)
                }
                host.writer.perform { writer in
                    let outcome = Result { try writer.history?.unsent().transactions ?? 0 }
                        .mapError { WireError(reporting: $0, path: path) }
                    EventLoop.shared.post { self.looked(self.finding(host, outcome)) }
                }
            }
        }
    }

    private func finding(_ host: RealmHost, _ outcome: Result<Int, WireError>) -> Finding? {
        defer { host.leave() }
        switch outcome {
        case .failure(let error): return Finding(path: host.path, obstacle: error.message)
        case .success(0): return nil
        case .success(let count):
            return Finding(
                path: host.path, transactions: count, obstacle: host.sync?.obstacle,
                isOnItsWay: host.sync.map { $0.connectionState != .disconnected } ?? false)
        }
    }

    private func looked(_ finding: Finding?) {
        if let finding { findings.append(finding) }
        left -= 1
        if left == 0 { weigh() }
    }

    private func weigh() {
        if findings.isEmpty { return policy == .upload ? removeFiles() : finish(nil) }
        let isStuck = findings.contains { $0.obstacle != nil || policy == .refuse && !$0.isOnItsWay }
        if isStuck || failures >= Self.failureLimit || deadline.map({ $0 <= .now }) == true { return finish(refusal) }
        awaitUploads()
    }

    private var refusal: WireError {
        let findings = findings.sorted { $0.path < $1.path }
        let count = findings.reduce(0) { $0 + $1.transactions }
        let places = findings.map { $0.path + ($0.obstacle.map { ", where \($0)" } ?? "") }.joined(separator: "; ")
        return WireError(
            .pendingUploads,
            "\(count) transaction\(count == 1 ? "" : "s") of user \(user.id) \(count == 1 ? "isn't" : "aren't") on the "
                + "server yet: \(places); wait for the upload, or discard them",
            facts: [
                "user": .string(user.id), "transactions": .int64(Int64(count)),
                "paths": .array(findings.map { .string($0.path) })
            ])
    }

    // MARK: Waiting

    private func awaitUploads() {
        round += 1
        let number = round
        left = findings.count
        if let deadline {
            let timer = LoopTimer { [self] in next(number) }
            self.timer?.close()
            self.timer = timer
            let rest = max(.zero, ContinuousClock.now.duration(to: deadline))
            timer.start(after: policy == .refuse ? min(rest, Self.step) : rest)
        }
        for finding in findings {
            enter(finding.path) { [self] result in
                guard case .success(let host) = result, let sync = host.sync else {
                    if case .success(let host) = result { host.leave() }
                    return waited(number, isDone: false)
                }
                sync.wait(.upload) { [self] error in
                    host.leave()
                    waited(number, isDone: error == nil)
                }
            }
        }
    }

    private func waited(_ number: Int, isDone: Bool) {
        guard number == round else { return }
        if !isDone { failures += 1 }
        left -= 1
        if left == 0 { next(number) }
    }

    private func next(_ number: Int) {
        guard number == round else { return }
        round += 1
        timer?.close()
        timer = nil
        survey()
    }

    // MARK: Removing

    private func removeFiles() {
        guard isWanted() else { return finish(WireError(.cancelled, "who asked for it is gone")) }
        findings = []
        let paths = server.apps.realms(of: user)
        left = paths.count
        if paths.isEmpty { return finish(nil) }
        for path in paths { remove(path) }
    }

    private func remove(_ path: String) {
        guard let host = server.realms.openHost(at: path) else {
            return removed(path, Result { try Self.erase(path) }.mapError { WireError(reporting: $0, path: path) })
        }
        if host.isClosing { return host.whenClosed { self.remove(path) } }
        // Nobody waits for an open transaction of data that is given up.
        if policy == .discard { return removed(path, take(host)) }
        host.enter { error in
            if let error { return self.removed(path, .failure(error)) }
            host.exclusively(
                { writer in try writer.history?.unsent().transactions ?? 0 },
                completion: { outcome in
                    defer { host.leave() }
                    switch outcome {
                    case .failure(let error): self.removed(path, .failure(error))
                    case .success(0): self.removed(path, self.take(host))
                    // Somebody has gone on writing.
                    case .success: self.removed(path, nil)
                    }
                })
        }
    }

    /// Takes the file away under those who have it open: what they read stays readable.
    private func take(_ host: RealmHost) -> Result<Void, WireError> {
        guard unlink(host.file) == 0 || errno == ENOENT else {
            let code = errno
            return .failure(
                WireError(
                    WireError.Code(systemCode: code),
                    "\(host.path) can't be removed: \(String(cString: strerror(code)))",
                    facts: ["path": .string(host.path), "errno": .int32(code)]))
        }
        server.realms.retire(host)
        return Result { try Self.erase(host.path) }.mapError { WireError(reporting: $0, path: host.path) }
    }

    /// Removes a file that this agent hasn't open, what belongs to it, and its directory if that was all.
    private static func erase(_ path: String) throws {
        do {
            _ = try RealmFile.delete(path)
        } catch let error as StoreError where error.code == .locked {
            // A program that an earlier agent has served reads it: it may go on doing so.
            for suffix in [""] + CompanionFiles.suffixes { unlink(path + suffix) }
        }
        FreshRealm.remove(FreshRealm.path(of: path))
        // What is empty goes; anything else stays.
        if path.contains("/mongodb-realm/") { rmdir((path as NSString).deletingLastPathComponent) }
    }

    /// `outcome` is nil if the file was left.
    private func removed(_ path: String, _ outcome: Result<Void, WireError>?) {
        switch outcome {
        case .success: server.apps.dropRealm(path)
        case .failure(let error): findings.append(Finding(path: path, obstacle: error.message))
        case nil: findings.append(Finding(path: path))
        }
        left -= 1
        guard left == 0 else { return }
        if findings.isEmpty { return finish(nil) }
        policy == .upload && findings.allSatisfy { $0.obstacle == nil } ? survey() : finish(refusal)
    }

    // MARK: Entering

    private func enter(_ path: String, _ body: @escaping @LoopActor (Result<RealmHost, WireError>) -> Void) {
        do throws(WireError) {
            let host = try server.realms.host(at: path, create: false, inMemory: false, key: nil)
            if host.isClosing { return host.whenClosed { self.enter(path, body) } }
            host.enter { error in body(error.map { .failure($0) } ?? .success(host)) }
        } catch {
            body(.failure(error))
        }
    }
}
