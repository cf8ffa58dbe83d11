import Foundation
import TestSupport
import Testing

@testable import Wire

@Suite("Where the socket is")
struct SocketLocationTests {
    @Test("the environment names the place")
    func resolution() throws {
        let table: [([String: String], String)] = [
            (["REEVE_SOCKET": "/x/s", "XDG_RUNTIME_DIR": "/run/user/7"], "/x/s"),
            (["REEVE_SOCKET": "", "XDG_RUNTIME_DIR": "/run/user/7"], "/run/user/7/reeve/agent.sock"),
            (["XDG_RUNTIME_DIR": "/run/user/7/"], "/run/user/7/reeve/agent.sock"),
            (["XDG_RUNTIME_DIR": "relative"], "/tmp/reeve-7/agent.sock"),
            (["XDG_RUNTIME_DIR": ""], "/tmp/reeve-7/agent.sock"), ([:], "/tmp/reeve-7/agent.sock")
        ]
        for (environment, path) in table {
            #expect(try SocketLocation.resolve(environment: environment, uid: 7).path == path)
        }
        #expect(try SocketLocation(path: "/s").directory == "/")
        #expect(try SocketLocation(path: "/a/b/s").directory == "/a/b")
    }

    @Test(
        "paths that can't be a socket's",
        arguments: ["s", "./s", "", "/a/", "/a\u{0}b", "/" + String(repeating: "x", count: 107)])
    func badPaths(path: String) throws {
        let error = #expect(throws: WireError.self) { try SocketLocation(path: path) }
        #expect(error?.name == "badSocketPath")
        #expect(throws: Never.self) { try SocketLocation(path: "/" + String(repeating: "x", count: 106)) }
    }

    @Test("a directory that others could use is refused with advice")
    func directory() throws {
        let base = TemporaryDirectory()
        let location = try SocketLocation(path: base.path("d/agent.sock"))
        func refusal() -> WireError? {
            do throws(WireError) {
                try location.checkDirectory()
                return nil
            } catch {
                return error
            }
        }
        #expect(refusal()?.name == "agentUnavailable")
        try location.prepareDirectory()
        #expect(refusal() == nil)
        try location.prepareDirectory()
        for mode in [0o755, 0o710, 0o701] {
            chmod(location.directory, mode_t(mode))
            #expect(refusal()?.name == "unsafeSocketDirectory")
            #expect(refusal()?.message.contains("chmod 700") == true)
        }
        chmod(location.directory, 0o700)
        let error = #expect(throws: WireError.self) { try location.checkDirectory(uid: getuid() &+ 1) }
        #expect(error?.name == "unsafeSocketDirectory")
        #expect(error?.message.contains("belongs to uid \(getuid())") == true)
        rmdir(location.directory)
        symlink(base.path, location.directory)
        #expect(refusal()?.message.contains("symbolic link") == true)
        unlink(location.directory)
        close(open(location.directory, O_CREAT | O_WRONLY, 0o600))
        #expect(refusal()?.message.contains("not a directory") == true)
        #expect(throws: WireError.self) { try location.prepareDirectory() }
    }

    @Test("a missing parent can't be made up")
    func missingParent() throws {
        let base = TemporaryDirectory()
        let location = try SocketLocation(path: base.path("a/b/agent.sock"))
        let error = #expect(throws: WireError.self) { try location.prepareDirectory() }
        #expect(error?.name == "permissionDenied")
    }
}
