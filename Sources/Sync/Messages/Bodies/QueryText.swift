import Foundation

/// The text of a set of subscriptions as it travels: for each class, by its name, the predicate of the objects that are
/// wanted (F-1).
package enum QueryText {
    /// A set may have so many bytes (F-14).
    package static let limit = 256 << 10

    /// One object without white space, its keys in the order of their bytes.
    package static func encode(_ predicates: [String: String]) -> String {
        let sorted = predicates.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        let members = sorted.map { "\(JSONObjectWriter.quoted($0.key)):\(JSONObjectWriter.quoted($0.value))" }
        return "{" + members.joined(separator: ",") + "}"
    }

    /// What a client sent; throws if it isn't an object of strings.
    package static func decode(_ text: String) throws(SyncMessageError) -> [String: String] {
        try JSONBody.decode([String: String].self, text, rule: "F-1", offset: 0)
    }
}
