import Foundation

/// JSON on its way through: the agent hands on what it doesn't need to understand.
enum JSONText {
    /// The text of an object; nil for what JSON can't say.
    static func object(_ members: [String: Any]) -> String? {
        guard JSONSerialization.isValidJSONObject(members),
            let data = try? JSONSerialization.data(
                withJSONObject: members, options: [.sortedKeys, .withoutEscapingSlashes])
        else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    /// The members of an object's text; nil if it is none.
    static func members(_ text: String) -> [String: Any]? {
        (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any]
    }
}
