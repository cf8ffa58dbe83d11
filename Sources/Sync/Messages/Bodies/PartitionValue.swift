import Foundation
import Model

/// The value of the partition key that a session is bound to (P-42).
package enum PartitionValue: Hashable, Sendable {
    case null
    case string(String)
    case int(Int64)
    case objectId(ObjectId)
    case uuid(UUID)

    /// The text as clients write it: extended JSON.
    package var text: String {
        switch self {
        case .null: return "null"
        case .string(let value): return JSONObjectWriter.quoted(value)
        case .int(let value): return "{\"$numberLong\":\"\(value)\"}"
        case .objectId(let value): return "{\"$oid\":\"\(value)\"}"
        case .uuid(let value):
            let bytes = withUnsafeBytes(of: value.uuid) { Data($0) }
            return "{\"$binary\":{\"base64\":\"\(bytes.base64EncodedString())\",\"subType\":\"04\"}}"
        }
    }

    /// Nil for a text that is no partition value: error 204. Texts of one value give equal values.
    package init?(text: String) {
        guard let value = try? JSONDecoder().decode(ExtendedJSON.self, from: Data(text.utf8)).value else { return nil }
        self = value
    }

    private struct ExtendedJSON: Decodable {
        struct Binary: Decodable {
            var base64: String
            var subType: String
        }

        enum Key: String, CodingKey, CaseIterable {
            case long = "$numberLong"
            case oid = "$oid"
            case binary = "$binary"
            case uuid = "$uuid"
        }

        var value: PartitionValue

        init(from decoder: any Decoder) throws {
            let single = try decoder.singleValueContainer()
            if single.decodeNil() {
                value = .null
                return
            }
            if let text = try? single.decode(String.self) {
                value = .string(text)
                return
            }
            let fields = try decoder.container(keyedBy: Key.self)
            let parsed: PartitionValue?
            switch fields.allKeys.count == 1 ? fields.allKeys.first : nil {
            case .long: parsed = Int64(try fields.decode(String.self, forKey: .long)).map(PartitionValue.int)
            case .oid: parsed = ObjectId(try fields.decode(String.self, forKey: .oid)).map(PartitionValue.objectId)
            case .uuid:
                parsed = UUID(uuidString: try fields.decode(String.self, forKey: .uuid)).map(PartitionValue.uuid)
            case .binary:
                let binary = try fields.decode(Binary.self, forKey: .binary)
                let bytes = binary.subType == "04" || binary.subType == "4" ? Data(base64Encoded: binary.base64) : nil
                parsed = bytes.flatMap { bytes in
                    bytes.count == 16
                        ? bytes.withUnsafeBytes { $0.baseAddress.map { .uuid(UUID(loading: $0)) } } : nil
                }
            case nil: parsed = nil
            }
            guard let parsed else {
                throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "not a partition value"))
            }
            value = parsed
        }
    }
}
