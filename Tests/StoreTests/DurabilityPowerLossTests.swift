import Foundation
import Model
import TestSupport
import Testing

@testable import Store

/// What a disk may hold after a power failure: of everything written since the last sync, any pages or none.
struct Disk {
    private static let pageSize = 4_096
    /// File contents that were synced.
    private var data: [UInt8] = []
    private var journal: [UInt8] = []
    private var checkpoint: UInt64 = .max
    private let path: String

    init(_ path: String) {
        self.path = path
    }

    private static func read(_ path: String) -> [UInt8] {
        FileManager.default.contents(atPath: path).map { [UInt8]($0) } ?? []
    }

    /// Notes what is durable now: the journal, and the data file if a checkpoint was taken. Nothing may have been
    /// committed since.
    mutating func noteSynced(_ file: RealmFile) {
        journal = Self.read(path + ".journal")
        let now = file.durability?.state.withLock { $0.checkpoint } ?? 0
        if now != checkpoint {
            checkpoint = now
            data = Self.read(path)
        }
    }

    /// Leaves in `directory` what a failure at this moment may leave.
    func fail(into target: String, _ generator: inout SeededGenerator) {
        write(Self.mixed(data, Self.read(path), &generator), target)
        // The journal is short of the sparse room between its areas; only what follows the last sync is in doubt.
        write(Self.mixed(journal, Self.read(path + ".journal"), &generator), target + ".journal")
    }

    private func write(_ bytes: [UInt8], _ target: String) {
        let isWritten = FileManager.default.createFile(atPath: target, contents: Data(bytes))
        precondition(isWritten, target)
    }

    private static func mixed(_ old: [UInt8], _ new: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var result = old
        // The length is metadata: it may have grown or not.
        if new.count > old.count, Bool.random(using: &generator) {
            result += [UInt8](repeating: 0, count: new.count - old.count)
        }
        let keep = Int.random(in: 0...4, using: &generator)
        for page in stride(from: 0, to: min(result.count, new.count), by: pageSize) {
            let end = min(page + pageSize, min(result.count, new.count))
            let isChanged = new.withUnsafeBytes { new in
                result.withUnsafeBytes { old in
                    guard let a = new.baseAddress, let b = old.baseAddress else { return false }
                    return memcmp(a + page, b + page, end - page) != 0
                }
            }
            if isChanged, Int.random(in: 0..<4, using: &generator) < keep {
                result.replaceSubrange(page..<end, with: new[page..<end])
            }
        }
        return result
    }
}

@Suite struct DurabilityPowerLossTests {
    @Test(arguments: [nil, testKey()]) func everyAcknowledgedTransactionSurvives(_ key: RealmKey?) throws {
        let seed = randomSeed
        var maker = InstructionMaker(seed: seed)
        for round in 0..<((key == nil ? 6 : 1) * soakFactor) {
            let comment = Comment(rawValue: "seed \(seed), round \(round)")
            let realm = TestRealm()
            let lost = TestRealm()
            let file = try realm.open {
                $0.largestJournaledChange = 4 << 10
                $0.bootId = "before"
                $0.key = key
            }
            var disk = Disk(realm.path)
            try file.ensure(WritingRandomTests.schema)
            try file.makeDurable(through: file.version)
            disk.noteSynced(file)
            // What the realm holds at each version that may have survived.
            var states: [UInt64: Oracle] = [file.version: Oracle(WritingRandomTests.schema)]
            var acknowledged = file.version
            for _ in 0..<(10 + maker.below(40)) {
                var next = try #require(states[file.version])
                var instructions: [Instruction] = []
                for _ in 0..<(maker.below(8) == 0 ? 400 : 1 + maker.below(10)) {
                    let instruction = maker.instruction(next)
                    next.apply(instruction)
                    instructions.append(instruction)
                }
                try file.write(instructions)
                states[file.version] = next
                switch maker.below(4) {
                case 0: break
                case 1 where maker.below(3) == 0:
                    try file.checkpoint()
                    acknowledged = file.version
                    disk.noteSynced(file)
                default:
                    try file.makeDurable(through: file.version)
                    acknowledged = file.version
                    disk.noteSynced(file)
                }
                guard maker.below(5) == 0 else { continue }
                for suffix in ["", ".journal", "-lock", ".lock"] { unlink(lost.path + suffix) }
                disk.fail(into: lost.path, &maker.generator)
                try expectSurvived(lost, key, acknowledged, states, comment)
            }
        }
    }

    private func expectSurvived(
        _ lost: TestRealm, _ key: RealmKey?, _ acknowledged: UInt64, _ states: [UInt64: Oracle], _ comment: Comment
    ) throws {
        for boot in ["after", "again"] {
            let file = try lost.open {
                $0.bootId = boot
                $0.key = key
            }
            try #require(file.version >= acknowledged, comment)
            let state = try #require(states[file.version], comment)
            do {
                let snapshot = try file.snapshot()
                try #require(state.difference(snapshot) == nil, comment)
            }
            #expect(try file.verify().findings == [], comment)
        }
    }

    @Test func aKilledProcessLosesNothingThatItCommitted() throws {
        let realm = TestRealm()
        do {
            let file = try realm.open()
            try file.ensure(dogs)
            try file.write([.create("Dog", 1)])
            // Not closed, not synced: as after `kill -9`.
        }
        #expect(FileManager.default.fileExists(atPath: realm.path + ".journal"))
        let file = try realm.open()
        #expect(try file.snapshot().table(named: "Dog")?.count == 1)
    }

    /// Who asks after the restart what became of a commit relies on the answer.
    @Test func whatAKilledProcessLeftIsOnDiskWhenTheFileIsOpen() throws {
        let realm = TestRealm()
        let lost = TestRealm()
        var generator = SeededGenerator(seed: randomSeed)
        var disk = Disk(realm.path)
        do {
            let file = try realm.open { $0.bootId = "before" }
            try file.ensure(dogs)
            try file.makeDurable(through: file.version)
            disk.noteSynced(file)
            try file.write([.create("Dog", 1)])
            // Not closed, not synced: as after `kill -9`.
        }
        let file = try realm.open { $0.bootId = "before" }
        let version = file.version
        #expect(file.durability?.state.withLock { $0.checkpoint } == version)
        disk.noteSynced(file)
        disk.fail(into: lost.path, &generator)
        let after = try lost.open { $0.bootId = "after" }
        #expect(after.version == version)
        #expect(try after.snapshot().table(named: "Dog")?.count == 1)
    }

    @Test func aFileThatWasReplacedIsNotRepairedFromTheJournalOfTheOld() throws {
        let realm = TestRealm()
        let other = TestRealm()
        do {
            let file = try realm.open()
            try file.ensure(dogs)
            try file.write([.create("Dog", 1)])
            try file.makeDurable(through: file.version)
            let copy = try other.open()
            try copy.ensure(dogs)
            try copy.write([.create("Dog", 7), .create("Dog", 8)])
            try copy.close()
        }
        unlink(realm.path)
        try FileManager.default.copyItem(atPath: other.path, toPath: realm.path)
        let file = try realm.open { $0.bootId = "another" }
        #expect(try file.snapshot().table(named: "Dog")?.count == 2)
        #expect(try file.verify().findings == [])
    }
}
