import Foundation
import HistorySupport
import Model
import Store
import Sync
import TestSupport

@testable import History

/// A client file, what its server had when both last agreed, and what has become of the server since.
final class ResetCase {
    let directory = TemporaryDirectory()
    let file: RealmFile
    private(set) var history: ClientHistory
    /// What a new file downloads, one entry a changeset.
    private var server: [[Instruction]] = []
    private static let ident = FileIdent(number: 5, salt: 50)
    /// Of the fresh file.
    static let newIdent = FileIdent(number: 9, salt: 77_123)
    static let latest = SaltedVersion(version: 812, salt: 5_150)

    /// Where no power fails nothing need go to the disk.
    static var options: RealmFileOptions {
        var options = RealmFileOptions()
        options.syncFile = { _ in 0 }
        return options
    }

    init(_ agreed: [Instruction] = ResetSchema.all, options: RealmFileOptions = ResetCase.options) throws {
        file = try RealmFile(path: directory.path("local.realm"), options: options)
        var historyOptions = HistoryOptions()
        historyOptions.now = { 1_000 }
        history = try ClientHistory(file, options: historyOptions)
        _ = try history.answer(.saveIdent(ResetCase.ident))
        try download(agreed)
    }

    var path: String { file.path }
    var freshPath: String { FreshRealm.path(of: file.path) }

    /// Both sides have it.
    func download(_ instructions: [Instruction]) throws {
        server.append(instructions)
        try ResetCase.integrate([instructions], into: history, latest: SaltedVersion(version: 0, salt: 1))
    }

    /// The server says that it has what was written here up to a version.
    func acknowledge(_ version: Int64) throws {
        let server = history.state.download.server + 1
        _ = try history.answer(
            .integrate(
                ServerMessage.Download(
                    session: 1, progress: DownloadCursor(server: server, client: version),
                    latest: SaltedVersion(version: server, salt: 1), upload: UploadCursor(client: version, server: 1),
                    contents: .partition(downloadableBytes: 0))))
    }

    /// The server lost its history, and has something that the client doesn't know.
    func remote(_ instructions: [Instruction]) { server.append(instructions) }

    /// The server begins again with something else.
    func replaceServer(_ changesets: [[Instruction]]) { server = changesets }

    /// An app writes.
    func write(_ instructions: [Instruction]) throws {
        try history.commit(instructions, to: file)
    }

    static func integrate(
        _ changesets: [[Instruction]], into history: ClientHistory, latest: SaltedVersion
    ) throws {
        let start = history.state.download.server
        var entries: [DownloadEntry] = []
        for (place, instructions) in changesets.enumerated() {
            entries.append(
                DownloadEntry(
                    cursor: DownloadCursor(server: start + Int64(place) + 1), timestamp: 500, originFile: 3,
                    changeset: try Changeset.encode(instructions)))
        }
        let newest = max(latest.version, start + Int64(changesets.count))
        let answer = try history.answer(
            .integrate(
                ServerMessage.Download(
                    session: 1, progress: DownloadCursor(server: newest),
                    latest: SaltedVersion(version: newest, salt: latest.salt), upload: history.state.upload,
                    contents: .partition(downloadableBytes: 0), entries: entries)))
        guard case .stored = answer else { throw ResetCaseError(message: "\(answer)") }
    }

    // MARK: Resetting

    func begin(
        _ mode: ClientResetMode = .recoverUnsyncedChanges, _ action: ErrorAction = .clientReset
    ) throws -> ClientReset {
        try ClientReset(
            history, mode: mode, action: action,
            report: SyncReport(.clientResetRequired, code: .badClientFileIdent, "lost", isFatal: true, action: action))
    }

    /// Fills the fresh file as its session does.
    func download(for reset: ClientReset) throws {
        guard let fresh = try reset.begin().history, fresh.state.ident == nil else { return }
        _ = try fresh.answer(.saveIdent(ResetCase.newIdent))
        try ResetCase.integrate(server, into: fresh, latest: ResetCase.latest)
    }

    @discardableResult
    func reset(
        _ mode: ClientResetMode = .recoverUnsyncedChanges, _ action: ErrorAction = .clientReset
    ) throws -> ClientResetOutcome {
        let reset = try begin(mode, action)
        try download(for: reset)
        return try reset.perform()
    }

    /// The next process.
    func reopenHistory() throws { history = try ClientHistory(file, options: history.options) }

    // MARK: Looking

    /// What will be uploaded.
    func unsynced() throws -> [[Instruction]] {
        guard
            case .scanned(let entries, _) = try history.answer(
                .scan(after: history.state.upload, upTo: .max, softBytes: 1 << 20, hardBytes: 1 << 20))
        else { return [] }
        return try entries.map { try Changeset.decode($0.changeset) }
    }

    /// What the server has once it has integrated what will be uploaded.
    func serverDigest() throws -> String {
        var options = RealmFileOptions()
        options.inMemory = true
        let file = try RealmFile(path: directory.path("server-\(UUID().uuidString).realm"), options: options)
        for instructions in server + (try unsynced()) where !instructions.isEmpty {
            let transaction = try file.beginWrite()
            let bytes = try Changeset.encode(instructions)
            try bytes.withUnsafeBytes { try transaction.apply($0) }
            try transaction.commit(uid: nil)
        }
        return try file.snapshot().stateDigest()
    }

    func digest() throws -> String { try file.snapshot().stateDigest() }

    /// A property of an object of class Item; nil if the object isn't there.
    func value(_ key: Int64, _ property: String) throws -> Value? {
        let snapshot = try file.snapshot()
        guard let table = snapshot.table(named: "Item"), let object = table.find(.int(key)),
            let column = table.stored.column(named: property)
        else { return nil }
        return table.value(object, column)
    }

    /// What an Item holds in a property, as text; nil if the object isn't there.
    func text(_ key: Int64, _ property: String) throws -> String? {
        let snapshot = try file.snapshot()
        guard let table = snapshot.table(named: "Item"), let object = table.find(.int(key)),
            let column = table.stored.column(named: property), let (cluster, row) = table.locate(object)
        else { return nil }
        var reader = StateReader(snapshot)
        return reader.value(table, cluster, row, column).text
    }
}

struct ResetCaseError: Error { let message: String }

extension StateValue {
    /// Short, and the same for the same value.
    fileprivate var text: String {
        switch self {
        case .value(.int(let value)): "\(value)"
        case .value(.string(let value)): value
        case .value(.link(let link)): "→\(link.key)".replacing("int(", with: "").replacing(")", with: "")
        case .value(.null): "null"
        case .value(let value): "\(value)"
        case .list(let elements): "[" + elements.map(\.text).joined(separator: " ") + "]"
        case .set(let elements):
            "{" + elements.map { StateValue.value($0).text }.sorted().joined(separator: " ") + "}"
        case .dictionary(let entries): "(" + entries.map { "\($0.key):\($0.value.text)" }.joined(separator: " ") + ")"
        case .object(let properties):
            "<" + properties.map { "\($0.name):\($0.value.text)" }.joined(separator: " ") + ">"
        }
    }
}
