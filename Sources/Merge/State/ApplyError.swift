/// Why a changeset can't be applied: it doesn't fit the state. Nothing of it is applied (C-61, C-127).
public struct ApplyError: Error, Hashable, Sendable {
    /// The rule of the changeset specification that is broken, for example `C-130`.
    public var rule: String
    public var message: String

    public init(rule: String, _ message: String) {
        self.rule = rule
        self.message = message
    }
}

extension ApplyError: CustomStringConvertible {
    public var description: String { "can't apply: \(message) (\(rule))" }
}
