import Merge
import Model
import TestSupport
import Testing

@Suite(.enabled(if: GoldenMerges.isPresent, "no golden data: set REEVE_VECTORS to the directory of merge.json"))
struct GoldenMergeTests {
    @Test func `the file holds all 535 records`() throws {
        #expect(try GoldenMerges.load().count == 535)
    }

    @Test func `both sides become what was recorded (M-16)`() throws {
        for record in try GoldenMerges.load() where record.result == "ok" {
            let merged = try MergedPair(ours: record.ours, theirs: record.theirs)
            #expect(merged.ours == record.oursTransformed, "ours of \(record.name)")
            #expect(merged.theirs == record.theirsTransformed, "theirs of \(record.name)")
        }
    }

    /// What the reference makes of these doesn't apply, or differs on the two sides (M-94 … M-98).
    @Test func `known faults of the reference come out right`() throws {
        let records = try GoldenMerges.load().filter { $0.result == "apply_error" || $0.result == "diverges" }
        #expect(records.count == 11)
        for record in records {
            let merged = try MergedPair(ours: record.ours, theirs: record.theirs)
            let one = record.ours.map(\.instructions)
            let other = record.theirs.map(\.instructions)
            switch record.name {
            // M-63: the erased column takes with it what happens inside.
            case "pair/AddInteger vs EraseColumn [a>b]":
                #expect(merged.ours == [[]] && merged.theirs == other)
            case "schema/EraseColumn vs AddInteger [a<b]", "schema/EraseColumn vs ArrayInsert [a<b]",
                "schema/EraseColumn vs SetInsert [a<b]":
                #expect(merged.ours == one && merged.theirs == [[]])
            // M-37: 1.0 and 1 are one element, and its insertion is newer.
            case "set/mixed set int 1 vs double 1.0 [a>b]":
                #expect(merged.ours == one && merged.theirs == [[]])
            // M-82: what happens inside an element follows it, and the move stays as it is.
            case "embedded/list: move 0->2 vs update inside 1 [a<b]",
                "embedded/list: move 1->0 vs update inside 1 [a<b]":
                #expect(merged.ours == one && merged.theirs == [[Self.street(of: 0)]])
            case "embedded/list: move 2->0 vs update inside 1 [a<b]",
                "embedded/list: move 1->2 vs update inside 1 [a<b]":
                #expect(merged.ours == one && merged.theirs == [[Self.street(of: 2)]])
            // M-95: between two genuine clients this stays as it is.
            case "dictionary/embedded in dictionary: recreate vs update inside [a>b]":
                #expect(merged.ours == one && merged.theirs == other)
            // C-147: an increment of a dictionary's value is refused when applied.
            case "dictionary/AddInteger vs set on dictionary key [a>b]":
                #expect(merged.ours == one && merged.theirs == record.theirsTransformed)
            default: Issue.record("\(record.name) is not known")
            }
        }
    }

    private static func street(of index: UInt32) -> Instruction {
        let path = InstructionPath("Item", .int(1), "addrs", [.index(index), .name("street")])
        return .update(path, .value(.string("q")), isDefault: false)
    }

    @Test func `which side is local does not matter (M-103)`() throws {
        for record in try GoldenMerges.load() where record.result != "transform_error" {
            let merged = try MergedPair(ours: record.ours, theirs: record.theirs)
            let exchanged = try MergedPair(ours: record.theirs, theirs: record.ours)
            #expect(merged.ours == exchanged.theirs, "\(record.name)")
            #expect(merged.theirs == exchanged.ours, "\(record.name)")
        }
    }

    @Test func `what can't be merged is refused (M-88, M-91)`() throws {
        for record in try GoldenMerges.load() where record.result == "transform_error" {
            let isSchema = record.name.hasPrefix("schema/")
            for (ours, theirs) in [(record.ours, record.theirs), (record.theirs, record.ours)] {
                let error = #expect(throws: MergeError.self, "\(record.name)") {
                    try MergedPair(ours: ours, theirs: theirs)
                }
                #expect(error?.code == (isSchema ? .schemaMismatch : .inconsistentHistory), "\(record.name)")
            }
        }
    }
}
