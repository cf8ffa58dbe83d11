import Foundation
import TestSupport

@testable import Model

/// Records of `changesets.json`, the golden data of the changeset encoding.
struct GoldenRecords {
    struct Record {
        var name: String
        var kind: String
        var bytes: [UInt8]
        var streamed: [UInt8]?
        var isRefused: Bool
        var instructions: [Instruction]
    }

    static let file = VectorCoding.directory.appendingPathComponent("changesets.json")
    static let isPresent = FileManager.default.fileExists(atPath: file.path)

    static func load() throws -> [Record] {
        let json = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
        guard let top = json as? [String: Any], let records = top["records"] as? [[String: Any]] else {
            throw VectorCoding.Unreadable("records")
        }
        return try records.map { fields in
            let name = try VectorCoding.string(fields["name"], "name")
            do {
                return Record(
                    name: name, kind: try VectorCoding.string(fields["kind"], "kind"),
                    bytes: try VectorCoding.bytes(fields["hex"]),
                    streamed: try fields["hex_streaming"].map { try VectorCoding.bytes($0) },
                    isRefused: fields["verdict"] as? String == "bad_changeset",
                    instructions: try (fields["instructions"] as? [[String: Any]] ?? []).map(VectorCoding.instruction))
            } catch let error as VectorCoding.Unreadable {
                throw VectorCoding.Unreadable("\(name): \(error.what)")
            }
        }
    }
}
