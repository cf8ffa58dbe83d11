import EventLoop
import TestSupport
import Testing

@testable import Server

@Suite("Auth: what is kept")
struct DirectoryTests {
    @Test("a server that reads the journal again knows the same")
    func replay() throws {
        let client = try AuthClient(app: { $0.emailPassword = EmailPasswordSettings(confirmation: .mail) })
        _ = try client.register("pending@example.org")
        client.journal += try client.service.updateApp(AuthClient.app) { $0.emailPassword = EmailPasswordSettings() }
        let user = try client.newUser()
        let key = try client.send("POST", "/auth/api_keys", token: user["refresh_token"], body: ["name": "k"])
        let gone = try client.loginAnonymously()
        _ = try client.send("DELETE", "/auth/delete", token: gone["access_token"])
        let out = try client.login(email: "a@example.org")
        _ = try client.send("DELETE", "/auth/session", token: out["refresh_token"])

        client.service = AuthService(
            AuthDirectory(client.journal), settings: client.service.settings, random: SystemRandomNumberGenerator())
        #expect(try client.send("GET", "/auth/profile", token: user["access_token"]).status == 200)
        #expect(try client.send("POST", "/auth/session", token: user["refresh_token"]).status == 201)
        #expect(try client.send("POST", "/auth/session", token: out["refresh_token"]).status == 401)
        #expect(try client.send("GET", "/auth/profile", token: gone["access_token"]).status == 401)
        #expect(try client.login("api-key", ["key": .string(key["key"] ?? "")])["user_id"] == user["user_id"])
        #expect(try client.login(email: "a@example.org")["user_id"] == user["user_id"])
        let mail = try #require(client.mails.last)
        let confirmed = try client.send(
            "POST", client.auth("local-userpass/confirm"),
            body: ["token": .string(mail.token), "tokenId": .string(mail.tokenId)])
        #expect(confirmed.status == 200)
    }

    @Test("an app that was made by a request which then waits for a password is kept as well")
    func appOfARegistration() throws {
        let client = try AuthClient({ $0.makesApps = true })
        client.journal = []
        let path = "/app/fresh/auth/providers/local-userpass/register"
        #expect(try client.send("POST", path, body: ["email": "a@example.org", "password": "password"]).status == 201)
        let directory = AuthDirectory(client.journal)
        #expect(directory.app("fresh") != nil && directory.account("a@example.org", in: "fresh") != nil)
    }

    @Test("every name of an error is one that clients know (H-57)")
    func names() {
        let known: Set<String> = [
            "MissingAuthReq", "InvalidSession", "UserAppDomainMismatch", "InvalidParameter", "MissingParameter",
            "InternalServerError", "AuthProviderNotFound", "ServiceNotFound", "ValueNotFound", "FunctionNotFound",
            "APIKeyNotFound", "APIKeyAlreadyExists", "UserAlreadyConfirmed", "UserNotFound", "UserDisabled",
            "AuthError",
            "BadRequest", "AccountNameInUse", "InvalidPassword", "UserpassTokenInvalid"
        ]
        #expect(Set(AuthFailure.Name.allCases.map(\.rawValue)) == known)
        let response = AuthFailure(429, nil, "too many").response(link: "l")
        #expect(
            response.status == 429
                && String(decoding: response.body, as: UTF8.self) == #"{"error":"too many","link":"l"}"#)
    }

    @Test("apps have names that can stand in paths, once")
    func apps() throws {
        let client = try AuthClient()
        for id in ["", "a b", "a/b", "é", String(repeating: "a", count: 65), AuthClient.app] {
            #expect(throws: AuthFailure.self, "\(id)") { try client.service.createApp(id, now: 0) }
        }
        #expect(throws: AuthFailure.self) { try client.service.updateApp("none") { _ in } }
        let app = try #require(client.service.directory.app(AuthClient.app))
        _ = try client.service.updateApp(AuthClient.app) {
            $0.secret = []
            $0.domainId = "x"
        }
        #expect(client.service.directory.app(AuthClient.app) == app)
    }

    @Test("random requests do no harm, and are answered as errors or successes")
    func hostile() throws {
        let client = try AuthClient({ $0.makesApps = true })
        var random = SeededGenerator(seed: randomSeed)
        let segments = [
            "app", "auth", "shop-abcde", "location", "providers", "anon-user", "local-userpass", "login", "session",
            "api_keys",
            "profile", "delete", "register", "%00", "%", "..", "", "\u{7f}", "confirm", "send"
        ]
        let bodies = [
            "", "{}", "[]", "{\"provider\":\"anon-user\"}", "{\"email\":\"\",\"password\":\"\"}", "null", "\"",
            "{\"name\":{}}"
        ]
        for _ in 0..<1000 {
            let path = (0..<Int.random(in: 0..<7, using: &random)).map { _ in
                "/" + segments[Int.random(in: 0..<segments.count, using: &random)]
            }.joined()
            let method = ["GET", "POST", "PUT", "DELETE", "X"][Int.random(in: 0..<5, using: &random)]
            let answer = try client.send(
                method, path, token: ["", "a.b.c", nil][Int.random(in: 0..<3, using: &random)],
                raw: bodies[Int.random(in: 0..<bodies.count, using: &random)])
            #expect((200..<500).contains(answer.status), "\(method) \(path)")
        }
    }
}
