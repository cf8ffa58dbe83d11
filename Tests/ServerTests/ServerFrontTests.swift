import EventLoop
import Foundation
import TestSupport
import Testing

@testable import Server

@Suite("Server front")
struct ServerFrontTests {
    /// A server and clients in memory, in time moved by hand.
    @LoopActor
    final class Setup: WebSocketDelegate {
        let time = ManualScheduler()
        let network: MemoryNetwork
        let client: HTTPClient
        var accepted: [(socket: WebSocket, client: SyncClient)] = []
        var ends: [WebSocketEnd] = []
        var messages: [[UInt8]] = []
        let auth: AuthEndpoint
        private(set) var front: ServerFront?

        init() throws {
            network = MemoryNetwork(time)
            client = HTTPClient(network, scheduler: time)
            var service = AuthService(random: SeededGenerator(seed: 3))
            _ = try service.createApp("shop", now: 1000)
            _ = try service.createApp("other", now: 1000)
            auth = AuthEndpoint(service, journal: NoJournal(), now: { 1000 })
            let route = SyncRoute(
                choose: { offered throws(HTTPViolation) in
                    guard let offered, offered.contains("v#1") else { throw HTTPViolation(400, "versions 1 to 1") }
                    return "v#1"
                },
                accept: { [unowned self] socket, client in
                    accepted.append((socket, client))
                    socket.start(Echo())
                })
            let front = ServerFront(network, scheduler: time, auth: auth, sync: route)
            self.front = front
            try front.listen(Endpoint("h", 80))
        }

        final class Echo: WebSocketDelegate {
            func webSocket(_ socket: WebSocket, didReceive message: [UInt8]) { socket.send(message) }
            func webSocket(_ socket: WebSocket, didReceive text: String) { socket.close(1003) }
            func webSocket(_ socket: WebSocket, pressureDidChange isHigh: Bool) {}
            func webSocket(_ socket: WebSocket, didEnd end: WebSocketEnd) {}
        }

        func request(_ method: String, _ path: String, _ body: String = "") throws -> HTTPResponse {
            var result: Result<HTTPClient.Reply, NetworkError>?
            let request = HTTPRequest(method, "", body: Array(body.utf8))
            _ = client.send(request, to: try WebURL("http://h\(path)")) { result = $0 }
            #expect(time.settle())
            return try #require(result).get().response
        }

        func token(_ app: String = "shop") throws -> String {
            let response = try request("POST", "/api/client/v2.0/app/\(app)/auth/providers/anon-user/login", "{}")
            return try #require(JSONValue(parsing: response.body)["access_token"]?.string)
        }

        func connect(_ path: String, _ offer: String? = "v#2, v#1") throws -> WebSocketOutcome {
            var outcome: WebSocketOutcome?
            _ = client.connect(
                to: try WebURL("ws://h\(path)"), subprotocols: offer, headers: ["User-Agent": "RealmSync/1"]
            ) {
                outcome = $0
                if case .open(let socket, _) = $0 { socket.start(self) }
            }
            #expect(time.settle())
            return try #require(outcome)
        }

        func status(_ path: String, _ offer: String? = "v#1") throws -> Int {
            switch try connect(path, offer) {
            case .open(_, let response), .refused(let response): response.status
            case .failed(let error): throw error
            }
        }

        func webSocket(_ socket: WebSocket, didReceive message: [UInt8]) { messages.append(message) }
        func webSocket(_ socket: WebSocket, didReceive text: String) {}
        func webSocket(_ socket: WebSocket, pressureDidChange isHigh: Bool) {}
        func webSocket(_ socket: WebSocket, didEnd end: WebSocketEnd) { ends.append(end) }
    }

    private static let route = "/api/client/v2.0/app/shop/realm-sync"

    @Test("a client logs in, opens the sync route and exchanges messages (P-1, P-2, P-12, P-17)")
    func open() throws {
        try onServerLoop {
            let setup = try Setup()
            let token = try setup.token()
            guard case .open(let socket, let response) = try setup.connect("\(Self.route)?baas_at=\(token)") else {
                throw NetworkError(.closed, "not open")
            }
            #expect(response.headers["Sec-WebSocket-Protocol"] == "v#1")
            let client = try #require(setup.accepted.first?.client)
            #expect(response.headers["X-Appservices-Request-Id"] == client.requestId && !client.requestId.isEmpty)
            #expect(client.user.app.id == "shop" && client.subprotocol == "v#1" && client.userAgent == "RealmSync/1")
            socket.send([1, 2])
            #expect(setup.time.settle())
            #expect(setup.messages == [[1, 2]])
            socket.abort()
        }
    }

    @Test("a token that is wrong, missing or of another app: the upgrade is finished, then 4001 (P-6, P-26)")
    func tokens() throws {
        try onServerLoop {
            let setup = try Setup()
            let other = try setup.token("other")
            for query in ["", "?baas_at=", "?baas_at=x.y.z", "?baas_at=\(other)"] {
                setup.ends = []
                guard case .open = try setup.connect(Self.route + query) else {
                    throw NetworkError(.closed, "not open")
                }
                guard case .closed(let code, _) = setup.ends.first else { throw NetworkError(.closed, "no close") }
                #expect(code == 4001, "\(query)")
            }
            #expect(setup.accepted.isEmpty && setup.network.links.isEmpty)
        }
    }

    @Test("a user who is disabled can't connect any more (P-6)")
    func disabled() throws {
        try onServerLoop {
            let setup = try Setup()
            let token = try setup.token()
            let user = try setup.auth.checkAccess(token, appId: "shop").user.id
            var error: (any Error)?
            try setup.auth.administer({ service throws(AuthFailure) in try service.setDisabled(true, user: user) }) {
                error = $0
            }
            #expect(error == nil)
            _ = try setup.connect("\(Self.route)?baas_at=\(token)")
            #expect(setup.accepted.isEmpty && setup.ends.count == 1)
        }
    }

    @Test("no common version: 400 with the versions in the text, never a 101 (P-14, P-15)")
    func versions() throws {
        try onServerLoop {
            let setup = try Setup()
            let token = try setup.token()
            for offer in [nil, "v#7"] as [String?] {
                guard case .refused(let response) = try setup.connect("\(Self.route)?baas_at=\(token)", offer) else {
                    throw NetworkError(.closed, "not refused")
                }
                #expect(response.status == 400 && String(decoding: response.body, as: UTF8.self).contains("versions"))
            }
        }
    }

    @Test("which paths lead to sync, and which to nothing (P-5)")
    func paths() throws {
        try onServerLoop {
            let setup = try Setup()
            let token = try setup.token()
            for path in [Self.route, "/realm-sync", "/realm-sync/anything"] {
                #expect(try setup.status("\(path)?baas_at=\(token)") == 101, "\(path)")
            }
            #expect(setup.accepted.map(\.client.user.app.id) == ["shop", "shop", "shop"])
            for path in [
                "/api/client/v2.0/app/none/realm-sync", "/api/client/v2.0/app//realm-sync", "/realm-syncs", "/",
                "/api/client/v2.0/realm-sync", "/api/client/v2.0/app/shop/x/realm-sync"
            ] {
                #expect(try setup.status("\(path)?baas_at=\(token)") == 404, "\(path)")
            }
            #expect(try setup.request("GET", Self.route).status == 400)
        }
    }

    @Test("errors below the API's level have the form that clients recognise, too (H-5, H-55)")
    func errors() throws {
        try onServerLoop {
            let setup = try Setup()
            for response in [
                try setup.request("GET", "/nothing"),
                try setup.request("POST", "/api/client/v2.0/auth/session", String(repeating: "x", count: 2 << 20))
            ] {
                #expect([404, 413].contains(response.status))
                #expect(response.headers["Content-Type"] == "application/json")
                #expect(try JSONValue(parsing: response.body)["error_code"]?.string?.isEmpty == false)
            }
        }
    }

    @Test("a closed front takes no more connections and leaves sync connections alone")
    func close() throws {
        try onServerLoop {
            let setup = try Setup()
            let token = try setup.token()
            guard case .open(let socket, _) = try setup.connect("\(Self.route)?baas_at=\(token)") else {
                throw NetworkError(.closed, "not open")
            }
            setup.front?.close()
            #expect(throws: NetworkError.self) { try setup.request("GET", "/") }
            socket.send([1])
            #expect(setup.time.settle())
            #expect(setup.messages == [[1]])
            socket.abort()
        }
    }
}
