import Model
import Store
import Sync
import TestSupport
import Testing

@testable import History
@testable import Sync

/// A server's history costs what the data are worth, not what ever happened to them (P-136).
@Suite struct HistoryCompactionTests {
    private let directory = TemporaryDirectory()
    private let clock = Lock<UInt64>(100_000_000)

    private func realm(_ change: (inout HistoryOptions) -> Void = { _ in }) throws -> ServerRealm {
        var options = HistoryOptions()
        options.now = { [clock] in clock.withLock { $0 } }
        options.compactionAge = 0
        options.compactionBytes = 1_000
        options.maximumOfflineTime = 1_000_000
        change(&options)
        return try ServerRealm(path: directory.path("server.realm"), file: ResetCase.options, options: options)
    }

    /// One changeset each, on top of everything.
    private func upload(
        _ changesets: [[Instruction]], to realm: ServerRealm, from ident: FileIdent, at timestamp: Int64 = 50_000_000
    ) throws {
        var client = try realm.storedFile(ident.number, realm.snapshot())?.upload.client ?? 0
        let server = realm.version
        let entries = try changesets.map { instructions in
            client += 1
            return UploadEntry(
                cursor: UploadCursor(client: client, server: server), timestamp: timestamp,
                changeset: try Changeset.encode(instructions))
        }
        try realm.integrate(
            [
                ClientMessage.Upload(
                    session: 1, progress: UploadCursor(client: client, server: server), lockedServerVersion: server,
                    entries: entries)
            ], file: ident.number)
    }

    /// Says that a file has everything, as clients do after a download.
    private func acknowledge(_ ident: FileIdent, _ realm: ServerRealm) throws {
        try upload([], to: realm, from: ident)
    }

    private func everything(_ realm: ServerRealm, for ident: FileIdent) throws -> DownloadBatch {
        try realm.batch(after: DownloadCursor(), file: ident.number, byteLimit: .max)
    }

    private func bytes(_ batch: DownloadBatch) -> Int { batch.entries.reduce(0) { $0 + $1.changeset.count } }

    /// What a client has that downloads everything.
    private func digest(_ batch: DownloadBatch) throws -> String {
        var options = RealmFileOptions()
        options.inMemory = true
        let file = try RealmFile(path: directory.path("client.realm"), options: options)
        defer { try? file.close() }
        for entry in batch.entries {
            let transaction = try file.beginWrite()
            try entry.changeset.withUnsafeBytes { try transaction.apply($0) }
            try transaction.commit(uid: nil)
        }
        return try file.snapshot().stateDigest()
    }

    @Test func `R21: a new client downloads what there is, not what was`() throws {
        let realm = try realm()
        let writer = try realm.allocateIdent(user: "a")
        try upload([ResetSchema.all, [create(1)]], to: realm, from: writer)
        let count = 5_000 * Int64(soakFactor)
        for start in stride(from: Int64(1), through: count, by: 1_000) {
            try upload((start..<start + 1_000).map { [set(at(1, "n"), $0)] }, to: realm, from: writer)
        }
        try acknowledge(writer, realm)
        let other = try realm.allocateIdent(user: "b")
        let before = try everything(realm, for: other)
        try acknowledge(other, realm)
        #expect(realm.isHistoryCompactionDue)
        #expect(try realm.compactHistory() > 0)
        #expect(!realm.isHistoryCompactionDue)
        let after = try everything(realm, for: other)
        #expect(bytes(after) < 2_000 && bytes(before) > 20 * Int(count))
        #expect(after.progress.server == realm.version)
        #expect(after.latest == before.latest)
        guard case .partition(let left) = after.contents else { return }
        #expect(left == 0)
        #expect(try digest(after) == realm.snapshot().stateDigest())
        #expect(try realm.file.snapshot().checkInvariants() == [])
    }

    @Test func `R21: the file shrinks, too`() throws {
        let realm = try realm()
        let writer = try realm.allocateIdent(user: "a")
        try upload([ResetSchema.all, [create(1)]], to: realm, from: writer)
        let text = String(repeating: "x", count: 4_000)
        for _ in 0..<5 {
            try upload((0..<400).map { [set(at(1, "s"), text + "\($0)")] }, to: realm, from: writer)
        }
        try acknowledge(writer, realm)
        let before = try realm.file.fileSize()
        try realm.compactHistory()
        #expect(try realm.file.fileSize() < before / 4)
    }

    @Test func `what a file that may come back needs stays`() throws {
        let realm = try realm()
        let writer = try realm.allocateIdent(user: "a")
        let reader = try realm.allocateIdent(user: "b")
        try upload([ResetSchema.all, [create(1)]], to: realm, from: writer)
        try acknowledge(reader, realm)
        let position = realm.version
        try upload((0..<200).map { [set(at(1, "n"), $0)] }, to: realm, from: writer)
        try acknowledge(writer, realm)
        try realm.compactHistory()
        // It goes on from where it was, with each change as it was made.
        let batch = try realm.batch(
            after: DownloadCursor(server: position), file: reader.number, byteLimit: .max)
        #expect(batch.entries.count == 200)
        #expect(realm.state.baseVersion <= UInt64(position))
        // Once it has been away for too long nothing is kept for it.
        clock.withLock { $0 += 1_000_001 }
        try acknowledge(writer, realm)
        #expect(try realm.compactHistory() > 0)
        #expect(realm.state.baseVersion == UInt64(realm.version))
        let record = try #require(
            try realm.record(
                of: ClientMessage.Ident(
                    session: 1, file: reader, download: DownloadCursor(server: position),
                    latest: SaltedVersion(version: position, salt: Int64(realm.state.versionSalt)), query: nil),
                user: "b"))
        #expect(record.isExpired && record.baseVersion > position)
    }

    @Test func `what is young stays as it was made`() throws {
        let realm = try realm { $0.compactionAge = 1_000 }
        let writer = try realm.allocateIdent(user: "a")
        let now = clock.withLock { Int64($0) }
        try upload(
            [ResetSchema.all, [create(1)]] + (0..<100).map { [set(at(1, "n"), $0)] }, to: realm, from: writer,
            at: now - 5_000)
        try upload((0..<100).map { [set(at(1, "m"), $0)] }, to: realm, from: writer, at: now - 500)
        try acknowledge(writer, realm)
        #expect(try realm.compactHistory() > 0)
        #expect(realm.state.baseVersion == 102)
        #expect(try everything(realm, for: 99).entries.count == 101)
    }

    private func everything(_ realm: ServerRealm, for number: Int64) throws -> DownloadBatch {
        let other = try realm.allocateIdent(user: "c")
        return try everything(realm, for: other)
    }

    @Test func `a new device that is interrupted goes on in a compacted history`() throws {
        let realm = try realm()
        let writer = try realm.allocateIdent(user: "a")
        let text = String(repeating: "x", count: 4_000)
        try upload([ResetSchema.all], to: realm, from: writer)
        for key in 0..<Int64(100) { try upload([[create(key), set(at(key, "s"), text)]], to: realm, from: writer) }
        try acknowledge(writer, realm)
        #expect(try realm.compactHistory() == 0)
        for _ in 0..<200 { try upload([[set(at(0, "s"), text)]], to: realm, from: writer) }
        try acknowledge(writer, realm)
        #expect(try realm.compactHistory() > 0)
        let new = try realm.allocateIdent(user: "b")
        try identify(new, at: DownloadCursor(), SaltedVersion(), realm)
        var batch = try realm.batch(after: DownloadCursor(), file: new.number, byteLimit: 1)
        var entries = batch.entries
        #expect(batch.hasMore)
        while batch.hasMore {
            // It comes again after each part.
            try identify(new, at: batch.progress, batch.latest, realm)
            batch = try realm.batch(after: batch.progress, file: new.number, byteLimit: 1)
            entries += batch.entries
        }
        #expect(entries.count > 2)
        batch.entries = entries
        #expect(try digest(batch) == realm.snapshot().stateDigest())
        // What it writes meanwhile is based on a part.
        let entry = UploadEntry(
            cursor: UploadCursor(client: 2, server: entries[0].cursor.server), timestamp: 99_000_000,
            changeset: try Changeset.encode([.addTable(className: "New", kind: .embedded, key: nil)]))
        try realm.integrate(
            [ClientMessage.Upload(session: 1, progress: entry.cursor, lockedServerVersion: 0, entries: [entry])],
            file: new.number)
    }

    /// Says where a file of user b stands, which the server agrees to, or refuses with a code.
    private func identify(
        _ file: FileIdent, at position: DownloadCursor, _ latest: SaltedVersion, _ realm: ServerRealm,
        refusal: SyncErrorCode? = nil
    ) throws {
        let ident = ClientMessage.Ident(session: 1, file: file, download: position, latest: latest, query: nil)
        let failure = IdentCheck.failure(of: ident, record: try realm.record(of: ident, user: "b"))
        #expect(failure?.code == refusal)
    }

    @Test("FI-04, R32: a bundle goes on from what is in it, unless the history since then is gone, and be it in part")
    func bundles() throws {
        let realm = try realm()
        let writer = try realm.allocateIdent(user: "a")
        let text = String(repeating: "x", count: 4_000)
        try upload([ResetSchema.all], to: realm, from: writer)
        var bundles: [SaltedVersion] = []
        func bundle() { bundles.append(SaltedVersion(version: realm.version, salt: Int64(realm.state.versionSalt))) }
        for key in 0..<Int64(100) {
            try upload([[create(key), set(at(key, "s"), text)]], to: realm, from: writer)
            if key % 10 == 0 { bundle() }
        }
        for round in 0..<200 {
            try upload([[set(at(0, "s"), text)]], to: realm, from: writer)
            if round % 20 == 0 || round > 195 { bundle() }
        }
        try acknowledge(writer, realm)
        /// With an ident that it just got.
        func check(_ bundle: SaltedVersion, _ refusal: SyncErrorCode?) throws {
            let new = try realm.allocateIdent(user: "b")
            let position = DownloadCursor(server: bundle.version)
            try identify(new, at: position, bundle, realm, refusal: refusal)
            // Neither is it let in if it comes again.
            try identify(new, at: position, bundle, realm, refusal: refusal)
        }
        for bundle in bundles { try check(bundle, nil) }
        // Those who have been here hold the compaction back until they are away for too long.
        clock.withLock { $0 += 1_000_001 }
        try acknowledge(writer, realm)
        #expect(try realm.compactHistory() > 0)
        #expect(try ServerState(realm.snapshot()) == realm.state)
        // Some of them are at places that the compacted history has, too, for something else.
        #expect(bundles.contains { UInt64($0.version) >= realm.state.baseVersion && $0.version < realm.version })
        for bundle in bundles.dropLast() { try check(bundle, .badServerVersion) }
        try check(try #require(bundles.last), nil)
    }

    @Test func `who is connected but mute for too long isn't sent what it has`() throws {
        let realm = try realm()
        let writer = try realm.allocateIdent(user: "a")
        let mute = try realm.allocateIdent(user: "b")
        try upload([ResetSchema.all, [create(1)]], to: realm, from: writer)
        try acknowledge(mute, realm)
        let position = DownloadCursor(server: realm.version)
        try upload((0..<200).map { [set(at(1, "n"), $0)] }, to: realm, from: writer)
        clock.withLock { $0 += 1_000_001 }
        try acknowledge(writer, realm)
        #expect(try realm.compactHistory() > 0)
        let failure = #expect(throws: SessionFailure.self) {
            try realm.batch(after: position, file: mute.number, byteLimit: .max)
        }
        #expect(failure?.code == .clientFileExpired)
    }

    @Test func `who is connected and quiet isn't away`() throws {
        let realm = try realm()
        let quiet = try realm.allocateIdent(user: "a")
        func lastSeen() throws -> UInt64? { try realm.storedFile(quiet.number, realm.snapshot())?.lastSeen }
        let start = try lastSeen()
        clock.withLock { $0 += 1_000 }
        try realm.heard(of: quiet.number)
        // It makes no difference yet.
        #expect(try lastSeen() == start)
        clock.withLock { $0 += 2_000_000 }
        try realm.heard(of: quiet.number)
        #expect(try lastSeen() == clock.withLock { $0 })
        try realm.heard(of: 99)
    }

    @Test func `a history is read again as it was compacted, and compacted again`() throws {
        var ident: FileIdent?
        func round(_ number: Int, expecting state: ServerState?) throws -> ServerState {
            let realm = try realm()
            if let state {
                #expect(realm.state == state)
                #expect(try digest(everything(realm, for: 9)) == realm.snapshot().stateDigest())
            }
            let writer = try ident ?? realm.allocateIdent(user: "a")
            if ident == nil { try upload([ResetSchema.all], to: realm, from: writer) }
            ident = writer
            for key in 0..<Int64(40) {
                try upload([[create(key), set(at(key, "s"), "round \(number)")]], to: realm, from: writer)
            }
            for key in 0..<Int64(20) { try upload([[erase(key)]], to: realm, from: writer) }
            // Files that never came back hold nothing back.
            clock.withLock { $0 += 1_000_001 }
            try acknowledge(writer, realm)
            #expect(try realm.compactHistory() > 0)
            #expect(try digest(everything(realm, for: 9)) == realm.snapshot().stateDigest())
            try realm.close()
            return realm.state
        }
        var state: ServerState?
        for number in 0..<3 { state = try round(number, expecting: state) }
    }

    @Test func `what a new file wrote before its first download is merged with a compacted history`() throws {
        let realm = try realm()
        let writer = try realm.allocateIdent(user: "a")
        try upload([ResetSchema.all, [create(1), set(at(1, "s"), "old")]], to: realm, from: writer)
        try upload((0..<100).map { [set(at(1, "n"), $0)] }, to: realm, from: writer)
        try acknowledge(writer, realm)
        try realm.compactHistory()
        let new = try realm.allocateIdent(user: "b")
        let entry = UploadEntry(
            cursor: UploadCursor(client: 2), timestamp: 99_000_000,
            changeset: try Changeset.encode(ResetSchema.all + [create(1), set(at(1, "s"), "new")]))
        try realm.integrate(
            [ClientMessage.Upload(session: 1, progress: entry.cursor, lockedServerVersion: 0, entries: [entry])],
            file: new.number)
        let snapshot = try realm.snapshot()
        let table = try #require(snapshot.table(named: "Item"))
        let object = try #require(table.find(.int(1)))
        #expect(table.value(object, try #require(table.stored.column(named: "s"))) == .string("new"))
        #expect(table.value(object, try #require(table.stored.column(named: "n"))) == .int(99))
    }
}
