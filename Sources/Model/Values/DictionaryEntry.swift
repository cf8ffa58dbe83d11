/// A key of a dictionary with its value. Keys are equal if their bytes are.
package struct DictionaryEntry: Sendable {
    package var key: String
    package var value: Value

    package init(_ key: String, _ value: Value) {
        self.key = key
        self.value = value
    }
}

extension DictionaryEntry: Hashable {
    package static func == (a: DictionaryEntry, b: DictionaryEntry) -> Bool {
        a.key.utf8.elementsEqual(b.key.utf8) && a.value == b.value
    }

    package func hash(into hasher: inout Hasher) {
        key.hashBytes(into: &hasher)
        hasher.combine(value)
    }
}
