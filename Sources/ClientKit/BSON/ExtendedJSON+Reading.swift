import Foundation

extension ExtendedJSON {
    /// Reads a value, in canonical or relaxed form. Throws `AppError` for what isn't JSON.
    static func value(_ text: String) throws -> AnyBSON {
        // Servers answer nothing where there is nothing to say.
        if text.allSatisfy(\.isWhitespace) { return .null }
        do {
            return try JSONDecoder().decode(Node.self, from: Data(text.utf8)).value
        } catch {
            throw AppError(.unknown, "The server's answer is not valid JSON.")
        }
    }

    /// Reads an object; empty for anything else.
    static func document(_ text: String) -> Document {
        (try? value(text))?.documentValue ?? [:]
    }

    /// A value while it is being read.
    private struct Node: Decodable {
        let value: AnyBSON

        private struct Name: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        init(from decoder: any Decoder) throws {
            if let fields = try? decoder.container(keyedBy: Name.self) {
                var members: Document = [:]
                for name in fields.allKeys {
                    members[name.stringValue] = .some(try fields.decode(Node.self, forKey: name).value)
                }
                value = Self.unwrapped(members) ?? .document(members)
            } else if var items = try? decoder.unkeyedContainer() {
                var values: [AnyBSON?] = []
                while !items.isAtEnd { values.append(try items.decode(Node.self).value) }
                value = .array(values)
            } else {
                value = try Self.scalar(decoder.singleValueContainer())
            }
        }

        private static func scalar(_ container: any SingleValueDecodingContainer) throws -> AnyBSON {
            if container.decodeNil() { return .null }
            if let value = try? container.decode(Bool.self) { return .bool(value) }
            if let value = try? container.decode(Int64.self) { return .int64(value) }
            if let value = try? container.decode(Double.self) { return .double(value) }
            return .string(try container.decode(String.self))
        }

        /// What an object with one of the names of extended JSON stands for; nil for other objects.
        private static func unwrapped(_ members: Document) -> AnyBSON? {
            guard members.count == 1, let (name, content) = members.first, name.hasPrefix("$") else { return nil }
            let text = content?.stringValue
            switch name {
            case "$numberInt": return text.flatMap { Int32($0) }.map { .int32($0) }
            case "$numberLong": return text.flatMap { Int64($0) }.map { .int64($0) }
            case "$numberDouble":
                return text.flatMap { Double($0.replacing("Infinity", with: "inf")) }.map { .double($0) }
            case "$numberDecimal": return text.flatMap { try? Decimal128(string: $0) }.map { .decimal128($0) }
            case "$oid": return text.flatMap { try? ObjectId(string: $0) }.map { .objectId($0) }
            case "$uuid": return text.flatMap { UUID(uuidString: $0) }.map { .uuid($0) }
            case "$date": return date(content).map { .datetime($0) }
            case "$binary": return binary(content?.documentValue)
            case "$regularExpression": return regex(content?.documentValue)
            case "$timestamp":
                let seconds = (content?.documentValue?["t"] ?? nil)?.asDouble()
                return seconds.map { .timestamp(Date(timeIntervalSince1970: $0)) }
            case "$minKey": return .minKey
            case "$maxKey": return .maxKey
            default: return nil
            }
        }

        private static func date(_ content: AnyBSON?) -> Date? {
            if let milliseconds = content?.asDouble() { return Date(timeIntervalSince1970: milliseconds / 1000) }
            guard let text = content?.stringValue else { return nil }
            let plain = Date.ISO8601FormatStyle()
            return (try? Date(text, strategy: plain.year().month().day().time(includingFractionalSeconds: true)))
                ?? (try? Date(text, strategy: plain))
        }

        private static func binary(_ content: Document?) -> AnyBSON? {
            guard let content, let text = (content["base64"] ?? nil)?.stringValue,
                let data = Data(base64Encoded: text)
            else { return nil }
            let subtype = (content["subType"] ?? nil)?.stringValue
            guard subtype == "04" || subtype == "4", data.count == 16 else { return .binary(data) }
            return .uuid(UUID(uuid: data.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }))
        }

        private static func regex(_ content: Document?) -> AnyBSON? {
            guard let pattern = (content?["pattern"] ?? nil)?.stringValue else { return nil }
            let isFolded = (content?["options"] ?? nil)?.stringValue?.contains("i") == true
            let options: NSRegularExpression.Options = isFolded ? [.caseInsensitive] : []
            return (try? NSRegularExpression(pattern: pattern, options: options)).map { .regex($0) }
        }
    }
}
