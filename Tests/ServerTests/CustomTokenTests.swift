import Foundation
import TestSupport
import Testing

@testable import Server

@Suite("Auth: tokens of others")
struct CustomTokenTests {
    private static let secret = String(repeating: "s", count: 32)

    private func client(_ change: (inout CustomTokenSettings) -> Void = { _ in }) throws -> AuthClient {
        var settings = CustomTokenSettings(algorithm: .hs256, keys: [Self.secret])
        change(&settings)
        return try AuthClient(app: { $0.customToken = settings })
    }

    private func claims(_ client: AuthClient, _ change: [String: JSONValue?] = [:]) -> JSONValue {
        var members: [String: JSONValue] = [
            "sub": "user 1", "aud": .string(AuthClient.app), "exp": .integer(client.now + 60)
        ]
        for (key, value) in change { members[key] = value }
        return .object(members)
    }

    private func login(_ client: AuthClient, _ claims: JSONValue, secret: String = secret) throws -> AuthClient.Answer {
        let token = JSONWebToken.sign(claims, secret: Array(secret.utf8))
        return try client.login("custom-token", ["token": .string(token)])
    }

    @Test("the subject is the user; the session outlives the token (H-20, H-21, H-22)")
    func subject() throws {
        let client = try client()
        let first = try login(client, claims(client))
        #expect(first.status == 200)
        #expect(try login(client, claims(client))["user_id"] == first["user_id"])
        #expect(try login(client, claims(client, ["sub": "user 2"]))["user_id"] != first["user_id"])
        client.now += 3600
        #expect(try client.send("POST", "/auth/session", token: first["refresh_token"]).status == 201)
    }

    @Test("what isn't accepted: signature, key, algorithm, expiry, audience, subject (H-22)")
    func refusals() throws {
        let client = try client()
        var refused = [
            try login(client, claims(client), secret: String(repeating: "x", count: 32)),
            try login(client, claims(client, ["exp": .integer(client.now)])),
            try login(client, claims(client, ["exp": nil])), try login(client, claims(client, ["exp": "never"])),
            try login(client, claims(client, ["aud": "other"])), try login(client, claims(client, ["aud": nil])),
            try login(client, claims(client, ["aud": []])), try login(client, claims(client, ["sub": nil])),
            try login(client, claims(client, ["sub": ""])), try login(client, claims(client, ["sub": 5]))
        ]
        for token in ["", "x", "a.b.c", "e30.e30.", "e30.e30.e30", "e30.e30.e30.e30"] {
            refused.append(try client.login("custom-token", ["token": .string(token)]))
        }
        #expect(refused.allSatisfy { $0.status == 401 && $0.code == "AuthError" }, "\(refused.map(\.code))")
        #expect(try client.login("custom-token").code == "MissingParameter")
    }

    @Test("audiences: all of the configured ones, or any; several in the token (H-22)")
    func audiences() throws {
        let all = try client { $0.audiences = ["a", "b"] }
        #expect(try login(all, claims(all, ["aud": ["a", "b", "c"]])).status == 200)
        #expect(try login(all, claims(all, ["aud": ["a"]])).status == 401)
        let any = try client {
            $0.audiences = ["a", "b"]
            $0.requiresAnyAudience = true
        }
        #expect(try login(any, claims(any, ["aud": "b"])).status == 200)
        #expect(try login(any, claims(any, ["aud": "c"])).status == 401)
    }

    @Test("claims become profile data, from inside of objects too; required ones must be there (H-22, H-37)")
    func fields() throws {
        let client = try client {
            $0.fields = [
                .init(path: "profile.name", name: "name", isRequired: true),
                .init(path: "age", name: "age", isRequired: false),
                .init(path: "missing", name: "x", isRequired: false)
            ]
        }
        let user = try login(client, claims(client, ["profile": ["name": "N"], "age": 7]))
        let profile = try client.send("GET", "/auth/profile", token: user["access_token"])
        #expect(profile.body["data"] == ["name": "N", "age": "7"])
        #expect(try login(client, claims(client)).code == "AuthError")
    }

    @Test("RS256, with keys made by openssl; a public key isn't a secret for HS256 (H-22)")
    func rsa() throws {
        let directory = TemporaryDirectory()
        try openssl("genrsa", "-out", directory.path("key.pem"), "2048")
        try openssl("rsa", "-in", directory.path("key.pem"), "-pubout", "-out", directory.path("public.pem"))
        let pem = try String(contentsOfFile: directory.path("public.pem"), encoding: .utf8)
        let client = try client {
            $0.algorithm = .rs256
            $0.keys = [pem]
        }
        func part(_ value: JSONValue) -> String { Base64.encodeURL(Array(value.text.utf8)) }
        let signed = "\(part(["alg": "RS256", "typ": "JWT"])).\(part(claims(client)))"
        try Data(signed.utf8).write(to: URL(fileURLWithPath: directory.path("input")))
        try openssl(
            "dgst", "-sha256", "-sign", directory.path("key.pem"), "-out", directory.path("signature"),
            directory.path("input"))
        let signature = [UInt8](try Data(contentsOf: URL(fileURLWithPath: directory.path("signature"))))
        func login(_ signature: [UInt8]) throws -> Int {
            try client.login("custom-token", ["token": .string("\(signed).\(Base64.encodeURL(signature))")]).status
        }
        #expect(try login(signature) == 200)
        var changed = signature
        changed[10] ^= 1
        #expect(try login(changed) == 401)
        #expect(try login([]) == 401)
        #expect(try self.login(client, claims(client), secret: pem).status == 401)
    }

    private func openssl(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test("settings that can't work are refused (H-22)")
    func settings() throws {
        #expect(CustomTokenSettings(algorithm: .hs256, keys: []).fault != nil)
        #expect(CustomTokenSettings(algorithm: .hs256, keys: ["short"]).fault != nil)
        #expect(CustomTokenSettings(algorithm: .hs256, keys: [String(repeating: "a", count: 513)]).fault != nil)
        #expect(CustomTokenSettings(algorithm: .rs256, keys: [Self.secret]).fault != nil)
        let four = CustomTokenSettings(algorithm: .hs256, keys: Array(repeating: Self.secret, count: 4))
        #expect(four.fault != nil)
        #expect(throws: AuthFailure.self) { try AuthClient(app: { $0.customToken = four }) }
        #expect(CustomTokenSettings(algorithm: .hs256, keys: [Self.secret]).fault == nil)
    }

    @Test("base64 of either alphabet, padded or not (H-24)")
    func base64() {
        let bytes: [UInt8] = [0xfb, 0xff, 0xfe, 1]
        #expect(Base64.encodeURL(bytes) == "-__-AQ")
        for text in ["-__-AQ", "+//+AQ==", "-__-AQ=="] { #expect(Base64.decode(text) == bytes) }
        #expect(Base64.decode("") == [])
        for text in ["a", "$$$$", "ab cd", "é"] { #expect(Base64.decode(text) == nil) }
    }
}
