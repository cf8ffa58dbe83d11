import Foundation
import TestSupport
import Testing
import Wire

/// Realms where nothing can be written.
@Suite(.serialized) struct ReadOnlyMediaTests {
    private static func run(_ arguments: [String]) -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return -1 }
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// A file system that can be made read-only, and is gone with this.
    private final class Medium {
        let path: String

        /// nil where nobody may mount.
        init?(_ path: String, megabytes: Int = 16) {
            self.path = path
            try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            guard run(["mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", path]) == 0 else { return nil }
        }

        func remount(_ options: String) { #expect(run(["mount", "-o", "remount,\(options)", path]) == 0) }

        deinit { _ = run(["umount", "-l", path]) }
    }

    private func files(_ directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    }

    /// Two dogs in a file that nobody has open.
    private func makeRealm(_ agent: AgentUnderTest, _ path: String) throws {
        let client = try ClientProcess(agent, ["increment-dog", path, "3"])
        try client.finish()
        #expect(try agent.command(["shutdown"]).status == 0)
        #expect(agent.waitForExit() != nil)
    }

    @Test("CF-08 S35 on a read-only file system a realm is read without an agent, and nothing is left there")
    func readOnlyFileSystem() throws {
        let agent = try AgentUnderTest().start()
        guard let medium = Medium(agent.home.path("medium")) else { return }
        let path = medium.path + "/a.realm"
        try makeRealm(agent, path)
        for companion in [".lock", ".journal"] { unlink(path + companion) }
        medium.remount("ro")
        let reader = try ClientProcess(agent, ["count-read-only", path])
        try reader.finish()
        #expect(reader.output == ["dogs 1"])
        #expect(try files(medium.path) == ["a.realm"])
        #expect(!FileManager.default.fileExists(atPath: agent.location.path))
        // To be written it can't be opened, and the agent goes on.
        try agent.start()
        let client = try RawClient(agent)
        let error = #expect(throws: WireError.self) { try client.open(path) }
        #expect([.permissionDenied, .ioError].contains(error?.code), "\(String(describing: error))")
        let named: String? = if case .string(let path)? = error?.facts["path"] { path } else { nil }
        #expect(named?.hasPrefix(path) == true, "\(String(describing: error)), \(named ?? "nil")")
        let created = #expect(throws: WireError.self) { try client.open(medium.path + "/new.realm") }
        #expect([.permissionDenied, .ioError].contains(created?.code), "\(String(describing: created))")
        try client.open(agent.home.path("other.realm"))
        try client.commit(Changes.create([1]))
        #expect(try files(medium.path) == ["a.realm"])
    }

    @Test(
        "CF-08 RE-05 a file that its user may only read, and one that he may not even read", .enabled(if: getuid() == 0)
    )
    func withoutPermission() throws {
        let agent = try AgentUnderTest().start()
        let path = agent.home.path("a.realm")
        try makeRealm(agent, path)
        for companion in [".lock", ".journal"] { unlink(path + companion) }
        chmod(path, 0o444)
        let directory = TemporaryDirectory()
        chmod(directory.path, 0o755)
        #expect(
            FileManager.default.createFile(
                atPath: directory.path("a.realm"), contents: FileManager.default.contents(atPath: path)))
        chmod(directory.path("a.realm"), 0o444)
        let binary = URL(fileURLWithPath: AgentUnderTest.binary).deletingLastPathComponent().path + "/test-client"
        let user = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
        guard Self.run(user + [binary, "nothing"]) == 2 else { return }
        func outcome(_ scenario: String, home: TemporaryDirectory) -> (status: Int32, output: String) {
            let process = Process()
            let pipe = Pipe()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = user + [binary, scenario, directory.path("a.realm"), "1"]
            process.environment = [
                "HOME": home.path, "REEVE_SOCKET": home.path("run/agent.sock"), "REEVE_AGENT": AgentUnderTest.binary,
                "SWIFT_BACKTRACE": "enable=no", "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
            ]
            process.standardOutput = pipe
            process.standardError = pipe
            guard (try? process.run()) != nil else { return (-1, "") }
            let data = pipe.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return (process.terminationStatus, String(decoding: data, as: UTF8.self))
        }
        let home = TemporaryDirectory()
        chown(home.path, 65534, 65534)
        #expect(outcome("count-read-only", home: home) == (0, "dogs 1\n"))
        #expect(try files(directory.path) == ["a.realm"])
        chmod(directory.path("a.realm"), 0o000)
        let refused = outcome("count-read-only", home: home)
        #expect(refused.status == 1 && refused.output.contains("filePermissionDenied"), "\(refused.output)")
        #expect(refused.output.contains(directory.path("a.realm")), "\(refused.output)")
        #expect(try files(directory.path) == ["a.realm"])
    }

    /// Writes to a file until there is no room for another byte.
    private func fill(_ path: String) throws {
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seekToEnd()
        for size in [1 << 16, 4_096, 1] {
            while (try? handle.write(contentsOf: Data(count: size))) != nil {}
        }
        try handle.close()
    }

    @Test(
        "R23 an agent that is started on a full disk says so, reads, stays up, and writes when there is room again",
        arguments: [false, true])
    func startedOnAFullDisk(isKilledBefore: Bool) throws {
        let agent = try AgentUnderTest().start()
        guard let medium = Medium(agent.home.path("medium")) else { return }
        let path = medium.path + "/a.realm"
        let filler = medium.path + "/filler"
        let isSaid = { try agent.command(["status", "--json"]).output.contains("\"diskFull\":true") }
        do {
            let client = try RawClient(agent)
            try client.open(path)
            try client.commit(Changes.create(0..<100, name: String(repeating: "x", count: 200)))
            #expect(try !isSaid())
            #expect(FileManager.default.createFile(atPath: filler, contents: nil))
            try fill(filler)
            #expect(try isSaid())
            #expect(try client.count() == 100, "reading goes on")
        }
        if isKilledBefore {
            agent.kill(SIGKILL)
        } else {
            #expect(try agent.command(["shutdown"]).status == 0)
            #expect(agent.waitForExit() != nil)
            // It has removed what lay beside the realm.
            try fill(filler)
        }
        try agent.start()
        let client = try RawClient(agent)
        try client.open(path)
        #expect(try client.count() == 100, "what is there can be read")
        #expect(try isSaid())
        let error = #expect(throws: WireError.self) {
            for round in 0..<50 {
                let keys = Int64(1_000 + round * 100)
                try client.commit(Changes.create(keys..<(keys + 100), name: String(repeating: "y", count: 1_000)))
            }
        }
        #expect(error?.code == .diskFull, "\(String(describing: error))")
        #expect(unlink(filler) == 0)
        #expect(try eventually(within: .seconds(30)) { try !isSaid() })
        try client.commit(Changes.create([900_000]))
        #expect(try client.count() >= 101)
        #expect(agent.isRunning, "\(agent.output)")
        #expect(try agent.command(["verify", path]).status == 0)
    }
}
