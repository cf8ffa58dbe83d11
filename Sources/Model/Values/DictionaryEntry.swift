/// A key of a dictionary with its value. Keys are equal if their bytes are.
public struct DictionaryEntry: Sendable {
    public var key: String
    public var value: Value

    public init(_ key: String, _ value: Value) {
        self.key = key
        self.value = value
    }
}

extension DictionaryEntry: Hashable {
    public static func == (a: DictionaryEntry, b: DictionaryEntry) -> Bool {
        a.key.utf8.elementsEqual(b.key.utf8) && a.value == b.value
    }

    public func hash(into hasher: inout Hasher) {
        key.hashBytes(into: &hasher)
        hasher.combine(value)
    }
}
