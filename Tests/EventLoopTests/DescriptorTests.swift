import Foundation
import TestSupport
import Testing

@testable import EventLoop

@Suite("Descriptors over a pipe")
struct DescriptorTests {
    /// A descriptor of a file with that content, at its beginning.
    private func file(_ directory: TemporaryDirectory, _ content: String) -> Int32 {
        let path = directory.path(content)
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        #expect(Foundation.write(descriptor, content, content.utf8.count) == content.utf8.count)
        return descriptor
    }

    private func content(_ descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = pread(descriptor, &bytes, 100, 0)
        close(descriptor)
        return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
    }

    @Test("a descriptor arrives with its bytes, and ours is closed")
    func passes() throws {
        let directory = TemporaryDirectory()
        let (peer, connection) = try connectedPair { _ in Recorder() }
        let descriptor = file(directory, "one")
        try onLoop {
            connection.write([1, 2])
            let bytes: [UInt8] = [3, 4, 5]
            bytes.withUnsafeBytes { connection.write($0, descriptor: descriptor) }
            connection.write([6])
            connection.close(drainingFor: .seconds(5))
        }
        let (bytes, descriptors) = peer.receiveAll()
        #expect(bytes == [1, 2, 3, 4, 5, 6])
        #expect(descriptors.count == 1)
        // A read never goes on beyond the bytes that a descriptor came with.
        #expect(descriptors.first?.after == 5)
        for (_, received) in descriptors { #expect(content(received) == "one") }
        #expect(fcntl(descriptor, F_GETFD) == -1)
    }

    @Test("descriptors keep their places among queued bytes when the peer reads late")
    func ordered() throws {
        let directory = TemporaryDirectory()
        let (peer, connection) = try connectedPair { _ in Recorder() }
        let block = pattern(300_000)
        let descriptors = (0..<5).map { file(directory, "file\($0)") }
        try onLoop {
            for descriptor in descriptors {
                connection.write(block)
                block.withUnsafeBytes { connection.write($0, descriptor: descriptor) }
                connection.write([0xAA])
            }
            #expect(connection.queuedBytes > 1_000_000)
            connection.close(drainingFor: .seconds(10))
        }
        let (bytes, received) = peer.receiveAll()
        let unit = block + block + [0xAA]
        #expect(bytes == (0..<5).flatMap { _ in unit })
        #expect(received.count == 5)
        for (index, entry) in received.enumerated() {
            #expect(content(entry.descriptor) == "file\(index)")
            // The read that brought it ends within its own block.
            let blockStart = index * unit.count + block.count
            #expect(entry.after > blockStart && entry.after <= blockStart + block.count)
        }
    }

    @Test("a descriptor that meets a full socket goes out when there is room")
    func fullSocket() throws {
        let directory = TemporaryDirectory()
        let (peer, connection) = try connectedPair { _ in Recorder() }
        let descriptor = file(directory, "late")
        // Fill the socket behind the connection's back, so that its queue is empty and sendmsg says EAGAIN.
        try onLoop {
            let socket = connection.descriptor ?? -1
            let filler = [UInt8](repeating: 7, count: 1 << 16)
            while send(socket, filler, filler.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)) > 0 {}
            let bytes: [UInt8] = [1, 2, 3]
            bytes.withUnsafeBytes { connection.write($0, descriptor: descriptor) }
            connection.write([4])
            connection.close(drainingFor: .seconds(10))
        }
        let (bytes, received) = peer.receiveAll()
        #expect(Array(bytes.suffix(4)) == [1, 2, 3, 4])
        #expect(received.count == 1)
        for (after, descriptor) in received {
            #expect(after == bytes.count - 1)
            #expect(content(descriptor) == "late")
        }
    }

    @Test("descriptors that were never sent are closed with the connection")
    func closedUnsent() throws {
        let directory = TemporaryDirectory()
        let (peer, connection) = try connectedPair { _ in Recorder() }
        let descriptor = file(directory, "unsent")
        try onLoop {
            connection.write([UInt8](repeating: 0, count: 4 << 20))
            let bytes: [UInt8] = [1]
            bytes.withUnsafeBytes { connection.write($0, descriptor: descriptor) }
            connection.close()
            let other = dup(1)
            bytes.withUnsafeBytes { connection.write($0, descriptor: other) }
            #expect(fcntl(other, F_GETFD) == -1)
        }
        #expect(fcntl(descriptor, F_GETFD) == -1)
        withExtendedLifetime(peer) {}
    }
}
