import EventLoop
import Foundation
import TestSupport
import Testing

@testable import Server

@Suite("Auth: keys that issuers publish (H-22)")
struct KeySetTests {
    /// An RSA key made by openssl, as PEM and as an element of a key set.
    private struct Key {
        let pem: String
        let published: JSONValue
        private let directory = TemporaryDirectory()

        init(_ id: String) throws {
            try Self.openssl("genrsa", "-out", directory.path("key.pem"), "2048")
            try Self.openssl("rsa", "-in", directory.path("key.pem"), "-pubout", "-out", directory.path("public.pem"))
            pem = try String(contentsOfFile: directory.path("public.pem"), encoding: .utf8)
            try Self.openssl(
                "rsa", "-pubin", "-in", directory.path("public.pem"), "-modulus", "-noout", "-out", directory.path("n"))
            let hex = try String(contentsOfFile: directory.path("n"), encoding: .utf8)
                .replacing("Modulus=", with: "").trimmingCharacters(in: .whitespacesAndNewlines)
            var modulus: [UInt8] = []
            var rest = hex[...]
            while !rest.isEmpty {
                modulus.append(try #require(UInt8(rest.prefix(2), radix: 16)))
                rest = rest.dropFirst(2)
            }
            published = [
                "kty": "RSA", "kid": .string(id), "use": "sig", "n": .string(Base64.encodeURL(modulus)), "e": "AQAB"
            ]
        }

        /// A token that it has signed.
        func token(_ claims: JSONValue, keyId: String) throws -> String {
            let header: JSONValue = ["alg": "RS256", "kid": .string(keyId)]
            let signed = [header, claims].map { Base64.encodeURL(Array($0.text.utf8)) }.joined(separator: ".")
            try Data(signed.utf8).write(to: URL(fileURLWithPath: directory.path("input")))
            try Self.openssl(
                "dgst", "-sha256", "-sign", directory.path("key.pem"), "-out", directory.path("signature"),
                directory.path("input"))
            let signature = [UInt8](try Data(contentsOf: URL(fileURLWithPath: directory.path("signature"))))
            return "\(signed).\(Base64.encodeURL(signature))"
        }

        private static func openssl(_ arguments: String...) throws {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["openssl"] + arguments
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }
    }

    private func set(_ keys: JSONValue...) -> [UInt8] { Array((["keys": .array(keys)] as JSONValue).text.utf8) }

    @Test("a published key is the same key that openssl writes; what can't be used is left out")
    func reading() throws {
        let key = try Key("a")
        var weak = key.published
        if case .object(var members) = weak {
            members["n"] = .string(Base64.encodeURL(Array(repeating: 0x81, count: 128)))
            members["kid"] = "weak"
            weak = .object(members)
        }
        let keys = JSONWebKeySet.keys(
            set(
                key.published, weak, ["kty": "EC", "kid": "b"], ["kty": "RSA", "kid": "c", "n": "%%", "e": "AQAB"],
                ["kty": "RSA", "kid": "d"], "text"))
        #expect(keys == ["a": key.pem])
        #expect(JSONWebKeySet.keys(Array("{}".utf8)) == nil)
        #expect(JSONWebKeySet.keys(Array("[".utf8)) == nil)
        #expect(JSONWebKeySet.keys(set()) == [:])
    }

    @Test("a token is good if it is signed with the key that its kid names")
    func signatures() throws {
        let (a, b) = (try Key("a"), try Key("b"))
        let client = try AuthClient(app: {
            var settings = CustomTokenSettings(algorithm: .rs256, keys: [])
            settings.keySetURL = "http://issuer/keys"
            $0.customToken = settings
        })
        let claims: JSONValue = ["sub": "u", "aud": .string(AuthClient.app), "exp": .integer(client.now + 60)]
        func status(_ token: String) throws -> Int {
            try client.login("custom-token", ["token": .string(token)]).status
        }
        let good = try a.token(claims, keyId: "a")
        #expect(try status(good) == 401)
        client.service.publish(["a": a.pem, "b": b.pem], at: "http://other/keys")
        #expect(try status(good) == 401)
        client.service.publish(["a": a.pem, "b": b.pem], at: "http://issuer/keys")
        #expect(try status(good) == 200)
        #expect(try status(b.token(claims, keyId: "a")) == 401)
        #expect(try status(a.token(claims, keyId: "c")) == 401)
        client.service.publish(["b": b.pem], at: "http://issuer/keys")
        #expect(try status(good) == 401)
    }

    @Test("settings: published keys are for RS256, alone, and at a URL")
    func settings() {
        func fault(_ algorithm: CustomTokenSettings.Algorithm, _ keys: [String], _ url: String) -> String? {
            var settings = CustomTokenSettings(algorithm: algorithm, keys: keys)
            settings.keySetURL = url
            return settings.fault
        }
        #expect(fault(.rs256, [], "https://issuer/keys") == nil)
        #expect(fault(.hs256, [], "https://issuer/keys") != nil)
        #expect(fault(.rs256, ["x"], "https://issuer/keys") != nil)
        #expect(fault(.rs256, [], "nonsense") != nil)
    }

    /// An issuer and a server that asks it.
    @LoopActor
    private final class Asking {
        let time = ManualScheduler()
        let loader: KeySetLoader
        var answer: HTTPResponse
        private(set) var asked = 0
        private(set) var outcomes: [[String]?] = []
        private var http: HTTPServer?

        init(_ answer: HTTPResponse) throws {
            self.answer = answer
            let network = MemoryNetwork(time)
            loader = KeySetLoader(network, scheduler: time, log: .silent)
            let http = HTTPServer(scheduler: time) { [unowned self] exchange in
                asked += 1
                exchange.respond(self.answer)
            }
            self.http = http
            _ = try network.listen(Endpoint("issuer", 80)) { http.serve($0) }
        }

        func load(_ id: String, _ url: String = "http://issuer/keys") {
            loader.load(url, for: id) { [unowned self] in outcomes.append($0.map { $0.keys.sorted() }) }
        }
    }

    @Test("an issuer is asked once for all who wait, again for unknown keys after a pause, and every hour")
    func loading() throws {
        let body = set(try Key("a").published)
        try EventLoop.shared.run {
            let test = try Asking(HTTPResponse(200, body: body))
            test.load("a")
            test.load("a")
            test.time.advance(by: .seconds(1))
            #expect(test.outcomes == [["a"], ["a"]] && test.asked == 1)
            test.load("a")
            test.load("b")
            #expect(test.outcomes == [["a"], ["a"], nil, nil] && test.asked == 1)
            test.time.advance(by: KeySetLoader.pause)
            test.load("b")
            test.time.advance(by: .seconds(1))
            #expect(test.outcomes.last == ["a"] && test.asked == 2)
            test.answer = HTTPResponse(500)
            test.time.advance(by: KeySetLoader.lifetime)
            test.load("a")
            test.time.advance(by: .seconds(1))
            #expect(test.outcomes == [["a"], ["a"], nil, nil, ["a"], nil] && test.asked == 3)
            test.load("a", "http://nobody/keys")
            test.time.advance(by: KeySetLoader.patience * 2)
            test.load("a", "nonsense")
            #expect(test.outcomes.count == 8 && test.outcomes.suffix(2) == [nil, nil])
        }
    }
}
