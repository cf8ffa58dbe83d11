import EventLoop
import Foundation

/// Keeps changes in a file: a line of JSON for those of one request, behind its CRC-32, durable before it is acknowledged.
///
/// A line that was being written when the power failed is the last one of the file; it was never acknowledged, and is cut
/// off. A line that is damaged before others is refused: the server doesn't guess who its users are.
package final class AuthJournalFile: AuthJournal {
    /// What went wrong with the file.
    package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        package var description: String
    }

    private let descriptor: Int32
    private let path: String
    private let queue = DispatchQueue(label: "reeve-auth-journal")

    /// Opens the file, makes it if need be, and reads what is in it. One process may have it open at a time.
    package nonisolated static func open(_ path: String) throws -> (journal: AuthJournalFile, changes: [AuthChange]) {
        let descriptor = Foundation.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND, 0o600)
        guard descriptor >= 0 else { throw failure("can't be opened", path) }
        do {
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw failure("is in use by another server", path) }
            let data = try Data(contentsOf: URL(fileURLWithPath: path))
            let (changes, length) = try read([UInt8](data), path)
            let snapshot = AuthDirectory(changes).snapshot
            if changes.count > 2 * snapshot.count + compactionSlack {
                Foundation.close(descriptor)
                return try (AuthJournalFile(replace(path, by: snapshot), path), snapshot)
            }
            if length < data.count, ftruncate(descriptor, off_t(length)) != 0 { throw failure("can't be cut", path) }
            // A new file must still be there after a power failure, and so must its entry in the directory.
            guard fsync(descriptor) == 0, syncDirectory(of: path) else { throw failure("can't be synced", path) }
            return (AuthJournalFile(descriptor, path), changes)
        } catch {
            Foundation.close(descriptor)
            throw error
        }
    }

    /// Changes that a file may have beyond what it would need before it is written anew.
    nonisolated static let compactionSlack = 1000

    /// Puts a file with these changes in the place of the old one. Returns its descriptor, locked.
    private nonisolated static func replace(_ path: String, by changes: [AuthChange]) throws -> Int32 {
        let new = path + ".new"
        let descriptor = Foundation.open(new, O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND | O_TRUNC, 0o600)
        guard descriptor >= 0 else { throw failure("can't be written anew", path) }
        do {
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw failure("is in use by another server", path) }
            for start in stride(from: 0, to: changes.count, by: 1000) {
                try write(line(Array(changes[start..<min(start + 1000, changes.count)])), to: descriptor, path)
            }
            guard fsync(descriptor) == 0, rename(new, path) == 0, syncDirectory(of: path) else {
                throw failure("can't be written anew", path)
            }
            return descriptor
        } catch {
            Foundation.close(descriptor)
            throw error
        }
    }

    private nonisolated init(_ descriptor: Int32, _ path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { Foundation.close(descriptor) }

    package func append(_ changes: [AuthChange], completion: @escaping @LoopActor ((any Error)?) -> Void) {
        let line = Result { try Self.line(changes) }
        // In order of the calls; one sync for each, off the loop.
        queue.async { [self] in
            let outcome = Result { try Self.write(try line.get(), to: descriptor, path) }
            EventLoop.shared.post {
                if case .failure(let error) = outcome { completion(error) } else { completion(nil) }
            }
        }
    }

    private nonisolated static func write(_ bytes: [UInt8], to descriptor: Int32, _ path: String) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure("can't be written", path) }
            rest = rest.dropFirst(count)
        }
        guard fdatasync(descriptor) == 0 else { throw failure("can't be synced", path) }
    }

    private nonisolated static func line(_ changes: [AuthChange]) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let text = [UInt8](try encoder.encode(changes))
        return Array("\(checksum(text[...])) ".utf8) + text + [10]
    }

    /// The changes in whole lines, and how many bytes those are.
    private nonisolated static func read(_ bytes: [UInt8], _ path: String) throws -> ([AuthChange], Int) {
        var changes: [AuthChange] = []
        var position = 0
        let decoder = JSONDecoder()
        while let end = bytes[position...].firstIndex(of: 10) {
            let line = bytes[position..<end]
            let sum = line.prefix(8)
            let text = line.dropFirst(9)
            guard line.count > 9, sum.elementsEqual(checksum(text).utf8) else {
                if end == bytes.count - 1 { break }
                throw Failure(description: "the users' journal \(path) is damaged at byte \(position)")
            }
            do { changes += try decoder.decode([AuthChange].self, from: Data(text)) } catch {
                throw Failure(
                    description: "the users' journal \(path) has an entry of a newer version at byte \(position)")
            }
            position = end + 1
        }
        return (changes, position)
    }

    /// CRC-32 in hexadecimal digits.
    private nonisolated static func checksum(_ bytes: ArraySlice<UInt8>) -> String {
        var sum = ~UInt32(0)
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        let text = String(~sum, radix: 16)
        return String(repeating: "0", count: 8 - text.count) + text
    }

    private nonisolated static func syncDirectory(of path: String) -> Bool {
        let name = (path as NSString).deletingLastPathComponent
        let directory = Foundation.open(name.isEmpty ? "." : name, O_RDONLY | O_CLOEXEC)
        guard directory >= 0 else { return false }
        defer { Foundation.close(directory) }
        return fsync(directory) == 0
    }

    private nonisolated static func failure(_ what: String, _ path: String) -> Failure {
        Failure(description: "the users' journal \(path) \(what): \(String(cString: strerror(errno)))")
    }
}
