import Model

/// Instructions that were handed on together, kept where they were recorded.
final class ChangesetPart {
    private let buffer: UnsafeByteBuffer

    init(_ buffer: consuming UnsafeByteBuffer) {
        self.buffer = buffer
    }

    /// Valid as long as this is.
    var bytes: UnsafeRawBufferPointer { buffer.bytes }
}
