import Foundation
import TestSupport
import Testing
import Wire

/// Apps, their users and their server, over the agent's socket.
@Suite struct AppUserTests {
    private let app: AppIdentity
    private let server: ServerUnderTest
    private let agent: AgentUnderTest

    init() throws {
        server = try ServerUnderTest()
        agent = try AgentUnderTest().start()
        app = AppIdentity(id: "shop", baseURL: server.url)
    }

    private func failure(_ body: () throws -> Void) -> WireError? {
        do { try body() } catch { return error as? WireError }
        return nil
    }

    private func logIn(_ client: BlockingClient, _ provider: String, _ fields: String) throws -> AppUser {
        try client.call(AppLogin(app: app, provider: provider, fields: fields)).user
    }

    private func logIn(_ client: BlockingClient, _ email: String, password: String) throws -> AppUser {
        try logIn(
            client, "local-userpass",
            #"{"provider":"local-userpass","username":"\#(email)","password":"\#(password)"}"#)
    }

    private func register(_ client: BlockingClient, _ email: String, password: String) throws {
        let path = "app/shop/auth/providers/local-userpass/register"
        let body = #"{"email":"\#(email)","password":"\#(password)"}"#
        #expect(try client.call(AppCall(app: app, verb: "POST", path: path, body: body)).status == 201)
    }

    @Test("AP-01, AP-06 to AP-08: all clients share the users, and an agent that was killed has them still")
    func sharedAndKept() throws {
        let one = try agent.connect()
        let anonymous = try logIn(one, "anon-user", #"{"provider":"anon-user"}"#)
        #expect(try logIn(agent.connect(), "anon-user", #"{"provider":"anon-user"}"#) == anonymous)
        try register(one, "ann@example.net", password: "secret-1")
        let ann = try logIn(one, "ann@example.net", password: "secret-1")
        #expect(ann.profile == #"{"email":"ann@example.net"}"#)
        agent.kill(SIGKILL)
        try agent.start()
        let two = try agent.connect()
        let users = try two.call(AppUsers(app: app))
        #expect(users.users == [ann, anonymous])
        #expect(users.current == ann.id)
        // The tokens are good in the new agent.
        let keys = try two.call(AppCall(app: app, verb: "GET", path: "auth/api_keys", token: .refresh, user: ann.id))
        #expect(keys == AppCallReply(status: 200, body: "[]"))
        #expect(try two.call(AppSwitch(app: app, user: anonymous.id)).user.id == anonymous.id)
        #expect(try agent.connect().call(AppUsers(app: app)).current == anonymous.id)
        #expect(try two.call(AppLogout(app: app, user: ann.id)).user.state == .loggedOut)
        #expect(failure { _ = try two.call(AppSwitch(app: app, user: ann.id)) }?.code == .userLoggedOut)
    }

    @Test("AP-08, ER-60: a wrong password is named as the server names it")
    func wrongPassword() throws {
        let client = try agent.connect()
        try register(client, "ann@example.net", password: "secret-1")
        let error = failure { _ = try logIn(client, "ann@example.net", password: "secret-2") }
        #expect(error?.code == .appError)
        #expect(error?.facts["errorCode"] == .string("InvalidPassword"))
        #expect(error?.facts["status"] == .int32(401))
        guard case .string(let link)? = error?.facts["link"] else { return #expect(Bool(false), "no link") }
        #expect(link.hasPrefix(server.url))
    }

    @Test("a server that isn't there, and one that says nothing, are errors soon (R36)")
    func noServer() throws {
        let client = try agent.connect()
        server.end(SIGKILL)
        let down = failure { _ = try logIn(client, "anon-user", "{}") }
        #expect(down?.code == .serverUnreachable)
        #expect(down?.facts["reason"] == .string("connect-failed"))
        let silent = try SilentServer()
        let mute = AppIdentity(id: "shop", baseURL: "http://127.0.0.1:\(silent.port)")
        let request = AppLogin(app: mute, provider: "anon-user", fields: "{}", timeoutMilliseconds: 200)
        let start = ContinuousClock.now
        let late = failure { _ = try client.call(request) }
        #expect(late?.code == .serverUnreachable)
        #expect(late?.facts["reason"] == .string("timed-out"))
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test("what is secret is in nobody's log, and in no file that others may read")
    func secrets() throws {
        let client = try agent.connect()
        try register(client, "ann@example.net", password: "secret-1")
        let ann = try logIn(client, "ann@example.net", password: "secret-1")
        _ = failure { _ = try logIn(client, "ann@example.net", password: "secret-2") }
        let call = AppCall(
            app: app, verb: "POST", path: "auth/api_keys", body: #"{"name":"k"}"#, token: .refresh, user: ann.id)
        let key = try #require(
            (try JSONSerialization.jsonObject(with: Data(client.call(call).body.utf8)) as? [String: Any])?["key"]
                as? String)
        _ = try logIn(client, "api-key", #"{"provider":"api-key","key":"\#(key)"}"#)
        let user = try #require(try client.call(AppUsers(app: app, user: ann.id, tokens: true)).users.first)
        let access = try #require(user.accessToken)
        let refresh = try #require(user.refreshToken)
        #expect(
            try client.call(AppUsers(app: app)).users.allSatisfy { $0.accessToken == nil && $0.refreshToken == nil })
        _ = try client.call(AppLogout(app: app, user: ann.id))
        agent.kill(SIGTERM)
        #expect(agent.waitForExit() == 0)
        server.end(SIGTERM)
        for secret in ["secret-1", "secret-2", key, access, refresh] {
            #expect(!agent.output.contains(secret))
            #expect(!server.log.contains(secret))
        }
        let files = FileManager.default.enumerator(atPath: agent.home.path("")) ?? .init()
        for case let file as String in files where file.contains("agent/users") {
            let mode = try FileManager.default.attributesOfItem(atPath: agent.home.path(file))[.posixPermissions]
            #expect((mode as? Int ?? 0o777) & 0o077 == 0, "\(file)")
        }
    }

    @Test("AP-29, H-36: a deleted account is gone on the server and here")
    func deletion() throws {
        let client = try agent.connect()
        try register(client, "ann@example.net", password: "secret-1")
        let ann = try logIn(client, "ann@example.net", password: "secret-1")
        _ = try client.call(AppRemove(app: app, user: ann.id, delete: true))
        #expect(try client.call(AppUsers(app: app)).users.isEmpty)
        let error = failure { _ = try logIn(client, "ann@example.net", password: "secret-1") }
        #expect(error?.facts["errorCode"] == .string("InvalidPassword"))
    }
}

/// Takes connections and never says a word.
private final class SilentServer {
    private let socket: Int32
    let port: Int

    init() throws {
        socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = socket
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) | listen(socket, 16) | getsockname(socket, $0, &length)
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        guard status == 0 else { throw TestFailure("no socket to listen at") }
    }

    deinit { close(socket) }
}
