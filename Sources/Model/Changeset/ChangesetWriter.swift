/// Appends instructions to a byte buffer. Interned indices come from `intern`, once per string; callers keep them,
/// so that recording an update hashes nothing and allocates nothing:
///
///     var writer = ChangesetWriter()
///     let dog = writer.intern("Dog"), age = writer.intern("age")
///     let rex = EncodedObject(target: dog, key: .int(1))
///     writer.createObject(rex)
///     writer.update(rex, age, int: 3)
///
/// Bugs of callers (an index that `intern` did not return, values beyond C-16) are not looked for here: the reader
/// refuses such bytes. `Changeset.encode` checks.
public struct ChangesetWriter: ~Copyable {
    /// Where the definitions of interned strings go.
    public enum Layout: Sendable {
        /// Before the instruction that first needs the string (C-62).
        case streaming
        /// The same, byte for byte as a writing client: columns that are no links intern an empty string (C-64).
        case writingClient
        /// All at the start, as re-encoding does (C-66).
        case stringsFirst
    }

    public let layout: Layout
    @usableFromInline var buffer: UnsafeByteBuffer
    private var head: UnsafeByteBuffer
    private let strings = InternTable()
    /// Instructions written since the last `removeAll`, interned strings not counted.
    public var instructionCount = 0

    public init(layout: Layout = .streaming, capacity: Int = 4096) {
        self.layout = layout
        buffer = UnsafeByteBuffer(capacity: capacity)
        head = UnsafeByteBuffer(capacity: layout == .stringsFirst ? 256 : 0)
    }

    /// Bytes that wait to be taken.
    @inlinable
    public var count: Int { buffer.count }

    /// In the streaming layouts, what has been written since the last `removeAll`: valid until the next write, and
    /// readable by itself only as continuation of what was taken before.
    public var streamedBytes: UnsafeRawBufferPointer {
        precondition(layout != .stringsFirst, "strings-first changesets exist only when finished")
        return buffer.bytes
    }

    /// The whole changeset in the layout chosen. Strings first: empty if there is no instruction (C-66).
    public func finished() -> [UInt8] {
        switch layout {
        case .streaming, .writingClient: return [UInt8](buffer.bytes)
        case .stringsFirst:
            guard instructionCount > 0 else { return [] }
            return [UInt8](unsafeUninitializedCapacity: head.count + buffer.count) { space, count in
                space.withMemoryRebound(to: UInt8.self) { space in
                    let bytes = UnsafeMutableRawBufferPointer(space)
                    bytes.copyMemory(from: head.bytes)
                    UnsafeMutableRawBufferPointer(rebasing: bytes[head.count...]).copyMemory(from: buffer.bytes)
                }
                count = head.count + buffer.count
            }
        }
    }

    /// Drops the bytes after they were taken. `keepingStrings`: the stream goes on, and its interned strings stay
    /// defined; otherwise a new stream begins and all indices are void.
    public mutating func removeAll(keepingStrings: Bool) {
        buffer.removeAll(keeping: 1 << 22)
        instructionCount = 0
        guard !keepingStrings else { return }
        head.removeAll(keeping: 1 << 16)
        strings.removeAll()
    }

    /// In the streaming layouts, hands over what has been written since the last time. The stream goes on, its interned
    /// strings stay defined. The writer goes on in memory of `capacity` bytes.
    public mutating func takeStreamedBytes(capacity: Int) -> UnsafeByteBuffer {
        precondition(layout != .stringsFirst, "strings-first changesets exist only when finished")
        instructionCount = 0
        var taken = UnsafeByteBuffer(capacity: capacity)
        swap(&taken, &buffer)
        return taken
    }

    // MARK: Interning

    /// The index of a string, which is defined in the stream if it is new.
    public mutating func intern(_ string: String) -> UInt32 {
        var string = string
        return string.withUTF8 { intern(utf8: UnsafeRawBufferPointer($0)) }
    }

    /// The index of a string given by its bytes.
    public mutating func intern(utf8 bytes: UnsafeRawBufferPointer) -> UInt32 {
        let (index, isNew) = strings.intern(bytes)
        guard isNew else { return index }
        switch layout {
        case .streaming, .writingClient: Self.define(index, bytes, in: &buffer)
        case .stringsFirst: Self.define(index, bytes, in: &head)
        }
        return index
    }

    private static func define(_ index: UInt32, _ bytes: UnsafeRawBufferPointer, in buffer: inout UnsafeByteBuffer) {
        var writer = UnsafeByteWriter(buffer.reserve(bytes.count + 24))
        writer.byte(Opcode.internString.rawValue)
        writer.unsigned(index)
        writer.unsigned(UInt64(bytes.count))
        writer.bytes(bytes)
        buffer.setEnd(writer.position)
    }

    // MARK: Beginning and end of an instruction

    /// A writer at the end, with room for opcode, object, a property and `extra` bytes.
    @inlinable
    @inline(__always)
    public mutating func begin(_ opcode: Opcode, extra: Int) -> UnsafeByteWriter {
        var writer = UnsafeByteWriter(buffer.reserve(64 + extra))
        writer.byte(opcode.rawValue)
        return writer
    }

    @inlinable
    @inline(__always)
    public mutating func end(_ writer: UnsafeByteWriter) {
        buffer.setEnd(writer.position)
        instructionCount &+= 1
    }
}
