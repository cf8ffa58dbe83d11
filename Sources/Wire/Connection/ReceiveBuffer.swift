import CPlatform
import Foundation

/// What a connection has received and not handed out: bytes, and descriptors by their place in the stream.
///
/// Memory is taken as bytes arrive, never for an announced length alone.
final class ReceiveBuffer {
    private let frameLimit: Int
    private var memory: UnsafeMutableRawBufferPointer
    private var start = 0
    private var end = 0
    /// Stream offset of `bytes[start]`.
    private var position = 0
    /// Each with the stream offset at which the read that brought it ended. That read ends inside, or at the end of,
    /// the frame the descriptor belongs to: the kernel stops a read there.
    private var descriptors: [(end: Int, descriptor: Int32)] = []

    private static let readSize = 64 << 10

    init(frameLimit: Int) {
        self.frameLimit = frameLimit
        memory = .allocate(byteCount: Self.readSize, alignment: 16)
    }

    deinit {
        for entry in descriptors { close(entry.descriptor) }
        memory.deallocate()
    }

    /// Length of the frame at the front, if it is whole.
    func completeFrame() throws(WireError) -> Int? {
        guard end - start >= 4 else { return nil }
        let length = Int(Int32(littleEndian: memory.loadUnaligned(fromByteOffset: start, as: Int32.self)))
        guard length >= 5 else { throw WireError(.badFrame, "a frame's length is \(length)") }
        guard length <= frameLimit else { throw FrameEncoder.tooLarge(length, limit: frameLimit) }
        return end - start >= length ? length : nil
    }

    /// The first bytes. Valid until the buffer is changed.
    func front(_ length: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: memory[start..<start + length])
    }

    func removeFrame(_ length: Int) {
        start += length
        position += length
        // A frame has one descriptor at most; what else came with it is nobody's.
        while let first = descriptors.first, first.end <= position {
            close(first.descriptor)
            descriptors.removeFirst()
        }
        guard start == end else { return }
        start = 0
        end = 0
        // A large frame's memory isn't kept.
        if memory.count > 16 * Self.readSize { resize(to: Self.readSize) }
    }

    /// The descriptor of the frame at the front.
    func takeDescriptor(_ length: Int) -> Int32? {
        guard let first = descriptors.first, first.end <= position + length else { return nil }
        descriptors.removeFirst()
        return first.descriptor
    }

    /// Reads once. Throws `connectionLost` at the end of the stream.
    func fill(from socket: Int32, waiting: Bool) throws(WireError) {
        makeRoom()
        var descriptor: Int32 = -1
        var count = 0
        let room = UnsafeMutableRawBufferPointer(rebasing: memory[end...])
        repeat {
            count = reeve_receive_descriptor(
                socket, room.baseAddress, room.count, waiting ? 0 : Int32(MSG_DONTWAIT), &descriptor)
        } while count < 0 && errno == EINTR
        if count == 0 { throw WireError(.connectionLost, "the agent closed the connection") }
        if count < 0 {
            if !waiting, errno == EAGAIN || errno == EWOULDBLOCK { return }
            throw BlockingConnection.lost(errno)
        }
        end += count
        if descriptor >= 0 { descriptors.append((position + end - start, descriptor)) }
    }

    private func makeRoom() {
        guard memory.count - end < Self.readSize / 2 else { return }
        if start > 0 {
            memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[start..<end]))
            end -= start
            start = 0
        }
        if memory.count - end < Self.readSize / 2 { resize(to: 2 * memory.count) }
    }

    private func resize(to size: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<end]))
        memory.deallocate()
        memory = larger
    }
}
