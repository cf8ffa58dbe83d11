import Model

/// An object of the agent's own realm. What it is called when it can't be kept has no secrets.
protocol KeptRecord: Hashable, Sendable, CustomStringConvertible {
    static var className: String { get }
    var key: PrimaryKey { get }
    /// The instructions that put it into a file, whether it has it or not.
    var changes: [UInt8] { get }
}

extension KeptRecord {
    /// The instructions that take it out of a file that has it.
    var deletion: [UInt8] {
        var writer = ChangesetWriter()
        writer.append(.eraseObject(className: Self.className, key: key))
        return writer.finished()
    }
}
