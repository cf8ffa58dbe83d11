import Model

/// How dictionaries travel: as a document of their keys, or, if a key begins with `$` (which would be taken for an
/// extended value) or has a zero byte (which no document's key can have), as `{$entries: [[key, value], …]}`.
package enum WireDictionary {
    package static let entriesKey = "$entries"

    static func fits(_ key: String) -> Bool { !key.utf8.starts(with: "$".utf8) && !key.utf8.contains(0) }

    /// The value that a dictionary is in a document.
    package static func value(_ entries: [(key: String, value: BSONValue)]) -> BSONValue {
        if entries.allSatisfy({ fits($0.key) }) {
            return .document(BSONDocument(entries.map { BSONDocument.Element($0.key, $0.value) }))
        }
        return .document([entriesKey: .array(entries.map { .array([.string($0.key), $0.value]) })])
    }

    /// The entries of a value in a document; nil if it can't be a dictionary.
    package static func entries(_ value: BSONValue) -> [(key: String, value: BSONValue)]? {
        guard case .document(let document) = value else { return nil }
        guard document.elements.count == 1, case .array(let pairs)? = document[entriesKey] else {
            guard document.elements.allSatisfy({ fits($0.key) }) else { return nil }
            return document.elements.map { ($0.key, $0.value) }
        }
        var entries: [(key: String, value: BSONValue)] = []
        for pair in pairs {
            guard case .array(let parts) = pair, parts.count == 2, case .string(let key) = parts[0] else { return nil }
            entries.append((key, parts[1]))
        }
        return entries
    }
}

extension BSONWriter {
    /// A dictionary. `value` writes the value of a key under the name that it is given.
    package func dictionary(_ name: BSONKey, keys: [String], _ value: (Int, BSONKey, BSONWriter) -> Void) {
        document(name) { writer in
            if keys.allSatisfy(WireDictionary.fits) {
                for (index, key) in keys.enumerated() { value(index, .text(key), writer) }
            } else {
                writer.array("$entries") { writer in
                    for (index, key) in keys.enumerated() {
                        writer.array(.next) { writer in
                            writer.string(.next, key)
                            value(index, .next, writer)
                        }
                    }
                }
            }
        }
    }
}
