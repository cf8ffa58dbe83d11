import Foundation
import Merge
import Model
import TestSupport

/// Records of `merge.json`, the golden data of merging: two concurrent histories over a common base.
struct GoldenMerges {
    struct Changeset {
        var rank: Rank
        var instructions: [Instruction]
    }

    struct Record {
        var name: String
        var result: String
        var base: [Instruction]
        var ours: [Changeset]
        var theirs: [Changeset]
        /// Empty where the merge is to be refused.
        var oursTransformed: [[Instruction]]
        var theirsTransformed: [[Instruction]]
        /// The state in the JSON form of the file.
        var state: [String: Any]?
    }

    static let file = VectorCoding.directory.appendingPathComponent("merge.json")
    static let isPresent = FileManager.default.fileExists(atPath: file.path)

    static func load() throws -> [Record] {
        let json = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
        guard let top = json as? [String: Any], let records = top["records"] as? [[String: Any]],
            let bases = top["bases"] as? [String: [[String: Any]]]
        else { throw VectorCoding.Unreadable("records") }
        let instructions = try bases.mapValues { try $0.map(VectorCoding.instruction) }
        return try records.map { fields in
            let name = try VectorCoding.string(fields["name"], "name")
            guard let base = instructions[try VectorCoding.string(fields["base"], "base")] else {
                throw VectorCoding.Unreadable("\(name): base")
            }
            return Record(
                name: name, result: try VectorCoding.string(fields["result"], "result"), base: base,
                ours: try changesets(fields["A"]), theirs: try changesets(fields["B"]),
                oursTransformed: try lists(fields["A_transformed"]),
                theirsTransformed: try lists(fields["B_transformed"]), state: fields["state"] as? [String: Any])
        }
    }

    private static func changesets(_ json: Any?) throws -> [Changeset] {
        guard let list = json as? [[String: Any]] else { throw VectorCoding.Unreadable("changesets") }
        return try list.map { fields in
            guard let timestamp = fields["timestamp"] as? NSNumber, let ident = fields["file_ident"] as? NSNumber,
                let instructions = fields["instructions"] as? [[String: Any]]
            else { throw VectorCoding.Unreadable("changeset") }
            return Changeset(
                rank: Rank(originTimestamp: timestamp.uint64Value, originFileIdent: ident.uint64Value),
                instructions: try instructions.map(VectorCoding.instruction))
        }
    }

    private static func lists(_ json: Any?) throws -> [[Instruction]] {
        try (json as? [[[String: Any]]] ?? []).map { try $0.map(VectorCoding.instruction) }
    }
}

/// Both sides after a merge of two histories that begin at the same state.
struct MergedPair {
    var ours: [[Instruction]]
    var theirs: [[Instruction]]

    init(ours: [GoldenMerges.Changeset], theirs: [GoldenMerges.Changeset]) throws {
        var history = MergeHistory()
        for (number, changeset) in ours.enumerated() {
            try history.append(
                HistoryEntry(
                    version: UInt64(number + 1), rank: changeset.rank, instructions: changeset.instructions))
        }
        let incoming = theirs.enumerated().map { number, changeset in
            RemoteChangeset(
                remoteVersion: UInt64(number + 1), lastIntegratedVersion: 0, rank: changeset.rank,
                instructions: changeset.instructions)
        }
        let merged = try history.merge(incoming, from: 1)
        history.adopt(merged)
        self.theirs = merged.changesets.map(\.instructions)
        self.ours = try ours.indices.map { try history.instructions(of: UInt64($0 + 1), for: 1) }
    }
}
