import Foundation
import TestSupport

@testable import Store

/// Keys of tests, each made of one byte.
func testKey(_ byte: UInt8 = 7) -> RealmKey {
    guard let key = RealmKey([UInt8](repeating: byte, count: RealmKey.size)) else { preconditionFailure() }
    return key
}

extension TestRealm {
    /// Opens the realm with a key.
    func openEncrypted(
        _ key: RealmKey = testKey(), _ change: (inout RealmFileOptions) -> Void = { _ in }
    ) throws -> RealmFile {
        try open {
            $0.key = key
            change(&$0)
        }
    }

    var bytes: [UInt8] { FileManager.default.contents(atPath: path).map { [UInt8]($0) } ?? [] }
    var journal: [UInt8] { FileManager.default.contents(atPath: path + ".journal").map { [UInt8]($0) } ?? [] }

    /// The beginnings of the journal's areas, by their places.
    var journalParts: [Int: [UInt8]] {
        guard let descriptor = try? FileSystem.openFile(path + ".journal", O_RDONLY) else { return [:] }
        defer { close(descriptor) }
        var parts: [Int: [UInt8]] = [:]
        for (start, size) in [(0, 200_000), (16_785_408, 190_000)] {
            parts[start] = (try? Journal.read(descriptor, at: start, size)) ?? []
        }
        return parts
    }

    func putJournal(_ parts: [Int: [UInt8]]) {
        put([], ".journal")
        guard let descriptor = try? FileSystem.openFile(path + ".journal", O_RDWR) else { return }
        defer { close(descriptor) }
        for (start, bytes) in parts { pwrite(descriptor, bytes, bytes.count, off_t(start)) }
    }

    func put(_ bytes: [UInt8], _ suffix: String = "") {
        let isWritten = FileManager.default.createFile(atPath: path + suffix, contents: Data(bytes))
        precondition(isWritten, path + suffix)
    }

    func remove(_ suffixes: [String] = [".journal", "-lock", ".lock"]) {
        for suffix in suffixes { unlink(path + suffix) }
    }

    /// The code of the error that opening, or verifying what was opened, ends with; nil when all is well.
    func fault(_ key: RealmKey? = testKey()) throws -> StoreError.Code? {
        do {
            let file = try open { $0.key = key }
            defer { try? file.close() }
            return try file.verify().isClean ? nil : .corrupt
        } catch let error as StoreError {
            return error.code
        }
    }
}

extension [UInt8] {
    func contains(_ text: String) -> Bool {
        Data(self).range(of: Data(text.utf8)) != nil
    }
}
