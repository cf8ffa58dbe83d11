/// Why two changesets can't be merged. Nothing of them is applied (M-41): a client needs a client reset, a server
/// refuses the client's upload and goes on with others (M-92).
public struct MergeError: Error, Hashable, Sendable {
    /// What kind of fault; new kinds may be added.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Both sides declared the same class or property, in different ways (M-88).
        public static let schemaMismatch = Code(rawValue: "schemaMismatch")
        /// Sizes, indexes or paths don't fit: the history of one side is corrupt (M-91).
        public static let inconsistentHistory = Code(rawValue: "inconsistentHistory")
        /// Two concurrent changesets with the same timestamp and file: they have no order (M-14).
        public static let equalRanks = Code(rawValue: "equalRanks")
        /// A stored reciprocal form doesn't belong to the history that it was restored into.
        public static let unknownForm = Code(rawValue: "unknownForm")
    }

    public var code: Code
    /// The rule of the merge specification that is broken, for example `M-67`.
    public var rule: String
    public var message: String

    public init(_ code: Code, rule: String, _ message: String) {
        self.code = code
        self.rule = rule
        self.message = message
    }
}

extension MergeError: CustomStringConvertible {
    public var description: String { "can't merge: \(message) (\(rule))" }
}
