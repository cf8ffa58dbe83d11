import EventLoop
import Foundation
import History
import Store
import Sync
import Wire

// Client reset: the realm gets the server's state, in one transaction.
extension SyncedRealm {
    /// The server doesn't know the file any more, or it can't go on for another reason.
    func needsReset(_ report: SyncReport, partitionQuery: String?) {
        switch report.action {
        case .clientReset, .clientResetNoRecovery, .migrateToFlexible, .revertToPartition:
            beginReset(report, partitionQuery)
        default: didReport(report)
        }
    }

    private func beginReset(_ report: SyncReport, _ partitionQuery: String?) {
        guard resetDownload == nil, !host.isDraining else { return }
        AgentLog.write("\(host.path): sync: \(report.message): the realm is given the server's state")
        let mode = host.handles.first?.resetMode ?? .recoverUnsyncedChanges
        let download = ResetDownload(host)
        resetDownload = download
        let partition = origin.partition
        host.exclusively(
            { try $0.beginReset(ClientResetMode(mode), report, partition, partitionQuery) },
            completion: { outcome in
                // The user was logged out meanwhile, or the realm is being closed.
                guard self.resetDownload === download else { return self.host.writer.perform { $0.abandonReset() } }
                switch outcome {
                case .failure(let error):
                    self.failReset(report, mode == .manual ? report.message : error.message)
                case .success(let fresh):
                    download.begin(fresh, self.link(fresh.binding.mode)) { outcome in
                        switch outcome {
                        case .complete: self.awaitReset(report.action)
                        case .turned: self.forgetReset()
                        case .failed(let message): self.failReset(report, message)
                        }
                    }
                }
            })
    }

    /// The server's state is there: a session that begins with it takes the place of the one that can't go on.
    private func awaitReset(_ action: ErrorAction) {
        resetDownload = nil
        rejoin(forReset: action)
    }

    /// The app is synced in the former way again: the realm's session finds out what that means for it.
    private func forgetReset() {
        resetDownload = nil
        host.writer.perform { writer in writer.abandonReset() }
        resume()
    }

    func performReset() {
        // The session asks for it while it is being added.
        EventLoop.shared.post { self.letClientsLook() }
    }

    /// How long clients may look at the realm as it was.
    private static let lookLimit = Duration.seconds(30)

    /// Those who want to see the realm before do so first.
    private func letClientsLook() {
        guard session != nil, lookTimer == nil else { return }
        for handle in host.handles where handle.hasResetBlocks {
            lookers.insert(handle.number)
            handle.session.send(event: SyncResetting(realm: handle.number))
        }
        if lookers.isEmpty { return rewrite() }
        let timer = LoopTimer { [unowned self] in endLooking() }
        lookTimer = timer
        timer.start(after: Self.lookLimit)
    }

    /// The client has looked, or is gone.
    func proceed(_ handle: RealmHandle) {
        guard lookers.remove(handle.number) != nil, lookers.isEmpty else { return }
        endLooking()
    }

    private func endLooking() {
        lookers = []
        lookTimer?.close()
        lookTimer = nil
        rewrite()
    }

    private func rewrite() {
        guard let session else { return }
        changeSets(
            { try $0.performReset() },
            completion: { outcome in
                switch outcome {
                case .success(let done): self.didReset(session, done)
                case .failure(let error): self.failReset(nil, error.message)
                }
            })
    }

    private func didReset(_ session: Int64, _ realm: RealmWriter.ResetRealm) {
        guard session == self.session else { return }
        clearError()
        knownSet = realm.queries.newest
        link.resetPerformed(session, file: realm.file, queries: realm.queries)
        AgentLog.write("\(host.path): sync: the realm has the server's state")
        for handle in host.handles where handle.events {
            handle.session.send(event: SyncReset(realm: handle.number, recovered: realm.recovered))
        }
        if let pending = realm.pending { confirm(pending) }
        didChange()
        host.lookAtFates()
    }

    /// A reset has helped once both sides have all that the other had.
    func confirm(_ pending: PendingClientReset) {
        wait(.upload) { [weak self] error in
            guard error == nil, let self else { return }
            wait(.download) { [weak self] error in
                guard error == nil, let self, !host.isDraining else { return }
                host.exclusively(
                    { try $0.history?.confirm(pending) },
                    completion: { outcome in
                        if case .failure(let error) = outcome { AgentLog.write("sync: \(error)") }
                    })
            }
        }
    }

    /// It didn't happen: the file is as it was, and the app is told that it must be reset by hand.
    private func failReset(_ report: SyncReport?, _ reason: String) {
        resetDownload?.cancel()
        resetDownload = nil
        host.writer.perform { writer in writer.abandonReset() }
        var report = report ?? SyncReport(.clientResetRequired, reason, isFatal: true, action: .clientReset)
        report.message = reason
        report.isFatal = true
        report.action = .clientReset
        do {
            try flag(FileAction(path: host.path, backup: fileAction?.backup ?? reserveBackup()))
        } catch {
            AgentLog.write("\(host.path): no copy of it could be kept, so it isn't reset: \(error)")
        }
        didReport(report)
    }

    // MARK: The file

    /// What is to be done with the realm's file, once nobody has it open.
    var fileAction: FileAction? { host.isInMemory ? nil : host.server.apps.fileAction(host.path) }

    /// Sees to it that the realm begins anew when it is opened the next time.
    func flag(_ action: FileAction) {
        guard !host.isInMemory else { return }
        host.server.apps.keep(action)
        host.registry.noteTold(host)
    }

    /// The path of the copy to be, where nothing else is.
    private func reserveBackup() throws -> String {
        let wanted = host.handles.lazy.compactMap(\.recoveryDirectory).first
        return try ResetBackup.reserve(in: wanted ?? standardRecoveryDirectory)
    }

    /// That of the app, if the realm is where apps have theirs by default; else one beside the realm.
    private var standardRecoveryDirectory: String {
        let end = "/mongodb-realm/"
        let base =
            host.path.range(of: end, options: .backwards).map { String(host.path[..<$0.lowerBound]) }
            ?? (host.path as NSString).deletingLastPathComponent
        return ResetBackup.directory(base: base, appId: origin.app)
    }
}

extension ClientResetMode {
    fileprivate init(_ mode: SyncResetMode) {
        self =
            switch mode {
            case .manual: .manual
            case .discardUnsyncedChanges: .discardUnsyncedChanges
            case .recoverUnsyncedChanges: .recoverUnsyncedChanges
            case .recoverOrDiscardUnsyncedChanges: .recoverOrDiscardUnsyncedChanges
            }
    }
}
