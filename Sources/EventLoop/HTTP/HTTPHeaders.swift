/// The header fields of a message, in order. Names are compared without case.
package struct HTTPHeaders: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    package struct Field: Hashable, Sendable {
        package var name: String
        package var value: String
    }

    package private(set) var fields: [Field] = []

    package init() {}

    package init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { add(name, value) }
    }

    /// The value of the first field of that name; setting replaces all of them.
    package subscript(name: String) -> String? {
        get { fields.first { Self.isSame($0.name, name) }?.value }
        set {
            fields.removeAll { Self.isSame($0.name, name) }
            if let newValue { add(name, newValue) }
        }
    }

    package func values(_ name: String) -> [String] {
        fields.filter { Self.isSame($0.name, name) }.map(\.value)
    }

    /// The elements of a field that is a list, in lower case.
    package func tokens(_ name: String) -> [String] {
        values(name).flatMap { $0.split(separator: ",") }.map { $0.trimmingSpaces.lowercased() }
            .filter { !$0.isEmpty }
    }

    /// Adds a field. A line break in it becomes a space: no value begins another field.
    package mutating func add(_ name: String, _ value: String) {
        fields.append(Field(name: Self.sanitized(name), value: Self.sanitized(value)))
    }

    mutating func add(_ field: Field) { fields.append(field) }

    private static func sanitized(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == 13 || $0 == 10 || $0 == 0 }) else { return text }
        let bytes = text.utf8.map { $0 == 13 || $0 == 10 || $0 == 0 ? 32 : $0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// ASCII letters are equal in both cases, nothing else is folded.
    package static func isSame(_ left: some StringProtocol, _ right: some StringProtocol) -> Bool {
        left.utf8.count == right.utf8.count && zip(left.utf8, right.utf8).allSatisfy { lower($0) == lower($1) }
    }

    private static func lower(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte | 32 : byte }
}

extension StringProtocol {
    /// Without spaces and tabs at both ends.
    var trimmingSpaces: String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
            return ""
        }
        return String(self[first...last])
    }
}
