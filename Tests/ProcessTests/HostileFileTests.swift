import Foundation
import Model
import TestSupport
import Testing
import Wire

/// Realms that are damaged: the agent stays up for the others.
@Suite struct HostileFileTests {
    @Test func aDamagedRealmIsRefusedAndTheOthersAreServed() throws {
        let agent = try AgentUnderTest().start()
        let path = agent.home.path("a.realm")
        let other = try RawClient(agent, "other")
        try other.open(agent.home.path("b.realm"))
        do {
            let client = try RawClient(agent)
            try client.open(path)
            for start in stride(from: Int64(0), to: 500, by: 100) {
                try client.commit(Changes.create(start..<(start + 100), name: "a name"))
            }
            _ = try client.wire.call(RealmClose(realm: client.realm))
        }
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        // The agent is through with the file when it gives up the lock on it.
        #expect(eventually { flock(file.fileDescriptor, LOCK_SH | LOCK_NB) == 0 })
        #expect(flock(file.fileDescriptor, LOCK_UN) == 0)
        let size = try file.seekToEnd()
        for page in stride(from: UInt64(8_192), to: size, by: 4_096) {
            try file.seek(toOffset: page + 12)
            try file.write(contentsOf: Data([0xFE, 0xFF, 0xFF, 0xFF]))
        }
        try file.close()
        for _ in 0..<3 {
            let error = #expect(throws: WireError.self) { try RawClient(agent).open(path) }
            #expect(error?.code == .corrupt)
        }
        try other.commit(Changes.create([1]))
        #expect(try other.count() == 1)
        #expect(agent.isRunning, "\(agent.output)")
    }

    @Test func aRealmThatIsTruncatedWhileOpenIsNotReadAnyMore() throws {
        let agent = try AgentUnderTest().start()
        let path = agent.home.path("a.realm")
        let client = try RawClient(agent)
        try client.open(path)
        try client.commit(Changes.create(0..<3_000, name: "a name"))
        let first = try client.wire.call(
            ReadQuery(realm: client.realm, query: QueryRequest("Item"), form: ObjectForm(batch: 100)))
        let cursor = try #require(first.cursor)
        #expect(try client.wire.call(ReadNext(cursor: cursor)).objects?.count == 100)
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(truncate(path, status.st_size - 100) == 0)
        func code(_ body: () throws -> Void) -> WireError.Code? {
            (#expect(throws: WireError.self) { try body() })?.code
        }
        #expect(code { _ = try client.wire.call(ReadNext(cursor: cursor)) } == .corrupt)
        #expect(
            code {
                _ = try client.wire.call(
                    ReadGet(realm: client.realm, className: "Item", key: .int(1)))
            } == .corrupt)
        #expect(code { _ = try client.count() } == .corrupt)
        #expect(code { try client.commit(Changes.create([5_000])) } == .corrupt)
        #expect(code { _ = try client.wire.call(RealmVerify(target: .handle(client.realm))) } == .corrupt)
        let other = try RawClient(agent, "other")
        try other.open(agent.home.path("b.realm"))
        #expect(agent.isRunning, "\(agent.output)")
    }

    /// The bytes of a realm that nobody has open.
    private func goodFile(_ agent: AgentUnderTest) throws -> Data {
        let path = agent.home.path("good.realm")
        do {
            let client = try RawClient(agent)
            try client.open(path)
            for start in stride(from: Int64(0), to: 500, by: 100) {
                try client.commit(Changes.create(start..<(start + 100), name: "a name"))
            }
            _ = try client.wire.call(
                RealmCopy(target: .handle(client.realm), destination: agent.home.path("copy.realm")))
        }
        return try Data(contentsOf: URL(fileURLWithPath: agent.home.path("copy.realm")))
    }

    @Test(
        "RE-06 RE-10 FI-13 files that are no realms, or not whole: named, left as they are, and nobody else is harmed")
    func filesThatAreNoRealms() throws {
        let agent = try AgentUnderTest().start()
        let good = try goodFile(agent)
        let other = try RawClient(agent, "other")
        try other.open(agent.home.path("other.realm"))
        let seed = randomSeed
        var random = SeededGenerator(seed: seed)
        var newer = good
        for format in UInt8(1)...9 {
            while let range = newer.range(of: Data("format".utf8) + Data([format, 0, 0, 0])) {
                newer.replaceSubrange(range, with: Data("format".utf8) + Data([99, 0, 0, 0]))
            }
        }
        #expect(newer != good)
        let files: [(name: String, bytes: Data, codes: [WireError.Code])] = [
            ("garbage", Data((0..<40_000).map { _ in UInt8.random(in: 0...255, using: &random) }), [.notARealm]),
            ("zeros", Data(count: 40_960), [.notARealm]), ("text", Data("no realm".utf8), [.notARealm]),
            ("sqlite", Data("SQLite format 3\0".utf8) + Data(count: 8_000), [.notARealm]),
            ("beginning", good.prefix(100), [.notARealm, .corrupt]),
            ("one page", good.prefix(4_096), [.notARealm, .corrupt]),
            ("half", good.prefix(good.count / 2), [.notARealm, .corrupt]),
            ("cut", good.prefix(good.count - 5_000), [.notARealm, .corrupt]), ("newer", newer, [.newerFormat])
        ]
        for (name, bytes, codes) in files {
            let path = agent.home.path("\(name).realm")
            try bytes.write(to: URL(fileURLWithPath: path))
            for _ in 0..<2 {
                let error = #expect(throws: WireError.self, "\(name), seed \(seed)") { try RawClient(agent).open(path) }
                #expect(error.map { codes.contains($0.code) } == true, "\(name): \(String(describing: error))")
                #expect(error?.facts["path"] == .string(path), "\(name): \(String(describing: error))")
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes, "\(name)")
            try other.commit(Changes.create([Int64(try other.count())]))
        }
        #expect(try other.count() == Int64(files.count))
        #expect(agent.isRunning, "\(agent.output)")
        // The same bytes, whole, are a realm.
        try good.write(to: URL(fileURLWithPath: agent.home.path("whole.realm")))
        let client = try RawClient(agent)
        try client.open(agent.home.path("whole.realm"))
        #expect(try client.count() == 500)
    }

    @Test("RE-05 directories, missing directories and dangling links instead of files; links to files are followed")
    func noFiles() throws {
        let agent = try AgentUnderTest().start()
        let manager = FileManager.default
        let client = try RawClient(agent)
        try manager.createDirectory(atPath: agent.home.path("directory.realm"), withIntermediateDirectories: true)
        for (name, code) in [
            ("directory.realm", WireError.Code.notARealm), ("nowhere/a.realm", .fileNotFound)
        ] {
            let error = #expect(throws: WireError.self) { try client.open(agent.home.path(name)) }
            #expect(error?.code == code, "\(name): \(String(describing: error))")
            #expect(error?.facts["path"] == .string(agent.home.path(name)), "\(name)")
        }
        #expect(!manager.fileExists(atPath: agent.home.path("nowhere")))
        try client.open(agent.home.path("real.realm"))
        try client.commit(Changes.create([1]))
        try manager.createSymbolicLink(
            atPath: agent.home.path("link.realm"), withDestinationPath: agent.home.path("real.realm"))
        let second = try RawClient(agent)
        try second.open(agent.home.path("link.realm"))
        #expect(try second.count() == 1)
        try second.commit(Changes.create([2]))
        #expect(try client.count() == 2)
        try manager.createSymbolicLink(
            atPath: agent.home.path("dangling.realm"), withDestinationPath: agent.home.path("nowhere/b.realm"))
        let third = try RawClient(agent)
        let error = #expect(throws: WireError.self) { try third.open(agent.home.path("dangling.realm")) }
        #expect(error?.code == .fileNotFound, "\(String(describing: error))")
        #expect(agent.isRunning)
    }
}
