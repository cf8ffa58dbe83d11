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

    @Test("AP-14, H-22: a token of an issuer whom the app trusts logs in; a changed one doesn't")
    func customToken() throws {
        let secret = String(repeating: "k", count: 40)
        let file = agent.home.path("secret")
        try Data("\(secret)\n".utf8).write(to: URL(fileURLWithPath: file))
        #expect(try ServerUnderTest.reeve(["app", "create", "shop"], data: server.directory).status == 0)
        let set = try ServerUnderTest.reeve(["app", "set", "shop", "--jwt-secret-file", file], data: server.directory)
        #expect(set.status == 0, "\(set.text)")
        #expect(try ServerUnderTest.reeve(["app", "set", "shop"], data: server.directory).status != 0)
        let claims = #"{"sub":"u1","aud":"shop","exp":\#(Int(Date().timeIntervalSince1970) + 600)}"#
        let signed = [#"{"alg":"HS256"}"#, claims].map { base64URL(Data($0.utf8)) }.joined(separator: ".")
        let script = "printf %s '\(signed)' | openssl dgst -sha256 -hmac '\(secret)' -binary | base64 -w0"
        let text = try agent.shell(script).output
        let signature = base64URL(try #require(Data(base64Encoded: text)))
        let client = try agent.connect()
        func logIn(_ token: String) throws -> AppUser {
            try self.logIn(client, "custom-token", #"{"provider":"custom-token","token":"\#(token)"}"#)
        }
        let user = try logIn("\(signed).\(signature)")
        #expect(user.identities.map(\.provider) == ["custom-token"])
        #expect(try logIn("\(signed).\(signature)").id == user.id)
        let other = failure { _ = try logIn("\(signed).\(String(signature.reversed()))") }
        #expect(other?.facts["errorCode"] == .string("AuthError"))
    }

    private func base64URL(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    @Test("AP-39, AP-43: what the mail command gets confirms an address, and sets a password anew")
    func mail() throws {
        let directory = TemporaryDirectory()
        let script = directory.path("mail")
        try Data(
            "#!/bin/sh\ncat > \(directory.path("in")).$$ && mv \(directory.path("in")).$$ \(directory.path("mail.json"))\n"
                .utf8
        )
        .write(to: URL(fileURLWithPath: script))
        chmod(script, 0o700)
        let server = try ServerUnderTest(directory, ["--mail-command", script])
        #expect(try ServerUnderTest.reeve(["app", "create", "shop"], data: directory).status == 0)
        #expect(try ServerUnderTest.reeve(["app", "set", "shop", "--email", "mail"], data: directory).status == 0)
        let app = AppIdentity(id: "shop", baseURL: server.url)
        let client = try agent.connect()
        func post(_ endpoint: String, _ body: String) throws {
            let path = "app/shop/auth/providers/local-userpass/\(endpoint)"
            _ = try client.call(AppCall(app: app, verb: "POST", path: path, body: body))
        }
        func mail(_ kind: String) throws -> [String: String] {
            let path = directory.path("mail.json")
            #expect(eventually(within: .seconds(20)) { access(path, F_OK) == 0 })
            let data = try Data(contentsOf: URL(fileURLWithPath: path))
            unlink(path)
            let fields = try #require(try JSONSerialization.jsonObject(with: data) as? [String: String])
            #expect(fields["kind"] == kind && fields["email"] == "ann@example.net" && fields["app"] == "shop")
            return fields
        }
        func logIn(_ password: String) throws -> AppUser {
            let fields = #"{"provider":"local-userpass","username":"ann@example.net","password":"\#(password)"}"#
            return try client.call(AppLogin(app: app, provider: "local-userpass", fields: fields)).user
        }
        try post("register", #"{"email":"ann@example.net","password":"secret-1"}"#)
        let confirmation = try mail("confirm")
        #expect(failure { _ = try logIn("secret-1") }?.facts["errorCode"] == .string("InvalidPassword"))
        let (token, id) = (confirmation["token"] ?? "", confirmation["tokenId"] ?? "")
        try post("confirm", #"{"token":"\#(token)","tokenId":"\#(id)"}"#)
        let ann = try logIn("secret-1")
        #expect(failure { try post("confirm", #"{"token":"\#(token)","tokenId":"\#(id)"}"#) }?.code == .appError)
        try post("reset/send", #"{"email":"ann@example.net"}"#)
        let reset = try mail("reset")
        let fields = #""token":"\#(reset["token"] ?? "")","tokenId":"\#(reset["tokenId"] ?? "")""#
        try post("reset", #"{"password":"secret-2",\#(fields)}"#)
        #expect(try logIn("secret-2").id == ann.id)
        #expect(!server.log.contains(token) && !server.log.contains("ann@example.net"))
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
