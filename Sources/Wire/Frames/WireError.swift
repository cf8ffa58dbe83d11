/// An expected failure, as it travels: `{code, name, message, …facts}`.
package struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, by stable name and number. A name that this version doesn't know is kept.
    package struct Code: Hashable, Sendable {
        package var number: Int32
        package var name: String

        package init(_ number: Int32, _ name: String) {
            self.number = number
            self.name = name
        }
    }

    package var code: Code
    /// A sentence that somebody can act on.
    package var message: String
    /// What belongs to it: path, limit, size, pid, field, …
    package var facts: BSONDocument

    package init(_ code: Code, _ message: String, facts: BSONDocument = [:]) {
        self.code = code
        self.message = message
        self.facts = facts
    }

    package var name: String { code.name }
    package var description: String { "\(message) (\(code.name))" }
}

extension WireError {
    /// The refusal of a request whose parameters are wrong.
    package init(_ error: WireDecodingError) {
        var facts: BSONDocument = ["field": .string(error.field), "expected": .string(error.expected)]
        if let found = error.found { facts["found"] = .string(found) }
        self.init(.badParams, error.description, facts: facts)
    }

    /// The refusal of bytes that aren't BSON.
    package init(_ error: BSONError) {
        self.init(.badFrame, "not a valid message: \(error)", facts: ["offset": .int64(Int64(error.offset))])
    }
}

extension WireError: WirePayload {
    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        let name = try view.get("name", as: String.self)
        var facts = BSONDocument(view)
        facts.elements.removeAll { ["code", "name", "message"].contains($0.key) }
        self.init(Code(try view.find("code") ?? 0, name), try view.find("message") ?? name, facts: facts)
    }

    package func write(to writer: BSONWriter) {
        writer.put("code", code.number)
        writer.put("name", code.name)
        writer.put("message", message)
        for fact in facts.elements where !["code", "name", "message"].contains(fact.key) {
            writer.value(.text(fact.key), fact.value)
        }
    }
}
