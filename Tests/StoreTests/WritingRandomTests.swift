import Foundation
import Model
import TestSupport
import Testing

@testable import Store

@Suite struct WritingRandomTests {
    static let schema = RealmSchema(
        dogs.classes + [
            ClassSchema(
                "Note",
                [
                    PropertySchema("text", .string, nullable: true),
                    PropertySchema("about", .link, nullable: true, target: "Person"),
                    PropertySchema("scores", .double, nullable: true, collection: .list)
                ])
        ])

    @Test func randomTransactionsAgreeWithTheOracle() throws {
        let seed = randomSeed
        var maker = InstructionMaker(seed: seed)
        let realm = TestRealm()
        var file = try realm.open { $0.checkpointFileBytes = 1 << 20 }
        try file.ensure(Self.schema)
        var oracle = Oracle(Self.schema)
        var boot = 0
        for round in 0..<(15 * soakFactor) {
            let comment = Comment(rawValue: "seed \(seed), round \(round)")
            var next = oracle
            var instructions: [Instruction] = []
            let size = maker.below(10) == 0 ? 1_500 : 1 + maker.below(60)
            if maker.below(25) == 0 {
                // A run of new objects, and sometimes all of a class gone.
                let first = Int64(10_000 + round * 2_000)
                instructions = (0..<Int64(1_200)).map { .create("Dog", first + $0) }
            } else if maker.below(30) == 0 {
                instructions = (oracle.objects["Dog"] ?? [:]).keys.sorted { "\($0)" < "\($1)" }
                    .map { .eraseObject(className: "Dog", key: $0) }
            }
            for instruction in instructions { next.apply(instruction) }
            for _ in 0..<size {
                let instruction = maker.instruction(next)
                next.apply(instruction)
                instructions.append(instruction)
            }
            switch maker.below(10) {
            case 0:
                let transaction = try file.beginWrite()
                try Changeset.encode(instructions).withUnsafeBytes { try transaction.apply($0) }
                #expect(next.difference(try transaction.reader()) == nil, comment)
                transaction.rollback()
            case 1:
                instructions.append(.set("Dog", -1, "age", .int(1)))
                #expect(throws: StoreError.self, comment) { try file.write(instructions) }
            case 2:
                // Read between two parts of the stream.
                let transaction = try file.beginWrite()
                let half = instructions.count / 2
                try Changeset.encode(Array(instructions[..<half])).withUnsafeBytes { try transaction.apply($0) }
                #expect(try transaction.reader().checkInvariants() == [], comment)
                try transaction.seal(uid: nil)
                try Changeset.encode(Array(instructions[half...])).withUnsafeBytes { try transaction.apply($0) }
                try transaction.commit(uid: nil)
                oracle = next
            default:
                try file.write(instructions)
                oracle = next
            }
            do {
                let snapshot = try file.snapshot()
                try #require(snapshot.checkInvariants() == [], comment)
                if round % 5 == 0 { try #require(oracle.difference(snapshot) == nil, comment) }
            }
            switch maker.below(30) {
            case 0:
                try file.close()
                file = try reopened(realm, &file, boot)
            case 1: file = try reopened(realm, &file, boot)
            case 2: try file.compact()
            case 3: try file.makeDurable(through: file.version)
            case 4: try file.checkpoint()
            default: break
            }
            boot += 1
        }
        try #require(oracle.difference(try file.snapshot()) == nil, "seed \(seed)")
        let report = try file.verify()
        #expect(report.findings == [], "seed \(seed)")
    }

    /// Opens the realm again, whether or not it was closed.
    private func reopened(_ realm: TestRealm, _ file: inout RealmFile, _ boot: Int) throws -> RealmFile {
        file = try TestRealm().open()
        return try realm.open { $0.checkpointFileBytes = 1 << 20 }
    }
}
