import Foundation
import TestSupport
import Testing
import Wire

/// Encrypted realms, with a real agent and several client processes.
@Suite(.serialized) struct EncryptedRealmTests {
    private let key = ["REEVE_TEST_KEY": "7"]

    private func keyFile(_ agent: AgentUnderTest, _ byte: UInt8 = 7) throws -> String {
        let path = agent.home.path("key\(byte)")
        try Data(repeating: byte, count: 64).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func numbers(_ agent: AgentUnderTest, _ realm: String, _ writer: String) throws -> [Int] {
        let reader = try ClientProcess(agent, ["count", realm, writer], environment: key)
        try reader.finish()
        return try reader.wait(for: "numbers").split(separator: " ").compactMap { Int($0) }
    }

    private func acknowledged(_ writer: ClientProcess) -> [Int] {
        writer.output.compactMap { $0.hasPrefix("acknowledged ") ? Int($0.dropFirst(13)) : nil }
    }

    /// Every file below the directory that holds the text.
    private func files(in directory: String, with text: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: directory)?.allObjects.compactMap { $0 as? String } ?? []
        return names.filter { name in
            let data = FileManager.default.contents(atPath: directory + "/" + name) ?? Data()
            return data.range(of: Data(text.utf8)) != nil
        }
    }

    /// Flags of a process's mappings of decrypted realms, as the kernel names them.
    private func mappingFlags(_ pid: Int32) throws -> [Set<Substring>] {
        // The kernel tells no size of it, and gives a few pages at a time.
        let handle = try #require(FileHandle(forReadingAtPath: "/proc/\(pid)/smaps"))
        var data = Data()
        while let more = try handle.read(upToCount: 1 << 20), !more.isEmpty { data += more }
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
        var flags: [Set<Substring>] = []
        var isRealm = false
        for line in lines {
            if line.first?.isUppercase == false || line.contains("/memfd:") {
                isRealm = line.contains("/memfd:reeve-realm")
            }
            if isRealm, line.hasPrefix("VmFlags:") { flags.append(Set(line.dropFirst(8).split(separator: " "))) }
        }
        return flags
    }

    @Test("FI-11 four processes share an encrypted realm while the agent is killed, and none loses anything")
    func sharedUnderLoad() throws {
        let agent = try AgentUnderTest().start()
        let realm = agent.home.path("secret.realm")
        let count = 60
        let names = (0..<3).map { "marked\($0)" }
        let observer = try ClientProcess(agent, ["observe", realm, "\(count * names.count)"], environment: key)
        _ = try observer.wait(for: "ready")
        let writers = try names.map {
            try ClientProcess(agent, ["write-numbered", realm, $0, "\(count)", "10"], environment: key)
        }
        for round in 0..<3 {
            #expect(eventually { acknowledged(writers[0]).count >= (round + 1) * 12 })
            let serving = try agent.connect().call(AgentStatus()).pid
            for pid in [serving, observer.pid] {
                var flags: [Set<Substring>] = []
                // A client may have begun the agent only just now.
                #expect(
                    try eventually {
                        flags = try mappingFlags(pid)
                        return !flags.isEmpty
                    })
                #expect(flags.allSatisfy { $0.contains("dd") }, "dumped with a core: \(flags)")
            }
            // A client may have started the agent that runs.
            Foundation.kill(serving, SIGKILL)
            _ = agent.waitForExit()
            #expect(files(in: agent.home.path, with: "marked") == [])
            try agent.start()
        }
        for writer in writers { try writer.finish() }
        for (name, writer) in zip(names, writers) {
            #expect(try numbers(agent, realm, name) == Array(1...count), "each exactly once: \(name)")
            #expect(acknowledged(writer) == Array(1...count), "in order: \(name)")
        }
        try observer.finish()
        #expect(try agent.command(["verify", realm, "--key-file", keyFile(agent)]).status == 0)
        #expect(files(in: agent.home.path, with: "marked") == [])
        Foundation.kill(try agent.connect().call(AgentStatus()).pid, SIGTERM)
    }

    /// Commits too large for the journal are on disk only with a checkpoint, some time after they were made.
    @Test func nothingThatOthersHaveSeenIsLost() throws {
        let agent = try AgentUnderTest()
        let path = agent.home.path("secret.realm")
        let key = try #require(EncryptionKey([UInt8](repeating: 7, count: 64)))
        func client() throws -> RawClient {
            let client = RawClient(try agent.connect(features: [.encryption]))
            try client.open(path, key: key)
            return client
        }
        var random = SeededGenerator(seed: randomSeed)
        for round in 0..<Int64(4 * soakFactor) {
            try agent.start()
            let (reader, writer) = (try client(), try client())
            let blob = String(repeating: "b", count: 1_000_000)
            Thread.detachNewThread {
                // Until the agent's end.
                for number in round << 20..<(round + 1) << 20 {
                    guard (try? writer.commit(Changes.create([number], blob: blob))) != nil else { return }
                }
            }
            var seen: UInt64 = 0
            let end = ContinuousClock.now + .milliseconds(Int.random(in: 100...500, using: &random))
            while ContinuousClock.now < end {
                let pinned = try reader.wire.call(SnapshotPin(realm: reader.realm))
                #expect(pinned.version >= seen)
                seen = pinned.version
                try reader.release([pinned.pin])
            }
            agent.kill(SIGKILL)
            try agent.start()
            #expect(try client().version >= seen, "round \(round), seed \(randomSeed)")
            agent.kill(SIGKILL)
        }
    }

    @Test("CF-07 a process with another key, or none, is refused while others have the realm open")
    func otherKeys() throws {
        let agent = try AgentUnderTest().start()
        let realm = agent.home.path("secret.realm")
        let holder = try ClientProcess(agent, ["hold-snapshot", realm], environment: key)
        _ = try holder.wait(for: "ready")
        for environment in [["REEVE_TEST_KEY": "8"], [:]] {
            let other = try ClientProcess(agent, ["insert-one", realm], environment: environment)
            #expect(throws: TestFailure.self) { try other.finish() }
            #expect(other.output.contains { $0.contains("insert-one") })
        }
        try ClientProcess(agent, ["insert-one", realm], environment: key).finish()
        #expect(try numbers(agent, realm, "one") == [1])
    }

    @Test func theCommandTakesKeysFromFiles() throws {
        let agent = try AgentUnderTest().start()
        let (realm, copy) = (agent.home.path("secret.realm"), agent.home.path("copy.realm"))
        try ClientProcess(agent, ["insert-one", realm], environment: key).finish()
        let (file, other) = (try keyFile(agent), try keyFile(agent, 9))
        let hexadecimal = agent.home.path("key.hex")
        try Data((String(repeating: "09", count: 64) + "\n").utf8).write(to: URL(fileURLWithPath: hexadecimal))
        func run(_ arguments: String...) throws -> (Int32, String) {
            let (status, output) = try agent.command(arguments)
            return (status, output)
        }
        #expect(try run("query", realm, "SharedEntry", "--count", "--key-file", file) == (0, "1\n"))
        #expect(try run("query", realm, "SharedEntry", "--count", "--json").1.contains("keyMissing"))
        #expect(try run("ls", realm, "--json", "--key-file", other).1.contains("keyWrong"))
        #expect(try run("ls", realm, "--key-file", file).1.contains("encrypted"))
        #expect(try run("copy", realm, copy, "--key-file", file, "--to-key-file", other).0 == 0)
        #expect(try run("query", copy, "SharedEntry", "--count", "--key-file", hexadecimal) == (0, "1\n"))
        #expect(try run("compact", copy, "--key-file", other).0 == 0)
        #expect(try run("verify", copy, "--key-file", other).0 == 0)
        // What the copy holds is the same, whatever it is encrypted with.
        let hash = try run("hash", realm, "--key-file", file)
        #expect(hash.0 == 0 && hash.1.count == 65)
        #expect(try run("hash", copy, "--key-file", other) == hash)
        #expect(try run("hash", copy, "--json").1.contains("keyMissing"))
        let plain = agent.home.path("plain.realm")
        #expect(try run("copy", copy, plain, "--key-file", other).0 == 0)
        #expect(try run("query", plain, "SharedEntry", "--count") == (0, "1\n"))
        #expect(try run("hash", plain) == hash)
        let entry = #"{"_id": "64f0c0ffee64f0c0ffee64f0", "writer": "two", "number": 77, "text": ""}"#
        #expect(try run("put", plain, "SharedEntry", entry).0 == 0)
        #expect(try run("hash", plain) != hash)
        #expect(try run("hash", plain, "--json").1.contains("\"hash\":"))
        #expect(
            try run("query", plain, "SharedEntry", "--count", "--json", "--key-file", file).1.contains("keySuperfluous")
        )
        #expect(try run("ls", realm, "--key-file", realm).0 == 2)
    }

    @Test func aFileThatWasTamperedWithIsRefused() throws {
        let agent = try AgentUnderTest().start()
        let realm = agent.home.path("secret.realm")
        try ClientProcess(agent, ["insert-one", realm], environment: key).finish()
        #expect(eventually { access(realm + ".journal", F_OK) != 0 })
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: realm)))
        bytes[200] ^= 1
        try Data(bytes).write(to: URL(fileURLWithPath: realm))
        let other = try ClientProcess(agent, ["insert-one", realm], environment: key)
        #expect(throws: TestFailure.self) { try other.finish() }
        // The agent goes on.
        try ClientProcess(agent, ["insert-one", agent.home.path("other.realm")], environment: key).finish()
    }
}
