import Model
import TestSupport
import Testing

@testable import Merge

@Suite(.enabled(if: GoldenMerges.isPresent, "no golden data: set REEVE_VECTORS to the directory of merge.json"))
struct GoldenStateTests {
    /// The states of both sides after each has applied its own changesets and then the other's transformed ones.
    private static func outcomes(_ record: GoldenMerges.Record) throws -> (one: ReplicaState, other: ReplicaState) {
        let merged = try MergedPair(ours: record.ours, theirs: record.theirs)
        var one = ReplicaState()
        try one.apply(record.base)
        var other = one
        for changeset in record.ours { try one.apply(changeset.instructions) }
        for instructions in merged.theirs { try one.apply(instructions) }
        for changeset in record.theirs { try other.apply(changeset.instructions) }
        for instructions in merged.ours { try other.apply(instructions) }
        return (one, other)
    }

    @Test func `both sides end in the recorded state (M-100)`() throws {
        for record in try GoldenMerges.load() where record.result == "ok" {
            let (one, other) = try Self.outcomes(record)
            let state = try #require(record.state, "\(record.name)")
            let expected = try VisibleState(recorded: state)
            #expect(VisibleState(one) == expected, "\(record.name)")
            #expect(VisibleState(other) == expected, "\(record.name)")
            #expect(one == other, "\(record.name)")
            #expect(one.digest == other.digest, "\(record.name)")
            if let classes = state["schema"] as? [String: [String: Any]] {
                #expect(try one.schema == ReplicaSchema(recorded: classes), "\(record.name)")
            }
        }
    }

    /// M-63, M-37, M-82: the reference fails, or ends differently on the two sides.
    @Test func `both sides agree where those of the reference don't`() throws {
        for record in try GoldenMerges.load() where record.result == "apply_error" || record.result == "diverges" {
            guard !record.name.hasPrefix("dictionary/") else { continue }
            let (one, other) = try Self.outcomes(record)
            #expect(one == other, "\(record.name)")
        }
    }

    @Test func `an increment of a dictionary's value is refused (C-147)`() throws {
        let name = "dictionary/AddInteger vs set on dictionary key [a>b]"
        let record = try #require(try GoldenMerges.load().first { $0.name == name })
        #expect(throws: ApplyError.self) { try Self.outcomes(record) }
    }

    /// M-95: what genuine clients write for an embedded object at a key; Reeve's own writes Erased first, see
    /// `WorkedExampleTests`.
    @Test func `an embedded object put at a key over another replaces it (C-149)`() throws {
        let name = "dictionary/embedded in dictionary: recreate vs update inside [a>b]"
        let record = try #require(try GoldenMerges.load().first { $0.name == name })
        let (one, other) = try Self.outcomes(record)
        #expect(one != other)
    }
}

extension ReplicaSchema {
    /// Reads a recorded schema.
    init(recorded classes: [String: [String: Any]]) throws {
        self.init()
        for (name, fields) in classes {
            // A class has the fields of AddTable, a column those of AddColumn.
            var table = fields
            table["op"] = "AddTable"
            table["table"] = name
            if case .addTable(_, let kind, let key) = try VectorCoding.instruction(table) {
                _ = try add(Name(text: name), kind, key)
            }
        }
        for (name, fields) in classes {
            for (property, column) in fields["columns"] as? [String: [String: Any]] ?? [:] {
                var column = column
                column["op"] = "AddColumn"
                column["table"] = name
                column["field"] = property
                if case .addColumn(_, _, let declaration) = try VectorCoding.instruction(column) {
                    _ = try add(Name(text: property), of: Name(text: name), declaration)
                }
            }
        }
    }
}
