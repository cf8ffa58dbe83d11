import Model
import Sync
import Testing

@testable import History

/// Modes, the server's word on them, and what is remembered of attempts.
@Suite struct ClientResetModeTests {
    private func made() throws -> ResetCase {
        let test = try ResetCase(ResetSchema.all + [create(1)])
        try test.write([set(at(1, "s"), "mine")])
        test.remote([set(at(1, "n"), 3)])
        return test
    }

    @Test(arguments: [
        (ClientResetMode.manual, ErrorAction.clientReset, ClientResetMode?.none),
        (.manual, .clientResetNoRecovery, nil), (.manual, .migrateToFlexible, .recoverOrDiscardUnsyncedChanges),
        (.manual, .revertToPartition, .recoverOrDiscardUnsyncedChanges),
        (.discardUnsyncedChanges, .clientReset, .discardUnsyncedChanges),
        (.discardUnsyncedChanges, .clientResetNoRecovery, .discardUnsyncedChanges),
        (.recoverUnsyncedChanges, .clientReset, .recoverUnsyncedChanges),
        (.recoverUnsyncedChanges, .clientResetNoRecovery, nil),
        (.recoverOrDiscardUnsyncedChanges, .clientReset, .recoverOrDiscardUnsyncedChanges),
        (.recoverOrDiscardUnsyncedChanges, .clientResetNoRecovery, .discardUnsyncedChanges)
    ])
    func `R-7, R-8, R-74: what the server's word makes of a mode`(
        mode: ClientResetMode, action: ErrorAction, expected: ClientResetMode?
    ) throws {
        let test = try made()
        guard let expected else {
            let failure = #expect(throws: ClientResetFailure.self) { try test.begin(mode, action) }
            #expect(failure?.code == .recoveryNotAllowed)
            return
        }
        #expect(try test.begin(mode, action).mode == expected)
    }

    @Test func `R-39, R-40, R-60: discarded changes are gone, and the file is another one`() throws {
        let test = try made()
        let outcome = try test.reset(.discardUnsyncedChanges)
        #expect(!outcome.didRecover)
        #expect(try test.text(1, "s") == "")
        #expect(try test.text(1, "n") == "3")
        #expect(try test.unsynced() == [])
        try expectFresh(test, outcome)
    }

    @Test func `R-39, R-40: recovered changes are uploaded from the beginning`() throws {
        let test = try made()
        let written = test.history.clientFile.newestVersion
        let outcome = try test.reset()
        #expect(outcome.didRecover)
        #expect(outcome.recoveredChanges == 1)
        try expectFresh(test, outcome)
        guard
            case .scanned(let entries, let reached) = try test.history.answer(
                .scan(after: test.history.state.upload, upTo: .max, softBytes: 1 << 20, hardBytes: 1 << 20))
        else { return }
        #expect(entries.map(\.cursor) == [UploadCursor(client: written, server: 812)])
        #expect(entries.map(\.timestamp) == [1_000])
        #expect(reached.server == 812)
    }

    private func expectFresh(_ test: ResetCase, _ outcome: ClientResetOutcome) throws {
        let file = test.history.clientFile
        #expect(outcome.clientFile == file)
        #expect(file.ident == ResetCase.newIdent)
        #expect(file.download == DownloadCursor(server: 812, client: 0))
        #expect(file.latest == ResetCase.latest)
        #expect(file.upload == UploadCursor(client: 0, server: 812))
        // The next process reads the same.
        try test.reopenHistory()
        #expect(test.history.clientFile == file)
    }

    // MARK: Cycles

    private enum Found: CaseIterable { case none, otherAction, otherVersion, discard, recover }
    private enum Result { case recovers, discards, cycle }

    @Test(arguments: [
        (Found.none, [Result.recovers, .recovers, .discards]), (.otherAction, [.recovers, .recovers, .discards]),
        (.otherVersion, [.recovers, .recovers, .discards]), (.discard, [.cycle, .cycle, .cycle]),
        (.recover, [.cycle, .discards, .discards])
    ])
    private func `R-62, R-63, R-64: what an attempt before this one means`(
        found: Found, results: [Result]
    ) throws {
        let modes: [ClientResetMode] = [
            .recoverUnsyncedChanges, .recoverOrDiscardUnsyncedChanges, .discardUnsyncedChanges
        ]
        for (mode, result) in zip(modes, results) {
            let test = try made()
            let earlier = PendingClientReset(
                time: 5, recovers: found != .discard, action: found == .otherAction ? .revertToPartition : .clientReset,
                code: .divergingHistories, message: "before")
            if found != .none { try test.history.note(earlier) }
            if found == .otherVersion {
                try test.history.write { try $0.putSync(HistoryKey.pendingReset, [9, 9] + earlier.encoded) }
            }
            guard result != .cycle else {
                let failure = #expect(throws: ClientResetFailure.self) { try test.reset(mode) }
                #expect(failure?.code == .cycle)
                #expect(try test.text(1, "s") == "mine")
                // It stays as it was.
                #expect(try test.history.pendingReset == earlier)
                continue
            }
            let outcome = try test.reset(mode)
            #expect(outcome.didRecover == (result == .recovers))
            #expect(
                try test.history.pendingReset
                    == PendingClientReset(
                        time: 1_000, recovers: result == .recovers, action: .clientReset, code: .badClientFileIdent,
                        message: "lost"))
        }
    }

    @Test func `R-8: the server's word counts again after the attempt before this one`() throws {
        let test = try made()
        try test.history.note(
            PendingClientReset(time: 5, recovers: true, action: .clientResetNoRecovery, code: nil, message: ""))
        #expect(try !test.reset(.recoverOrDiscardUnsyncedChanges, .clientResetNoRecovery).didRecover == true)
    }

    @Test func `R-65, R-66: only the same attempt is confirmed, and a confirmed one is no cycle`() throws {
        let test = try made()
        try test.reset()
        let pending = try #require(try test.history.pendingReset)
        var other = pending
        other.time += 1
        try test.history.confirm(other)
        #expect(try test.history.pendingReset == pending)
        try test.history.confirm(pending)
        #expect(try test.history.pendingReset == nil)
        try test.write([set(at(1, "s"), "again")])
        #expect(try test.reset().didRecover)
    }

    @Test func `R-9: an attempt that fails stays in mind, so that the next one discards`() throws {
        let test = try ResetCase(ResetSchema.all + [create(1)])
        try test.write([ResetSchema.column("Item", "extra", .int), set(at(1, "s"), "mine")])
        test.remote([ResetSchema.column("Item", "extra", .string), set(at(1, "s"), "theirs")])
        #expect(throws: ClientResetFailure.self) { try test.reset(.recoverOrDiscardUnsyncedChanges) }
        #expect(try test.history.pendingReset?.recovers == true)
        #expect(try test.text(1, "s") == "mine")
        // The class has a property that the server hasn't: that can't be discarded either.
        let failure = #expect(throws: ClientResetFailure.self) {
            try test.reset(.recoverOrDiscardUnsyncedChanges)
        }
        #expect(failure?.code == .incompatibleSchema)
        #expect(try test.history.pendingReset?.recovers == false)
    }

    @Test func `a record of an attempt is read as it was written`() {
        for code in [SyncErrorCode?.none, .clientFileExpired] {
            let reset = PendingClientReset(
                time: .max, recovers: true, action: .migrateToFlexible, code: code, message: "ü")
            #expect(reset.encoded.withUnsafeBytes { PendingClientReset($0) } == reset)
            for count in 0..<reset.encoded.count {
                #expect(Array(reset.encoded.prefix(count)).withUnsafeBytes { PendingClientReset($0) } == nil)
            }
        }
    }
}
