import Model
import TestSupport
import Testing

@testable import Store

/// The address space of files.
@Suite("Map size") struct MapSizeTests {
    @Test("a file is mapped with room to grow, up to a limit")
    func sizes() {
        let smallest = FileFormat.smallestMap
        #expect(FileFormat.mapSize(forFileOf: 0) == smallest)
        #expect(FileFormat.mapSize(forFileOf: smallest / 8) == smallest)
        #expect(FileFormat.mapSize(forFileOf: smallest / 8 + 1) == smallest * 2)
        #expect(FileFormat.mapSize(forFileOf: FileFormat.largestFile) == FileFormat.largestFile)
        #expect(FileFormat.mapSize(forFileOf: .max) == FileFormat.largestFile)
    }

    @Test("a process has room for hundreds of realms")
    func many() throws {
        let files = try (0..<300).map { try RealmFile(path: directory.path("\($0).realm")) }
        for file in files {
            try file.ensure(dogs)
            try file.write([.create("Dog", 1)])
        }
        for file in files { #expect(try file.snapshot().table(named: "Dog")?.count == 1) }
        for file in files { try file.close() }
    }

    private let directory = TemporaryDirectory()

    private var options: RealmFileOptions {
        var options = RealmFileOptions()
        options.smallestMap = 2 << 20
        return options
    }

    private func grow() throws {
        let file = try RealmFile(path: directory.path("a.realm"), options: options)
        try file.ensure(dogs)
        try file.write([.create("Dog", -1)])
        let first = try file.snapshot()
        let text = String(repeating: "x", count: 400)
        for round in 0..<Int64(20) {
            let keys = (round * 1_000)..<(round * 1_000 + 1_000)
            try file.write(keys.flatMap { [.create("Dog", $0), .set("Dog", $0, "name", .string(text))] })
        }
        try file.makeDurable(through: file.version)
        // More than the first map could take.
        #expect(try file.fileSize() > 4 << 20 && file.generation > 1)
        #expect(try file.snapshot().table(named: "Dog")?.count == 20_001)
        #expect(try file.verify().findings == [])
        #expect(first.checkInvariants() == [] && first.table(named: "Dog")?.count == 1)
        try file.close()
    }

    @Test("a file that outgrows its map moves to a larger one, and readers of the old one read on")
    func outgrown() throws {
        // Snapshots keep the file from being opened anew: they are gone when this is over.
        try grow()
        let again = try RealmFile(path: directory.path("a.realm"), options: options)
        #expect(try again.snapshot().table(named: "Dog")?.count == 20_001)
        try again.close()
    }
}
