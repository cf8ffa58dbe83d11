import EventLoop
import Testing

@testable import Server

@Suite("Auth: discovery and logging in")
struct LoginTests {
    @Test("location answers the host by which the client came, or the public URL (H-9, H-15)")
    func location() throws {
        let client = try AuthClient()
        let answer = try client.send("GET", "/app/shop-abcde/location")
        #expect(answer.status == 200)
        #expect(
            answer.body == [
                "deployment_model": "LOCAL", "location": "US-VA", "hostname": "http://sync.local:9090",
                "ws_hostname": "ws://sync.local:9090"
            ])
        let behindProxy = try AuthClient({ $0.publicURL = "https://sync.example.net/" })
        let other = try behindProxy.send("GET", "/app/shop-abcde/location")
        #expect(other["hostname"] == "https://sync.example.net" && other["ws_hostname"] == "wss://sync.example.net")
        let unknown = try client.send("GET", "/app/other/location")
        #expect(unknown.status == 404 && unknown.code == "ValueNotFound")
    }

    @Test("in development an app is made on first use, if it can have the name")
    func firstUse() throws {
        let client = try AuthClient({ $0.makesApps = true })
        #expect(try client.send("GET", "/app/new-app/location").status == 200)
        #expect(client.service.directory.app("new-app") != nil)
        #expect(client.journal.count == 3)
        #expect(try client.send("GET", "/app/new%20app/location").status == 404)
        #expect(try client.send("GET", "/app/\(String(repeating: "a", count: 65))/location").status == 404)
    }

    @Test(
        "an anonymous log-in gives all that clients need, always a new user, and tokens as specified (H-18, H-20, H-24 to H-28)"
    )
    func anonymous() throws {
        let client = try AuthClient()
        let answer = try client.loginAnonymously()
        #expect(answer.status == 200)
        let userId = try #require(answer["user_id"])
        let deviceId = try #require(answer["device_id"])
        for id in [userId, deviceId] {
            #expect(id.count == 24 && id.allSatisfy { $0.isHexDigit })
        }
        let access = try client.claims(answer["access_token"])
        let domain = JSONValue.string(try #require(client.service.directory.app(AuthClient.app)).domainId)
        #expect(access["typ"] == "access" && access["sub"] == .string(userId))
        #expect(access["iat"] == .integer(client.now) && access["exp"] == .integer(client.now + 1800))
        #expect(access["baas_domain_id"] == domain && access["stitch_domainId"] == domain)
        #expect(access["baas_device_id"] == .string(deviceId) && access["stitch_devId"] == .string(deviceId))
        #expect(access["user_data"] == nil)
        let refresh = try client.claims(answer["refresh_token"])
        #expect(refresh["typ"] == "refresh" && refresh["baas_data"] == .null && refresh["sub"] == .string(userId))
        #expect(refresh["baas_id"] == access["iss"] && refresh["baas_identity"]?["provider_type"] == "anon-user")
        #expect(try #require(refresh["exp"]?.integer) > client.now + 50 * 365 * 86400)
        #expect(try client.loginAnonymously()["user_id"] != userId)
    }

    @Test("the id that a device has is kept; one that is none is replaced (H-17, H-18)")
    func deviceIds() throws {
        let client = try AuthClient()
        func deviceId(_ id: JSONValue) throws -> String? {
            let body: JSONValue = ["provider": "anon-user", "options": ["device": ["deviceId": id]]]
            return try client.send("POST", client.auth("anon-user/login"), body: body)["device_id"]
        }
        let id = "64f1b6c2d3e4f5a697887961"
        #expect(try deviceId(.string(id)) == id)
        for bad in ["", "x", String(repeating: "0", count: 24), String(repeating: "g", count: 24)] {
            #expect(try deviceId(.string(bad))?.count == 24 && deviceId(.string(bad)) != bad)
        }
        #expect(try deviceId(5)?.count == 24)
        #expect(try client.send("POST", client.auth("anon-user/login"), body: [:])["device_id"]?.count == 24)
    }

    @Test("providers that aren't enabled, or don't exist (H-23)")
    func providers() throws {
        let client = try AuthClient(app: {
            $0.isAnonymousEnabled = false
            $0.isAPIKeyEnabled = false
            $0.emailPassword = nil
        })
        for provider in [
            "anon-user", "local-userpass", "api-key", "custom-token", "custom-function", "oauth2-google", "x"
        ] {
            let answer = try client.login(provider)
            #expect(answer.status == 404 && answer.code == "AuthProviderNotFound", "\(provider)")
        }
        #expect(try client.register("a@example.org").code == "AuthProviderNotFound")
    }

    @Test("the same address is the same user, whose session lasts 60 days (H-20, H-28)")
    func emailPassword() throws {
        let client = try AuthClient()
        let first = try client.newUser()
        let second = try client.login(email: "a@example.org")
        #expect(first.status == 200 && first["user_id"] == second["user_id"])
        #expect(first["refresh_token"] != second["refresh_token"])
        let refresh = try client.claims(first["refresh_token"])
        #expect(refresh["exp"] == .integer(client.now + 60 * 86400))
        #expect(refresh["baas_identity"]?["provider_type"] == "local-userpass")
    }

    @Test("wrong password and unknown user look the same, and take the same work (H-21, H-47, H-58)")
    func wrongCredentials() throws {
        let client = try AuthClient()
        _ = try client.register("a@example.org")
        client.passwordJobs = 0
        let wrong = try client.login(email: "a@example.org", "wrong password")
        let unknown = try client.login(email: "b@example.org")
        let otherCase = try client.login(email: "A@example.org")
        #expect([wrong, unknown, otherCase].allSatisfy { $0.status == 401 && $0.code == "InvalidPassword" })
        #expect(wrong["error"] == unknown["error"] && client.passwordJobs == 3)
        let endless = try client.login(email: "a@example.org", String(repeating: "a", count: 100_000))
        #expect(endless.code == "InvalidPassword" && client.passwordJobs == 3)
    }

    @Test("missing fields, wrong types and bad JSON (H-58)")
    func malformed() throws {
        let client = try AuthClient()
        let path = client.auth("local-userpass/login")
        for (text, code) in [
            ("", "BadRequest"), ("{", "BadRequest"), ("[]", "BadRequest"), ("{}", "MissingParameter"),
            (#"{"username":"a"}"#, "MissingParameter"), (#"{"username":1,"password":"b"}"#, "MissingParameter"),
            (String(repeating: "[", count: 1000), "BadRequest"), ("{\"a\":\"\u{1}\"}", "BadRequest")
        ] {
            let answer = try client.send("POST", path, raw: text)
            #expect(answer.status == 400 && answer.code == code, "\(text.prefix(20))")
        }
        for (method, path) in [
            ("GET", client.auth("anon-user/login")), ("POST", "/app/shop-abcde/location"), ("GET", "/auth/delete"),
            ("PUT", "/auth/session"), ("POST", "/auth/profile")
        ] {
            #expect(try client.send(method, path, body: [:]).status == 405, "\(path)")
        }
        for path in [
            "/", "/app", "/app/shop-abcde", "/app/shop-abcde/x", "/auth", "/auth/x", "/x", client.auth("anon-user/x")
        ] {
            #expect(try client.send("POST", path, body: [:]).status == 404, "\(path)")
        }
        #expect(try client.send("GET", "/app/%ff/location").status == 400)
    }

    @Test("functions and push, which this server doesn't have (H-51, H-54)")
    func absent() throws {
        let client = try AuthClient()
        let call = try client.send("POST", "/app/shop-abcde/functions/call", body: ["name": "f", "arguments": []])
        #expect(call.status == 404 && call.code == "FunctionNotFound")
        let push = try client.send("PUT", "/app/shop-abcde/push/providers/gcm/registration", body: [:])
        #expect(push.status == 404 && push.code == "ServiceNotFound")
    }

    @Test("linking: the user stays, is found by each identity, and isn't anonymous any more (H-40, H-41)")
    func linking() throws {
        let client = try AuthClient()
        let anonymous = try client.loginAnonymously()
        _ = try client.register("a@example.org")
        let linked = try client.login(email: "a@example.org", link: anonymous["access_token"])
        #expect(linked.status == 200)
        let again = try client.login(email: "a@example.org")
        #expect(again["user_id"] == anonymous["user_id"])
        let profile = try client.send("GET", "/auth/profile", token: linked["access_token"])
        #expect(
            profile.body["identities"]?.array?.compactMap { $0["provider_type"]?.string } == [
                "anon-user", "local-userpass"
            ])
        #expect(
            try client.send("POST", "/auth/api_keys", token: again["refresh_token"], body: ["name": "k"]).status == 201)
        #expect(try client.login(email: "a@example.org", link: linked["access_token"]).status == 200)
    }

    @Test("linking what belongs to somebody else, is anonymous or a key, or without a token, is refused (H-40)")
    func badLinks() throws {
        let client = try AuthClient()
        let user = try client.newUser()
        let anonymous = try client.loginAnonymously()
        let conflict = try client.login(email: "a@example.org", link: anonymous["access_token"])
        #expect(conflict.status == 409 && conflict.code == "AccountNameInUse")
        #expect(try client.login("anon-user", link: user["access_token"]).status == 400)
        #expect(try client.login("api-key", ["key": "x"], link: user["access_token"]).status == 400)
        #expect(try client.login(email: "a@example.org", link: "x.y.z").code == "InvalidSession")
        #expect(try client.login(email: "a@example.org", link: user["refresh_token"]).code == "InvalidSession")
    }

    @Test("a user has a hundred sessions at most; the oldest end")
    func surplusSessions() throws {
        let client = try AuthClient()
        let first = try client.newUser()
        for _ in 0..<100 {
            client.now += 1
            _ = try client.login(email: "a@example.org")
        }
        #expect(client.service.directory.sessions(of: first["user_id"] ?? "").count == 100)
        #expect(try client.send("POST", "/auth/session", token: first["refresh_token"]).status == 401)
    }
}
