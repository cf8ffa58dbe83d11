import EventLoop
import Foundation
import Model
import Store
import Sync
import TestSupport
import Testing

@testable import History
@testable import Server

/// What a realm's history costs: room for what devices still need, and one sync for what comes together.
@Suite("Sync: histories cost what they are worth")
struct HistoryCostTests {
    @Test("a history is compacted when all devices have it, and new devices download little (P-136, R21)")
    func compaction() throws {
        try onServerLoop {
            let yard = try SyncYard { options in
                options.history.compactionAge = 0
                options.history.compactionBytes = 4_000
                options.compactionInterval = .seconds(1)
            }
            let first = try yard.device()
            let second = try yard.device()
            try first.write(Dogs.schema)
            for number in 0..<300 { try first.write(Dogs.put(1, name: "number \(number)")) }
            #expect(try yard.advance { try second.count("Dog") == 1 && first.uploaded > 300 })
            for _ in 0..<20 {
                try first.write(Dogs.put(2, name: "again"))
                yard.settle()
                yard.settle()
            }
            let third = try yard.device()
            #expect(try yard.advance { try third.count("Dog") == 2 })
            let digest = try first.snapshot().stateDigest()
            #expect(try third.snapshot().stateDigest() == digest)
            #expect(yard.endpoint.metrics.historyFaults == 0 && yard.endpoint.metrics.failures == [:])
            for device in [first, second, third] { try device.stop() }
            #expect(yard.advance { yard.endpoint.openRealmCount == 0 })
            let realm = try yard.realm()
            #expect(realm.state.baseVersion > 250)
            let ident = try realm.allocateIdent(user: "u")
            let batch = try realm.batch(after: DownloadCursor(), file: ident.number, byteLimit: .max)
            #expect(batch.entries.count < 100)
            #expect(try realm.snapshot().stateDigest() == digest)
        }
    }

    private struct Box {
        let directory = TemporaryDirectory()
        let box: RealmBox

        init(_ change: (inout RealmFileOptions) -> Void = { _ in }) {
            var file = RealmFileOptions()
            change(&file)
            box = RealmBox(
                RealmAddress(appId: "shop", partition: .string("p")), in: directory.path, file: file,
                history: HistoryOptions())
        }

        func idents(_ count: Int) -> [FileIdent] {
            let jobs = (0..<count).map {
                RealmBox.Job(work: .open(path: "\"p\"", flexible: nil, needsIdent: true), user: "user \($0)")
            }
            return box.answer(jobs).compactMap { if case .opened(let ident?) = $0.answer { ident } else { nil } }
        }

        func write(_ instructions: [Instruction], _ ident: FileIdent, version: Int64) throws -> RealmBox.Job {
            let entry = UploadEntry(
                cursor: UploadCursor(client: version), timestamp: 5, changeset: try Changeset.encode(instructions))
            let upload = ClientMessage.Upload(
                session: 1, progress: entry.cursor, lockedServerVersion: 0, entries: [entry])
            return RealmBox.Job(work: .integrate(file: ident.number, [upload]), user: "user \(ident.number - 2)")
        }
    }

    @Test("what several sessions upload together is durable by one sync, and each is answered for itself")
    func together() throws {
        let box = Box()
        let idents = box.idents(4)
        #expect(idents.map(\.number) == [2, 3, 4, 5])
        var jobs = try idents.prefix(3).enumerated().map {
            try box.write(Dogs.schema + Dogs.put(Int64($0)), $1, version: 2)
        }
        // One of them is refused, which is nothing to the others.
        jobs.insert(try box.write([.eraseTable(className: "Dog")], idents[3], version: 2), at: 1)
        let outcomes = box.box.answer(jobs)
        #expect(outcomes.map(\.version) == [1, 1, 2, 3])
        let failures = outcomes.map { outcome -> SyncErrorCode? in
            if case .failed(let failure) = outcome.answer { failure.code } else { nil }
        }
        #expect(failures == [nil, .invalidSchemaChange, nil, nil])
        #expect(box.box.close() == nil)
        // As the next process finds it.
        #expect(
            box.box.answer([.init(work: .open(path: "\"p\"", flexible: nil, needsIdent: false), user: "u")]).first?
                .version == 3)
    }

    @Test("a disk that fails ends all that waited for it, and they find out from the file")
    func failingDisk() throws {
        let fails = Lock(false)
        let box = Box { options in
            options.largestJournaledChange = 0
            options.syncFile = { descriptor in
                guard !fails.withLock({ $0 }) else {
                    errno = EIO
                    return -1
                }
                return fdatasync(descriptor)
            }
        }
        let idents = box.idents(2)
        fails.withLock { $0 = true }
        let jobs = try idents.map { try box.write(Dogs.schema + Dogs.put($0.number), $0, version: 2) }
        for outcome in box.box.answer(jobs) {
            guard case .failed(let failure) = outcome.answer else {
                Issue.record("\(outcome.answer)")
                continue
            }
            #expect(failure.code == .connectionClosed && outcome.fault != nil)
        }
        fails.withLock { $0 = false }
        // Sent again, whether or not it had arrived (P-56).
        let again = box.box.answer(jobs)
        #expect(again.allSatisfy { if case .integrated = $0.answer { true } else { false } })
        #expect(again.last?.version == 2)
    }
}
