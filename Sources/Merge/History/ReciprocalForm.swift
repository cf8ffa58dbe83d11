import Model

/// What has become of one entry of a history in the merges with one peer: the form that is valid on top of everything
/// received from it (M-20). The history itself keeps the original, which other peers need.
///
/// It says only where it differs from the original, so that it costs nothing for what nobody else touched.
public struct ReciprocalForm: Hashable, Sendable {
    /// An instruction and, for an Update or Clear, the mark of M-138, which no changeset carries.
    public struct Element: Hashable, Sendable {
        public var instruction: Instruction
        public var hidden: Hidden?

        public init(_ instruction: Instruction, hidden: Hidden? = nil) {
            self.instruction = instruction
            self.hidden = hidden
        }
    }

    /// The entry.
    public var version: UInt64
    /// By place in the original: what stands there now. Empty if the instruction was discarded; several if the merge
    /// put some before it (M-29).
    public var changes: [Int: [Element]]

    public init(version: UInt64, changes: [Int: [Element]]) {
        self.version = version
        self.changes = changes
    }
}
