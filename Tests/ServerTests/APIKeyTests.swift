import EventLoop
import Testing

@testable import Server

enum HTTPRequestForTests {
    static func post(_ path: String, _ body: JSONValue) -> HTTPRequest {
        HTTPRequest("POST", AuthService.base + path, headers: ["Host": "h"], body: Array(body.text.utf8))
    }
}

@Suite("Auth: API keys")
struct APIKeyTests {
    @Test("a key is created, listed, got, disabled, enabled, deleted; its secret is told once (H-48)")
    func life() throws {
        let client = try AuthClient()
        let user = try client.newUser()
        let token = user["refresh_token"]
        let created = try client.send("POST", "/auth/api_keys", token: token, body: ["name": "k"])
        #expect(created.status == 201)
        let id = try #require(created["_id"])
        let secret = try #require(created["key"])
        #expect(id.count == 24 && created["name"] == "k" && created.body["disabled"] == false)
        #expect(!"\(client.journal)".contains(secret))
        let shown: JSONValue = ["_id": .string(id), "name": "k", "disabled": false]
        #expect(try client.send("GET", "/auth/api_keys", token: token).body == [shown])
        #expect(try client.send("GET", "/auth/api_keys/\(id)", token: token).body == shown)

        let login = try client.login("api-key", ["key": .string(secret)])
        #expect(login.status == 200 && login["user_id"] == user["user_id"])
        let refresh = try client.claims(login["refresh_token"])
        #expect(refresh["baas_identity"]?["provider_type"] == "api-key")

        #expect(try client.send("PUT", "/auth/api_keys/\(id)/disable", token: token).status == 204)
        #expect(try client.send("GET", "/auth/api_keys/\(id)", token: token).body["disabled"] == true)
        let refused = try client.login("api-key", ["key": .string(secret)])
        #expect(refused.status == 401 && refused.code == "AuthError")
        #expect(try client.send("PUT", "/auth/api_keys/\(id)/enable", token: token).status == 204)
        #expect(try client.login("api-key", ["key": .string(secret)]).status == 200)
        #expect(try client.send("DELETE", "/auth/api_keys/\(id)", token: token).status == 204)
        #expect(try client.login("api-key", ["key": .string(secret)]).status == 401)
        #expect(try client.send("GET", "/auth/api_keys", token: token).body == [])
    }

    @Test("names are unique per user, ids of others and unknown ones aren't found, twenty are the most (H-49)")
    func refusals() throws {
        let client = try AuthClient()
        let first = try client.newUser("a@example.org")
        let second = try client.newUser("b@example.org")
        func create(_ name: JSONValue, _ user: AuthClient.Answer) throws -> AuthClient.Answer {
            try client.send("POST", "/auth/api_keys", token: user["refresh_token"], body: ["name": name])
        }
        let id = try #require(try create("k0", first)["_id"])
        let twice = try create("k0", first)
        #expect(twice.status == 409 && twice.code == "APIKeyAlreadyExists")
        #expect(try create("k0", second).status == 201)
        for (method, path) in [("GET", ""), ("DELETE", ""), ("PUT", "/enable"), ("PUT", "/disable")] {
            let answer = try client.send(method, "/auth/api_keys/\(id)\(path)", token: second["refresh_token"])
            #expect(answer.status == 404 && answer.code == "APIKeyNotFound" && answer["error"] == "API key not found")
        }
        for name in [JSONValue.string(""), .string(String(repeating: "a", count: 101))] {
            #expect(try create(name, first).code == "InvalidParameter")
        }
        #expect(try create(5, first).code == "MissingParameter")
        for number in 1..<20 { #expect(try create(.string("k\(number)"), first).status == 201) }
        #expect(try create("one more", first).code == "BadRequest")
    }

    @Test("without a token, with an access token, as an anonymous user (H-49, H-50)")
    func authorization() throws {
        let client = try AuthClient()
        let none = try client.send("GET", "/auth/api_keys")
        #expect(none.status == 401 && none.code == "MissingAuthReq" && none["error"] == "must authenticate first")
        let user = try client.newUser()
        #expect(try client.send("GET", "/auth/api_keys", token: user["access_token"]).code == "InvalidSession")
        let anonymous = try client.loginAnonymously()
        let refused = try client.send("POST", "/auth/api_keys", token: anonymous["refresh_token"], body: ["name": "k"])
        #expect(refused.status == 403)
        #expect(try client.send("PATCH", "/auth/api_keys", token: user["refresh_token"]).status == 405)
        #expect(try client.send("PUT", "/auth/api_keys/a/b", token: user["refresh_token"]).status == 404)
    }

    @Test("a key of the server logs a server user in (H-21)")
    func serverKeys() throws {
        let client = try AuthClient()
        let (secret, _) = try client.service.createServerKey("ingest", app: AuthClient.app, now: client.now)
        let first = try client.login("api-key", ["key": .string(secret)])
        let second = try client.login("api-key", ["key": .string(secret)])
        #expect(first.status == 200 && first["user_id"] == second["user_id"])
        let profile = try client.send("GET", "/auth/profile", token: first["access_token"])
        #expect(profile["type"] == "server" && profile.body["identities"]?.array?.count == 1)
        #expect(throws: AuthFailure.self) { try client.service.createServerKey("x", app: "none", now: 0) }
    }

    @Test("a key works in its own app only")
    func otherApp() throws {
        let client = try AuthClient()
        client.journal += try client.service.createApp("other", now: client.now)
        let (secret, _) = try client.service.createServerKey("k", app: AuthClient.app, now: client.now)
        let path = "/app/other/auth/providers/api-key/login"
        #expect(try client.send("POST", path, body: ["key": .string(secret)]).code == "AuthError")
    }
}
