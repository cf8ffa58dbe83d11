import Foundation
import Model
import Store
import Sync
import TestSupport
import Testing

@testable import History

/// A process that is killed while it resets a realm leaves it as it was, or reset.
@Suite struct ClientResetKillTests {
    private static let objects: Int64 = 300

    /// A closed realm with unsynced changes beside a complete fresh file, and what it may hold after a reset.
    private struct Prepared: Sendable {
        let directory = TemporaryDirectory()
        let path: String
        let before: String
        let recovered: String
        let discarded: String

        init() throws {
            path = directory.path("a.realm")
            let test = try ResetCase(ResetSchema.all + (0..<objects).map { create($0) })
            try test.write((0..<objects).map { set(at($0, "s"), "mine \($0)") })
            try test.write([create(-1), insert(at(0, "links", .index(0)), link(-1), 0)])
            test.remote((0..<objects).flatMap { fill($0, 1, 2) } + (0..<objects / 2).map { erase($0 * 2 + 1) })
            let reset = try test.begin()
            try test.download(for: reset)
            reset.abandon()
            before = try test.digest()
            let names = ["", ".journal"]
            func copy(from source: String, to goal: String) throws {
                for name in names where FileManager.default.fileExists(atPath: source + name) {
                    try FileManager.default.copyItem(atPath: source + name, toPath: goal + name)
                }
            }
            try copy(from: test.freshPath, to: FreshRealm.path(of: path))
            try test.file.checkpoint()
            try copy(from: test.path, to: path)
            recovered = try Prepared.reset(path, .recoverUnsyncedChanges)
            discarded = try Prepared.reset(path, .discardUnsyncedChanges)
        }

        /// Resets a copy.
        private static func reset(_ path: String, _ mode: ClientResetMode) throws -> String {
            let copy = try Copy(of: path)
            let history = try ClientHistory(copy.open())
            let reset = try ClientResetKillTests.reset(history, mode)
            _ = try reset.begin()
            _ = try reset.perform()
            return try history.file.snapshot().stateDigest()
        }
    }

    /// The realm and its fresh file, to be spoilt.
    private struct Copy {
        let directory = TemporaryDirectory()
        let path: String

        init(of realm: String) throws {
            path = directory.path("a.realm")
            for name in [realm, FreshRealm.path(of: realm)] {
                for suffix in ["", ".journal"] where FileManager.default.fileExists(atPath: name + suffix) {
                    let goal = path + name.dropFirst(realm.count) + suffix
                    try FileManager.default.copyItem(atPath: name + suffix, toPath: goal)
                }
            }
        }

        func open() throws -> RealmFile { try RealmFile(path: path, options: ResetCase.options) }
    }

    private static let prepared = Result { try Prepared() }

    private static func reset(_ history: ClientHistory, _ mode: ClientResetMode) throws -> ClientReset {
        try ClientReset(
            history, mode: mode, action: .clientReset,
            report: SyncReport(.clientResetRequired, code: .badClientFileIdent, "lost", isFatal: true))
    }

    /// What the next process finds; and that it can go on from there.
    private func check(
        _ copy: Copy, _ prepared: Prepared, _ expected: String, recovers: Bool = true, _ comment: Comment
    ) throws -> Bool {
        let file = try copy.open()
        let history = try ClientHistory(file)
        let digest = try file.snapshot().stateDigest()
        let isReset = history.state.ident == ResetCase.newIdent
        #expect(digest == (isReset ? expected : prepared.before), comment)
        #expect(try file.snapshot().checkInvariants() == [], comment)
        #expect(history.state.download.server == (isReset ? 812 : 1), comment)
        if isReset {
            #expect(try history.pendingReset != nil, comment)
            // The server wants another one before this is confirmed: now the changes go.
            #expect(
                try ClientResetKillTests.reset(history, .discardUnsyncedChanges).begin().history?.state.ident == nil)
        } else if FileManager.default.fileExists(atPath: FreshRealm.path(of: copy.path)) {
            let began = try history.pendingReset != nil
            let reset = try ClientResetKillTests.reset(history, .recoverOrDiscardUnsyncedChanges)
            _ = try reset.begin()
            guard !began || recovers else {
                // By R-64 nothing is tried after discarding, whether or not it came to that.
                #expect(throws: ClientResetFailure.self, comment) { try reset.perform() }
                return false
            }
            #expect(try reset.perform().didRecover == !began, comment)
            let end = began ? prepared.discarded : prepared.recovered
            #expect(try file.snapshot().stateDigest() == end, comment)
        }
        try file.close()
        return isReset
    }

    @Test func `killed at a random moment`() throws {
        let seed = randomSeed
        var generator = SeededGenerator(seed: seed)
        let prepared = try Self.prepared.get()
        for round in 0..<(6 * soakFactor) {
            let comment = Comment(rawValue: "seed \(seed), round \(round)")
            let copy = try Copy(of: prepared.path)
            let recovers = round % 2 == 0
            let child = try HistoryChildProcess(
                ["reset", copy.path, "\(recovers ? ClientResetMode.recoverUnsyncedChanges : .discardUnsyncedChanges)"])
            try child.waitForLine()
            usleep(UInt32.random(in: 0...100_000, using: &generator))
            child.kill()
            _ = try check(
                copy, prepared, recovers ? prepared.recovered : prepared.discarded, recovers: recovers, comment)
        }
    }

    @Test func `the power fails each time something is written to disk`() throws {
        let prepared = try Self.prepared.get()
        let copy = try Copy(of: prepared.path)
        let images = Lock<[Copy]>([])
        var options = RealmFileOptions()
        let path = copy.path
        // What the kernel has when the process is killed just then.
        options.syncFile = { descriptor in
            if let image = try? Copy(of: path) { images.withLock { $0.append(image) } }
            return fdatasync(descriptor)
        }
        let history = try ClientHistory(RealmFile(path: copy.path, options: options))
        let reset = try Self.reset(history, .recoverUnsyncedChanges)
        _ = try reset.begin()
        _ = try reset.perform()
        let all = images.withLock { $0 }
        #expect(all.count > 2)
        var wasReset: [Bool] = []
        for (place, image) in all.enumerated() where FileManager.default.fileExists(atPath: image.path) {
            wasReset.append(try check(image, prepared, prepared.recovered, "image \(place)"))
        }
        #expect(wasReset.first == false && wasReset.last == true)
    }

    @Test func `a disk that fails during a reset leaves the realm as it was`() throws {
        let prepared = try Self.prepared.get()
        for failure in 0..<4 {
            let copy = try Copy(of: prepared.path)
            let count = Lock(0)
            var options = RealmFileOptions()
            options.syncFile = { descriptor in
                let number = count.withLock {
                    $0 += 1
                    return $0
                }
                guard number <= 1 + failure else {
                    errno = EIO
                    return -1
                }
                return fdatasync(descriptor)
            }
            do {
                let history = try ClientHistory(RealmFile(path: copy.path, options: options))
                let reset = try Self.reset(history, .recoverUnsyncedChanges)
                _ = try reset.begin()
                _ = try reset.perform()
            } catch {}
            _ = try check(copy, prepared, prepared.recovered, "failure \(failure)")
        }
    }
}

/// A run of `history-child`, which is built beside the tests.
private final class HistoryChildProcess {
    private let process = Process()
    private let output = Pipe()

    init(_ arguments: [String]) throws {
        // The test bundle is the program on Linux.
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        var directory = program.deletingLastPathComponent()
        if let bundle = CommandLine.arguments.first(where: { $0.hasSuffix(".xctest") }) {
            directory = URL(fileURLWithPath: bundle).deletingLastPathComponent()
        }
        process.executableURL = directory.appendingPathComponent("history-child")
        process.arguments = arguments
        process.standardOutput = output
        process.environment = ["SWIFT_BACKTRACE": "enable=no"]
        try process.run()
    }

    /// Waits until it has said something.
    func waitForLine() throws {
        #expect(output.fileHandleForReading.availableData.isEmpty == false)
    }

    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
