import Foundation
import Model
import Store
import TestSupport
import Testing

/// Files that aren't realms, or not ones that this version reads, are refused before LMDB could end the process.
@Suite struct ReadingRefusalTests {
    private let directory = TemporaryDirectory()
    private static let sample = Sample(classes: [
        SampleClass(
            schema: ClassSchema("Thing", [PropertySchema("value", .int), PropertySchema("text", .string)]),
            rows: (0..<200).map { row in
                [.value(.int(Int64(row))), .value(.string(String(repeating: "x", count: row * 3)))]
            })
    ])

    private func error(opening path: String) -> StoreError? {
        do {
            _ = try FileReader(path: path).snapshot()
            return nil
        } catch {
            return error as? StoreError
        }
    }

    private func file(_ bytes: some Collection<UInt8>) throws -> String {
        let path = directory.path("\(UUID().uuidString)")
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }

    @Test func missingFile() {
        #expect(error(opening: directory.path("nowhere"))?.code == .fileNotFound)
    }

    @Test func directoryInsteadOfFile() {
        #expect(error(opening: directory.path)?.code == .isADirectory)
    }

    @Test func emptyFile() throws {
        #expect(error(opening: try file([]))?.code == .notARealm)
    }

    @Test func otherContent() throws {
        #expect(error(opening: try file(Array("SQLite format 3".utf8)))?.code == .notARealm)
        var generator = SeededGenerator(seed: randomSeed)
        for size in [100, 4_096, 8_192, 20_000] {
            let bytes = (0..<size).map { _ in UInt8.random(in: 0...255, using: &generator) }
            #expect(error(opening: try file(bytes))?.code == .notARealm)
        }
    }

    @Test func unreadableFile() throws {
        // Root reads everything.
        guard geteuid() != 0 else { return }
        let path = try file([1])
        #expect(chmod(path, 0) == 0)
        #expect(error(opening: path)?.code == .permissionDenied)
    }

    @Test func newerFormatNamesBothVersions() throws {
        let fixture = try FixtureFile(Self.sample, FixtureFile.Layout(format: 7))
        let refusal = try #require(error(opening: fixture.path))
        #expect(refusal.code == .newerFormat)
        #expect(refusal.message.contains("format 7") && refusal.message.contains("\(FileFormat.version)"))
    }

    @Test func truncatedAnywhere() throws {
        let fixture = try FixtureFile(Self.sample)
        let whole = try Data(contentsOf: URL(filePath: fixture.path))
        #expect(error(opening: fixture.path) == nil)
        for size in stride(from: 0, to: whole.count, by: 2_048) {
            let refusal = error(opening: try file(whole.prefix(size)))
            #expect([.notARealm, .corrupt].contains(refusal?.code), "\(size) of \(whole.count) bytes")
        }
    }

    @Test("a file that lacks only pages which nothing uses is whole")
    func shorterThanItsLastPage() throws {
        let fixture = try FixtureFile(Self.sample)
        var bytes = try Data(contentsOf: URL(filePath: fixture.path))
        for meta in [0, 4_096] {
            // The last page's number, made larger by ten.
            bytes[meta + 136] += 10
        }
        let path = try file(bytes)
        #expect(error(opening: path) == nil)
        #expect(try FileReader(path: path).snapshot().table(named: "Thing")?.count == 200)
    }

    @Test func descriptorMayBeClosedAfterOpening() throws {
        let fixture = try FixtureFile(Self.sample)
        let descriptor = open(fixture.path, O_RDONLY | O_CLOEXEC)
        let reader = try FileReader(descriptor: descriptor)
        close(descriptor)
        #expect(try reader.snapshot().table(named: "Thing")?.count == 200)
    }
}
