import Foundation
import HistorySupport
import Model
import Store
import Sync
import TestSupport

@testable import History

/// A device whose process can die whenever something is written to its disk: the next one finds what the kernel has then.
final class MortalDevice {
    private var directory = TemporaryDirectory()
    private(set) var file: RealmFile
    private(set) var history: ClientHistory
    private let death = Death()

    /// Strikes at one of the writes to the disk, and keeps what is there.
    private final class Death: Sendable {
        private struct State {
            var directory = ""
            /// Writes until then; nil: never.
            var left: Int?
            var image: TemporaryDirectory?
        }

        private let state = Lock(State())

        func arm(_ left: Int?, _ directory: String) { state.withLock { $0 = State(directory: directory, left: left) } }

        /// What is left, if it has struck.
        func disarm() -> TemporaryDirectory? {
            state.withLock { state in
                defer { state = State() }
                return state.image
            }
        }

        func synced() {
            state.withLock { state in
                guard let left = state.left else { return }
                state.left = left == 0 ? nil : left - 1
                if left == 0 { state.image = try? MortalDevice.image(of: state.directory) }
            }
        }
    }

    init() throws { (file, history) = try MortalDevice.open(directory, death) }

    private static func open(_ directory: TemporaryDirectory, _ death: Death) throws -> (RealmFile, ClientHistory) {
        var options = RealmFileOptions()
        options.syncFile = { [death] _ in
            death.synced()
            return 0
        }
        var historyOptions = HistoryOptions()
        historyOptions.now = { 1_000 }
        let file = try RealmFile(path: directory.path("a.realm"), options: options)
        return (file, try ClientHistory(file, options: historyOptions))
    }

    private static func image(of directory: String) throws -> TemporaryDirectory {
        let image = TemporaryDirectory()
        for name in ["a.realm", "a.realm.fresh"].flatMap({ [$0, $0 + ".journal"] }) {
            guard FileManager.default.fileExists(atPath: "\(directory)/\(name)") else { continue }
            try FileManager.default.copyItem(atPath: "\(directory)/\(name)", toPath: image.path(name))
        }
        return image
    }

    /// Runs `body` in a process that dies at the write after `writes` others, if it comes to that; nil: it lives. Returns
    /// whether it died; the device is the next process then.
    func risking(_ writes: Int?, _ body: () throws -> Void) throws -> Bool {
        death.arm(writes, directory.path)
        let outcome = Result { try body() }
        guard let image = death.disarm() else {
            try outcome.get()
            return false
        }
        try? file.close()
        directory = image
        (file, history) = try MortalDevice.open(image, death)
        return true
    }

    func digest() throws -> String { try file.snapshot().stateDigest() }

    func write(_ instructions: [Instruction]) throws { try history.commit(instructions, to: file) }

    /// Gets an ident, and what the server has.
    func join(_ contents: [[Instruction]], _ ident: FileIdent, _ latest: SaltedVersion) throws {
        _ = try history.answer(.saveIdent(ident))
        try ResetCase.integrate(contents, into: history, latest: latest)
    }

    /// The server has everything that was written here.
    func acknowledge() throws {
        let (version, server) = (Int64(file.version), history.state.download.server + 1)
        _ = try history.answer(
            .integrate(
                ServerMessage.Download(
                    session: 1, progress: DownloadCursor(server: server, client: version),
                    latest: SaltedVersion(version: server, salt: history.state.latest.salt),
                    upload: UploadCursor(client: version, server: server - 1),
                    contents: .partition(downloadableBytes: 0))))
    }

    /// What will be uploaded.
    func unsynced() throws -> [[Instruction]] {
        guard
            case .scanned(let entries, _) = try history.answer(
                .scan(after: history.state.upload, upTo: .max, softBytes: 1 << 24, hardBytes: 1 << 24))
        else { return [] }
        return try entries.map { try Changeset.decode($0.changeset) }
    }

    /// Resets the file on a server that has `contents`; `willPerform` runs when they are down.
    func reset(
        _ mode: ClientResetMode, _ action: ErrorAction, _ contents: [[Instruction]], _ ident: FileIdent,
        _ latest: SaltedVersion, willPerform: () throws -> Void
    ) throws {
        let reset = try ClientReset(
            history, mode: mode, action: action,
            report: SyncReport(.clientResetRequired, code: .badClientFileIdent, "lost", isFatal: true, action: action))
        defer { reset.abandon() }
        if let fresh = try reset.begin().history, fresh.state.ident != ident {
            _ = try fresh.answer(.saveIdent(ident))
            try ResetCase.integrate(contents, into: fresh, latest: latest)
        }
        try willPerform()
        _ = try reset.perform()
    }
}
