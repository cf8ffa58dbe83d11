import Foundation

/// A body that is one JSON object. Types are taken strictly: a number is no Bool, null is no value (P-78).
enum JSONBody {
    static func decode<Body: Decodable>(
        _ type: Body.Type, _ text: String, rule: String, offset: Int
    ) throws(SyncMessageError) -> Body {
        do {
            return try JSONDecoder().decode(type, from: Data(text.utf8))
        } catch {
            throw SyncMessageError(.badSyntax, rule: rule, offset: offset, reason(error))
        }
    }

    /// What a person can act on: the path and the fault, not the decoder's whole dump.
    private static func reason(_ error: any Error) -> String {
        func name(_ path: [any CodingKey]) -> String { path.map(\.stringValue).joined(separator: ".") }
        return switch error {
        case DecodingError.keyNotFound(let key, let context): "\(name(context.codingPath + [key])) is missing"
        case DecodingError.valueNotFound(_, let context): "\(name(context.codingPath)) is null"
        case DecodingError.typeMismatch(_, let context): "\(name(context.codingPath)) has the wrong type"
        case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
            "\(name(context.codingPath)) has a bad value"
        default: "the body is not JSON"
        }
    }
}
