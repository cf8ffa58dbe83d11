/// How a query is carried out, for people to read.
package struct QueryPlan: Hashable, Sendable {
    /// A part of the condition; the parts of an AND or OR follow with a greater depth.
    package struct Part: Hashable, Sendable {
        package var depth: Int
        package var text: String

        package var line: String { String(repeating: "  ", count: depth) + text }
    }

    package var className: String
    /// Objects of the class.
    package var objectCount: Int
    /// Where the objects to look at come from.
    package var access: String
    /// How many an index leaves to look at; nil: all.
    package var candidateCount: Int?
    /// What is tested, in the order in which it is.
    package var condition: [Part]
    /// Sorts, distincts, limits and filters, in their order.
    package var descriptors: [String]

    /// The plan as lines of text.
    package var lines: [String] {
        let all = Self.count(objectCount, "object")
        var lines = ["\(className): \(all)"]
        if let candidateCount {
            lines.append("look up by \(access): \(Self.count(candidateCount, "candidate"))")
        } else {
            lines.append("scan \(access)")
        }
        return lines + condition.map(\.line) + descriptors
    }

    private static func count(_ number: Int, _ what: String) -> String { "\(number) \(what)\(number == 1 ? "" : "s")" }
}

extension QueryPlan: CustomStringConvertible {
    package var description: String { lines.joined(separator: "\n") }
}
