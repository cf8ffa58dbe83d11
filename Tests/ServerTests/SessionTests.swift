import EventLoop
import Testing

@testable import Server

@Suite("Auth: sessions, tokens and profiles")
struct SessionTests {
    @Test("a refresh token gives a new access token and no new refresh token (H-30)")
    func refresh() throws {
        let client = try AuthClient()
        let user = try client.newUser()
        client.now += 3600
        let answer = try client.send("POST", "/auth/session", token: user["refresh_token"])
        #expect(answer.status == 201 && answer["refresh_token"] == nil)
        let claims = try client.claims(answer["access_token"])
        #expect(claims["exp"] == .integer(client.now + 1800))
        #expect(try client.send("GET", "/auth/profile", token: answer["access_token"]).status == 200)
        #expect(try client.send("GET", "/auth/profile", token: user["access_token"]).code == "InvalidSession")
    }

    @Test("tokens are good until the second they expire in (H-27)")
    func expiry() throws {
        let client = try AuthClient()
        let user = try client.newUser()
        client.now += 1799
        #expect(try client.send("GET", "/auth/profile", token: user["access_token"]).status == 200)
        client.now += 1
        #expect(try client.send("GET", "/auth/profile", token: user["access_token"]).status == 401)
        client.now += 60 * 86400
        #expect(try client.send("POST", "/auth/session", token: user["refresh_token"]).code == "InvalidSession")
    }

    @Test("logging out ends that session only, and a second time gives 401 (H-34, H-35)")
    func logOut() throws {
        let client = try AuthClient()
        let first = try client.newUser()
        let second = try client.login(email: "a@example.org")
        #expect(try client.send("DELETE", "/auth/session", token: first["refresh_token"]).status == 204)
        for method in ["DELETE", "POST"] {
            let answer = try client.send(method, "/auth/session", token: first["refresh_token"])
            #expect(answer.status == 401 && answer.code == "InvalidSession")
        }
        #expect(try client.send("POST", "/auth/session", token: second["refresh_token"]).status == 201)
        // Access tokens live on until they expire (H-28).
        #expect(try client.send("GET", "/auth/profile", token: first["access_token"]).status == 200)
    }

    @Test("a token of the wrong kind, of another server, changed, without signature, or none (H-27, H-58)")
    func forgeries() throws {
        let client = try AuthClient()
        let user = try client.newUser()
        let access = try #require(user["access_token"])
        let refresh = try #require(user["refresh_token"])
        let app = try #require(client.service.directory.app(AuthClient.app))
        var claims = try client.claims(access)
        if case .object(var members) = claims {
            members["exp"] = .integer(client.now + 1_000_000)
            claims = .object(members)
        }
        let parts = access.split(separator: ".").map(String.init)
        let payload = Base64.encodeURL(Array(claims.text.utf8))
        let unsigned = Base64.encodeURL(Array(#"{"alg":"none","typ":"JWT"}"#.utf8))
        let forged = [
            refresh, "\(parts[0]).\(payload).\(parts[2])", "\(unsigned).\(payload).",
            "\(unsigned).\(payload).\(parts[2])",
            JSONWebToken.sign(claims, secret: Array("guess".utf8)), access + ".x", String(access.dropLast(8)), "..",
            "x", "",
            JSONWebToken.sign(["exp": 9_999_999_999, "sub": "x", "typ": "access"], secret: app.secret),
            JSONWebToken.sign(["typ": "access", "baas_domain_id": .string(app.domainId)], secret: app.secret),
            String(repeating: "a", count: 100_000)
        ]
        for token in forged {
            let answer = try client.send("GET", "/auth/profile", token: token)
            #expect(answer.status == 401 && answer.code == "InvalidSession", "\(token.prefix(80))")
        }
        #expect(try client.send("GET", "/auth/profile").code == "InvalidSession")
        #expect(try client.send("POST", "/auth/session", token: access).code == "InvalidSession")
        // Properly signed, with more time: only who has the secret can do that.
        #expect(
            try client.send("GET", "/auth/profile", token: JSONWebToken.sign(claims, secret: app.secret)).status == 200)
    }

    @Test("a disabled user is out, sessions and all, and comes back only by logging in again (H-27, H-58)")
    func disabling() throws {
        let client = try AuthClient()
        let user = try client.newUser()
        let id = try #require(user["user_id"])
        _ = try client.service.setDisabled(true, user: id)
        for (method, path, token) in [
            ("GET", "/auth/profile", "access_token"), ("POST", "/auth/session", "refresh_token")
        ] {
            let answer = try client.send(method, path, token: user[token])
            #expect(answer.status == 401 && answer.code == "UserDisabled")
        }
        #expect(try client.login(email: "a@example.org").code == "UserDisabled")
        _ = try client.service.setDisabled(false, user: id)
        #expect(try client.send("POST", "/auth/session", token: user["refresh_token"]).code == "InvalidSession")
        #expect(try client.login(email: "a@example.org")["user_id"] == id)
    }

    @Test("all sessions of a user can be revoked (H-28)")
    func revoking() throws {
        let client = try AuthClient()
        let user = try client.newUser()
        _ = try client.service.revokeAllSessions(user: user["user_id"] ?? "")
        #expect(try client.send("POST", "/auth/session", token: user["refresh_token"]).code == "InvalidSession")
        #expect(throws: AuthFailure.self) { try client.service.revokeAllSessions(user: "nobody") }
    }

    @Test("deleting a user deletes identities, keys and sessions; the address is free again (H-36)")
    func deletion() throws {
        let client = try AuthClient()
        let user = try client.newUser()
        let key = try client.send("POST", "/auth/api_keys", token: user["refresh_token"], body: ["name": "k"])["key"]
        #expect(try client.send("DELETE", "/auth/delete", token: user["access_token"]).status == 204)
        #expect(try client.send("GET", "/auth/profile", token: user["access_token"]).code == "InvalidSession")
        #expect(try client.send("POST", "/auth/session", token: user["refresh_token"]).code == "InvalidSession")
        #expect(try client.login(email: "a@example.org").code == "InvalidPassword")
        #expect(try client.login("api-key", ["key": .string(key ?? "")]).code == "AuthError")
        let again = try client.newUser()
        #expect(again.status == 200 && again["user_id"] != user["user_id"])
    }

    @Test("the profile of each kind of user has identities and data (H-37, H-38)")
    func profiles() throws {
        let client = try AuthClient()
        let anonymous = try client.loginAnonymously()
        let profile = try client.send("GET", "/auth/profile", token: anonymous["access_token"])
        #expect(profile.status == 200 && profile["user_id"] == anonymous["user_id"] && profile["type"] == "normal")
        #expect(profile.body["data"] == [:])
        let identity = try #require(profile.body["identities"]?.array?.first)
        #expect(identity["provider_type"] == "anon-user" && identity["id"]?.string?.count == 24)
        let user = try client.newUser()
        let other = try client.send("GET", "/auth/profile", token: user["access_token"])
        #expect(other.body["data"]?["email"] == "a@example.org")
    }

    @Test("custom data comes with the next access token, and has a limit (H-30, H-39)")
    func customData() throws {
        let client = try AuthClient()
        let user = try client.newUser()
        let id = try #require(user["user_id"])
        _ = try client.service.setCustomData(["team": "a", "n": 1], user: id)
        let answer = try client.send("POST", "/auth/session", token: user["refresh_token"])
        #expect(try client.claims(answer["access_token"])["user_data"] == ["team": "a", "n": 1])
        let large = JSONValue.object(["a": .string(String(repeating: "x", count: 16 << 10))])
        #expect(throws: AuthFailure.self) { try client.service.setCustomData(large, user: id) }
        #expect(throws: AuthFailure.self) { try client.service.setCustomData([1], user: id) }
        _ = try client.service.setCustomData(nil, user: id)
        let last = try client.send("POST", "/auth/session", token: user["refresh_token"])
        #expect(try client.claims(last["access_token"])["user_data"] == nil)
    }

    @Test("what the sync server asks: the token's app, user and end (P-6)")
    func syncAccess() throws {
        let client = try AuthClient()
        let user = try client.newUser()
        _ = try client.service.createApp("other", now: client.now)
        let token = try #require(user["access_token"])
        let found = try client.service.checkAccess(token, appId: AuthClient.app, now: client.now)
        #expect(found.user.id == user["user_id"] && found.expiresAt == client.now + 1800)
        #expect(throws: AuthFailure.self) { try client.service.checkAccess(token, appId: "other", now: client.now) }
        #expect(throws: AuthFailure.self) {
            try client.service.checkAccess(token, appId: AuthClient.app, now: client.now + 1800)
        }
        #expect(throws: AuthFailure.self) {
            try client.service.checkAccess(user["refresh_token"] ?? "", appId: AuthClient.app, now: client.now)
        }
    }

    @Test("refresh lifetimes have a range, and a change affects new sessions only (H-28)")
    func lifetimes() throws {
        let client = try AuthClient()
        let before = try client.newUser()
        _ = try client.service.updateApp(AuthClient.app) { $0.refreshLifetime = 1800 }
        let after = try client.login(email: "a@example.org")
        #expect(try client.claims(after["refresh_token"])["exp"] == .integer(client.now + 1800))
        client.now += 1800
        #expect(try client.send("POST", "/auth/session", token: after["refresh_token"]).status == 401)
        #expect(try client.send("POST", "/auth/session", token: before["refresh_token"]).status == 201)
        for lifetime in [1799, 3_660_000_000] as [Int64] {
            #expect(throws: AuthFailure.self) {
                try client.service.updateApp(AuthClient.app) { $0.refreshLifetime = lifetime }
            }
        }
    }

    @Test("anonymous users who haven't been seen for 90 days go, others stay (H-29)")
    func inactivity() throws {
        let client = try AuthClient()
        let idle = try client.loginAnonymously()
        let busy = try client.loginAnonymously()
        let named = try client.newUser()
        client.now += 60 * 86400 - 1
        #expect(try client.send("POST", "/auth/session", token: busy["refresh_token"]).status == 201)
        client.now += 31 * 86400
        _ = client.service.deleteInactiveAnonymousUsers(now: client.now)
        let users = client.service.directory
        #expect(users.user(idle["user_id"] ?? "") == nil)
        #expect(users.user(busy["user_id"] ?? "") != nil && users.user(named["user_id"] ?? "") != nil)
    }
}
