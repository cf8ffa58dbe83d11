/// A changeset as a list of instructions and as bytes. For what is done once per changeset; code that sees every
/// instruction of every transaction uses `ChangesetReader` and `ChangesetWriter`.
public enum Changeset {
    /// The instructions of a changeset in either layout. Memory is in proportion to the input.
    public static func decode(_ bytes: [UInt8]) throws(ChangesetError) -> [Instruction] {
        // A closure cannot say which error it throws through `withUnsafeBytes`.
        try bytes.withUnsafeBytes { bytes in Result { () throws(ChangesetError) in try decode(bytes) } }.get()
    }

    /// The instructions of a changeset that lies in memory.
    public static func decode(_ bytes: UnsafeRawBufferPointer) throws(ChangesetError) -> [Instruction] {
        var reader = ChangesetReader(bytes)
        var resolver = InstructionResolver(reader.strings)
        var instructions: [Instruction] = []
        while let raw = try reader.next() {
            instructions.append(try resolver.resolve(raw, offset: reader.instructionOffset))
        }
        return instructions
    }

    /// The bytes of a list of instructions. Refuses instructions that would not be read back: offset is then the
    /// instruction's place in the list.
    public static func encode(
        _ instructions: [Instruction], layout: ChangesetWriter.Layout = .stringsFirst
    ) throws(ChangesetError) -> [UInt8] {
        var writer = ChangesetWriter(layout: layout, capacity: 64 + instructions.count * 16)
        for (place, instruction) in instructions.enumerated() {
            try writer.check(instruction, place: place)
            writer.append(instruction)
        }
        return writer.finished()
    }
}
