import Store
import Sync

@testable import History

/// How a device goes about a client reset, as `ClientReset` says an agent does.
struct DeviceReset {
    var mode = ClientResetMode.manual
    /// The session of the realm: a new number after each reset, and in each process.
    fileprivate(set) var session: Int64 = 1
    private(set) var sessions: [Int64] = [1]
    fileprivate var engine: ClientReset?
    /// The session that fills the fresh file.
    fileprivate var freshSession: Int64?
    /// What is waited for before the reset is confirmed.
    fileprivate var unconfirmed: (reset: PendingClientReset, waiters: Set<Int64>)?
    fileprivate(set) var outcomes: [ClientResetOutcome] = []
    fileprivate(set) var failures: [ClientResetFailure] = []
    /// Called when the realm is about to be reset: the server's state is down.
    var willPerform: () throws -> Void = {}

    /// The application has been told, and wants another attempt.
    mutating func forgetFailures() { failures = [] }

    /// A process begins.
    mutating func begin() {
        session = 1
        sessions = [1]
        unconfirmed = nil
    }

    /// The process dies.
    mutating func abandon() {
        engine?.abandon()
        engine = nil
        freshSession = nil
        // They hold the file.
        outcomes = []
    }

    fileprivate mutating func nextSession() -> Int64 {
        let next = (sessions.last ?? 0) + 1
        sessions.append(next)
        return next
    }
}

extension Device {
    /// That of the fresh file, once it has one.
    var freshIdent: FileIdent? { resetting.engine?.fresh?.history?.state.ident }

    func history(of session: Int64) throws -> ClientHistory? {
        if session == resetting.session { return history }
        return session == resetting.freshSession ? resetting.engine?.fresh?.history : nil
    }

    /// Adds the session of the realm. While a reset isn't confirmed, it waits for what confirms it.
    func addSession(awaitsReset: Bool = false) throws {
        var options = ClientSessionOptions(session: resetting.session, path: "\"p\"")
        options.awaitsReset = awaitsReset
        try perform(client.add(options, file: history.clientFile, now: now))
        if !awaitsReset { try awaitConfirmation() }
    }

    private func awaitConfirmation() throws {
        guard let pending = try history.pendingReset else { return }
        let waiters: [Int64] = [-2, -1]
        resetting.unconfirmed = (pending, Set(waiters))
        try perform(client.awaitUpload(session: resetting.session, waiter: waiters[0], now: now))
        try perform(client.awaitDownload(session: resetting.session, waiter: waiters[1], now: now))
    }

    func completed(_ waiter: Int64, of session: Int64) throws -> [ClientEffect] {
        if session == resetting.freshSession { return client.remove(session: session, now: now) }
        guard session == resetting.session, resetting.unconfirmed?.waiters.remove(waiter) != nil,
            let unconfirmed = resetting.unconfirmed, unconfirmed.waiters.isEmpty
        else { return [] }
        try history.confirm(unconfirmed.reset)
        resetting.unconfirmed = nil
        return []
    }

    func beginReset(of session: Int64, _ report: SyncReport) -> [ClientEffect] {
        do throws(ClientResetFailure) {
            if session == resetting.freshSession, let engine = resetting.engine { throw engine.giveUp(report) }
            let engine = try ClientReset(history, mode: resetting.mode, action: report.action, report: report)
            let fresh = try engine.begin()
            let number = resetting.nextSession()
            resetting.engine = engine
            resetting.freshSession = number
            var options = ClientSessionOptions(session: number, path: "\"p\"")
            options.uploads = false
            guard let file = fresh.history?.clientFile else { return [] }
            return client.add(options, file: file, now: now)
                + client.awaitDownload(session: number, waiter: -3, now: now)
        } catch {
            resetting.failures.append(error)
            resetting.abandon()
            return []
        }
    }

    func ended(_ session: Int64) throws -> [ClientEffect] {
        guard resetting.engine != nil else { return [] }
        if session == resetting.freshSession {
            resetting.freshSession = nil
            return client.remove(session: resetting.session, now: now)
        }
        guard session == resetting.session else { return [] }
        resetting.session = resetting.nextSession()
        try addSession(awaitsReset: true)
        return []
    }

    func performReset(of session: Int64) -> [ClientEffect] {
        do throws(ClientResetFailure) {
            guard let engine = resetting.engine else { return [] }
            resetting.engine = nil
            try? resetting.willPerform()
            let outcome = try engine.perform()
            resetting.outcomes.append(outcome)
            let effects = client.resetPerformed(session: session, file: outcome.clientFile, now: now)
            try? awaitConfirmation()
            return effects
        } catch {
            resetting.failures.append(error)
            return client.suspend(session: session, now: now)
        }
    }
}
