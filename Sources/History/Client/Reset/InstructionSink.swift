import Model
import Store

/// Applies instructions to a transaction in batches, as one stream.
final class InstructionSink {
    let transaction: WriteTransaction
    private var writer = ChangesetWriter()

    /// So many bytes are collected.
    private static let batchBytes = 64 << 10

    init(_ transaction: WriteTransaction) { self.transaction = transaction }

    func append(_ instruction: Instruction) throws {
        try writer.check(instruction, place: 0)
        writer.append(instruction)
        if writer.count >= InstructionSink.batchBytes { try flush() }
    }

    /// Applies what was collected.
    func flush() throws {
        guard writer.count > 0 else { return }
        try transaction.apply(writer.streamedBytes)
        writer.removeAll(keepingStrings: true)
    }
}
