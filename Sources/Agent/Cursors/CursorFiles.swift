import Foundation
import Wire

/// The named cursors of all realms of this agent, a file each.
struct CursorFiles: Sendable {
    /// Made when the first cursor is advanced.
    let directory: String

    private func file(_ path: String, _ name: String) -> String {
        let text = Array("\(path)\u{0}\(name)".utf8)
        return "\(directory)/" + text.withUnsafeBytes { ContentDigest($0) }.text
    }

    /// nil: there is none. Throws for one that can't be read: whoever asks must not take it for a new one.
    func read(_ path: String, _ name: String) throws -> NamedCursor? {
        let file = file(path, name)
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: file))
        } catch CocoaError.fileReadNoSuchFile, CocoaError.fileNoSuchFile {
            return nil
        } catch {
            throw damaged(name, file, "\(error)")
        }
        do {
            let cursor = try NamedCursor(BSONDocument(bytes: data))
            return cursor.path == path && cursor.name == name ? cursor : nil
        } catch {
            throw damaged(name, file, "\(error)")
        }
    }

    private func damaged(_ name: String, _ file: String, _ reason: String) -> WireError {
        WireError(
            .ioError, "the cursor \"\(name)\" in \(file) can't be read (\(reason)); remove it to begin anew",
            facts: ["path": .string(file)])
    }

    /// Durable when it returns: the former one or this one is there, whatever happens.
    func write(_ cursor: NamedCursor) throws {
        try StateDirectory.make(directory)
        let file = file(cursor.path, cursor.name)
        let bytes = try cursor.document.encoded()
        let temporary = "\(file).\(UInt64.random(in: 0...UInt64.max))"
        do {
            try store(bytes, temporary)
            guard rename(temporary, file) == 0 else { throw refusal("rename", file) }
        } catch {
            unlink(temporary)
            throw error
        }
        try sync(directory)
    }

    private func store(_ bytes: [UInt8], _ path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw refusal("make", path) }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw refusal("write", path) }
            rest = rest.dropFirst(count)
        }
        guard fsync(descriptor) == 0 else { throw refusal("sync", path) }
    }

    private func sync(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw refusal("open", path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw refusal("sync", path) }
    }

    private func refusal(_ operation: String, _ path: String) -> WireError {
        let code = errno
        return WireError(
            WireError.Code(systemCode: code), "can't \(operation) \(path): \(String(cString: strerror(code)))",
            facts: ["path": .string(path), "errno": .int32(code)])
    }

    /// Whether there was one.
    func remove(_ path: String, _ name: String) throws -> Bool {
        if unlink(file(path, name)) == 0 {
            try sync(directory)
            return true
        }
        guard errno == ENOENT else { throw refusal("remove", file(path, name)) }
        return false
    }
}
