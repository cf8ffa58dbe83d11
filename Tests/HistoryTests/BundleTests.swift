import Foundation
import Model
import Store
import Sync
import TestSupport
import Testing

@testable import History

/// Copies of synced realms for other devices (FI-04), and files that are made of them (CF-14).
@Suite struct BundleTests {
    private let directory = TemporaryDirectory()
    private let origin = SyncOrigin(app: "app", baseURL: "http://h", user: "ann", partition: "\"p\"")

    /// A synced file with a task, which the server has all of, unless told not to.
    private func synced(_ name: String, _ origin: SyncOrigin, isUploaded: Bool = true) throws -> RealmFile {
        let file = try RealmFile(path: directory.path(name), options: ResetCase.options)
        let history = try ClientHistory(file)
        let transaction = try file.beginWrite()
        history.begin(transaction)
        try history.put(origin, transaction)
        let bytes = try Changeset.encode(ResetSchema.all + [create(1), set(at(1, "n"), 7)])
        try bytes.withUnsafeBytes { try transaction.apply($0) }
        try history.append(to: transaction)
        try file.makeDurable(through: try transaction.commit(uid: nil))
        var state = ClientState()
        state.ident = FileIdent(number: 5, salt: 99)
        state.download = DownloadCursor(server: 40, client: isUploaded ? Int64(file.version) : 0)
        state.latest = SaltedVersion(version: 44, salt: 1234)
        if isUploaded { state.upload = UploadCursor(client: Int64(file.version), server: 40) }
        try history.change(to: state) { _ in }
        return file
    }

    private func read(_ path: String, key: RealmKey? = nil) throws -> (SyncOrigin?, ClientState?, String) {
        var options = RealmFileOptions()
        options.create = false
        options.key = key
        let file = try RealmFile(path: path, options: options)
        defer { try? file.close() }
        let snapshot = try file.snapshot()
        return (try SyncOrigin(snapshot), try ClientState(snapshot), snapshot.stateDigest())
    }

    private func path(_ name: String) -> String { directory.path(name) }

    /// What lies in the directory but for files beside realms.
    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted().filter { name in
            !CompanionFiles.suffixes.contains { name.hasSuffix($0) }
        }
    }

    private func seed(_ name: String, from bundle: String) throws -> String {
        try FileManager.default.copyItem(atPath: path(bundle), toPath: path(name))
        return path(name)
    }

    @Test("FI-04: a bundle has the data and how far the server's history is in it, and is nobody's") func bundle()
        throws
    {
        let file = try synced("a.realm", origin)
        try SyncedCopy.make(bundle: path("bundle.realm"), from: file.snapshot(), key: nil)
        let (made, state, digest) = try read(path("bundle.realm"))
        #expect(made == SyncOrigin(app: "app", baseURL: "http://h", user: "", partition: "\"p\""))
        #expect(made?.isBundle == true)
        var expected = ClientState()
        expected.download = DownloadCursor(server: 40)
        expected.latest = SaltedVersion(version: 44, salt: 1234)
        #expect(state == expected)
        #expect(digest == (try file.snapshot().stateDigest()))
        let error = #expect(throws: StoreError.self) {
            try SyncedCopy.make(bundle: path("bundle.realm"), from: file.snapshot(), key: nil)
        }
        #expect(error?.code == .fileExists)
        #expect(try names() == ["a.realm", "bundle.realm"])
    }

    @Test("FI-04, S32: what isn't on the server can't be in a bundle") func unsent() throws {
        let file = try synced("a.realm", origin, isUploaded: false)
        #expect(throws: SyncedCopyError.unsentChanges(1)) {
            try SyncedCopy.make(bundle: path("bundle.realm"), from: file.snapshot(), key: nil)
        }
        let local = try RealmFile(path: path("local.realm"), options: ResetCase.options)
        #expect(throws: SyncedCopyError.notSynced) {
            try SyncedCopy.make(bundle: path("bundle.realm"), from: local.snapshot(), key: nil)
        }
        var flexible = origin
        flexible.partition = nil
        let subscribed = try synced("flexible.realm", flexible)
        #expect(throws: SyncedCopyError.flexible) {
            try SyncedCopy.make(bundle: path("bundle.realm"), from: subscribed.snapshot(), key: nil)
        }
        #expect(try names() == ["a.realm", "flexible.realm", "local.realm"])
    }

    @Test("CF-14, S36: any user of the app may begin with it, and the one who comes first wins") func planted() throws {
        let file = try synced("a.realm", origin)
        let digest = try file.snapshot().stateDigest()
        try SyncedCopy.make(bundle: path("bundle.realm"), from: file.snapshot(), key: nil)
        var ben = origin
        ben.user = "ben"
        try SyncedCopy.plant(seed(".seed-1", from: "bundle.realm"), at: path("ben.realm"), key: nil, for: ben)
        let (made, state, planted) = try read(path("ben.realm"))
        #expect(made == ben && planted == digest)
        #expect(state?.ident == nil && state?.download == DownloadCursor(server: 40))
        // There is one already.
        try SyncedCopy.plant(seed(".seed-2", from: "bundle.realm"), at: path("ben.realm"), key: nil, for: origin)
        #expect(try read(path("ben.realm")).0 == ben)
        #expect(try names() == ["a.realm", "ben.realm", "bundle.realm"])
    }

    @Test("FI-04: a file that was opened is no two files of the server's, whoever copies it") func opened() throws {
        try synced("used.realm", origin).close()
        try SyncedCopy.plant(seed(".seed-1", from: "used.realm"), at: path("b.realm"), key: nil, for: origin)
        let (made, state, _) = try read(path("b.realm"))
        #expect(made == origin && state?.ident == nil)
        try synced("unsent.realm", origin, isUploaded: false).close()
        #expect(throws: SyncedCopyError.unsentChanges(1)) {
            try SyncedCopy.plant(seed(".seed-2", from: "unsent.realm"), at: path("c.realm"), key: nil, for: origin)
        }
        #expect(try names() == ["b.realm", "unsent.realm", "used.realm"])
    }

    @Test("S37: the data of two partitions, or apps, never mix") func otherData() throws {
        let file = try synced("a.realm", origin)
        try SyncedCopy.make(bundle: path("bundle.realm"), from: file.snapshot(), key: nil)
        for change: (inout SyncOrigin) -> Void in [
            { $0.partition = "\"q\"" }, { $0.partition = nil }, { $0.app = "other" }
        ] {
            var wanted = origin
            change(&wanted)
            let error = #expect(throws: SyncedCopyError.self) {
                try SyncedCopy.plant(seed(".seed", from: "bundle.realm"), at: path("b.realm"), key: nil, for: wanted)
            }
            #expect(error == .otherData(origin.withoutUser, wanted: wanted))
        }
        #expect(try names() == ["a.realm", "bundle.realm"])
    }

    @Test("FI-11: a bundle may be encrypted, and then so is what begins with it") func encrypted() throws {
        let file = try synced("a.realm", origin)
        let key = [UInt8](repeating: 7, count: 64).withUnsafeBytes { RealmKey($0) }
        try SyncedCopy.make(bundle: path("bundle.realm"), from: file.snapshot(), key: key)
        #expect(throws: StoreError.self) { try read(path("bundle.realm")) }
        #expect(throws: StoreError.self) {
            try SyncedCopy.plant(seed(".seed", from: "bundle.realm"), at: path("b.realm"), key: nil, for: origin)
        }
        try SyncedCopy.plant(seed(".seed", from: "bundle.realm"), at: path("b.realm"), key: key, for: origin)
        #expect(try read(path("b.realm"), key: key).2 == file.snapshot().stateDigest())
        #expect(try names() == ["a.realm", "b.realm", "bundle.realm"])
    }

    @Test func `a name may be as long as names of realms can be`() throws {
        let file = try synced("a.realm", origin)
        let name = String(repeating: "n", count: CompanionFiles.longestName)
        try SyncedCopy.make(bundle: path(name), from: file.snapshot(), key: nil)
        #expect(try names() == ["a.realm", name])
    }
}
