import Foundation
import Model
import Store
import Testing
import Wire

@testable import Agent

/// What a named cursor makes of two results. Pure.
@Suite struct NamedCursorStateTests {
    private func cursor(_ matches: [(key: Int64, name: String, content: String)]) -> NamedCursor {
        NamedCursor(
            path: "/a.realm", name: "c", query: ["class": .string("Dog")], version: 7,
            matches: matches.map { match in
                NamedCursor.Match(
                    key: ObjectKey(match.key), digest: Array(match.content.utf8).withUnsafeBytes { ContentDigest($0) },
                    identity: ["$key": .int64(match.key), "name": .string(match.name)])
            })
    }

    @Test func differencesAreExact() {
        let before = cursor([(1, "Rex", "a"), (2, "Ada", "b"), (3, "Zoe", "c"), (4, "Max", "d")])
        let after = cursor([(1, "Rex", "a"), (2, "Ada", "B"), (4, "Moritz", "d"), (5, "Ivo", "e")])
        let changes = after.changes(since: before)
        #expect(changes.insertions.map(\.raw) == [4, 5])
        #expect(changes.modifications.map(\.raw) == [2])
        #expect(changes.deletions.map { $0["name"] } == [.string("Max"), .string("Zoe")])
        let none = after.changes(since: after)
        #expect(none.insertions.isEmpty && none.modifications.isEmpty && none.deletions.isEmpty)
        #expect(after.changes(since: nil).insertions.count == 4)
    }

    @Test func whatIsKeptComesBack() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("cursors-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let files = CursorFiles(directory: directory)
        #expect(try files.read("/a.realm", "c") == nil)
        let kept = cursor([(1, "Rex", "a"), (2, "Ada", "b")])
        try files.write(kept)
        #expect(try files.read("/a.realm", "c") == kept)
        #expect(try files.read("/b.realm", "c") == nil)
        let later = cursor([(2, "Ada", "c")])
        try files.write(later)
        #expect(try files.read("/a.realm", "c") == later)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory).count == 1)
        #expect(try files.remove("/a.realm", "c") && !files.remove("/a.realm", "c"))
    }

    @Test func digestsTellContentsApart() {
        var seen: Set<ContentDigest> = []
        var count = 0
        for length in 0...40 {
            for position in 0..<max(1, length) {
                for value: UInt8 in [0, 1, 2, 128] {
                    var bytes = [UInt8](repeating: 0, count: length)
                    if length > 0 { bytes[position] = value }
                    if value != 0 || position == 0, length > 0 || value == 0 {
                        count += 1
                        seen.insert(bytes.withUnsafeBytes { ContentDigest($0) })
                    }
                }
            }
        }
        #expect(seen.count == count)
    }
}
