import Foundation
import TestSupport
import Wire

@testable import Agent
@testable import EventLoop

/// A server of apps that answers what the test wants, by method and path below `/api/client/v2.0/`.
@LoopActor
final class ScriptedAppServer {
    var answers: [String: HTTPResponse] = [:]
    private(set) var requests: [HTTPRequest] = []
    private var listener: TCPListener?
    private var http: HTTPServer?
    private(set) var url = ""

    init() throws {
        let http = HTTPServer(scheduler: LoopScheduler()) { [unowned self] exchange in
            requests.append(exchange.request)
            let path = exchange.request.path.replacing("/api/client/v2.0/", with: "")
            let answer = answers["\(exchange.request.method) \(path)"]
            exchange.respond(answer ?? Self.json(404, #"{"error":"not in the script","error_code":"ValueNotFound"}"#))
        }
        self.http = http
        let listener = try TCPListener(Endpoint("127.0.0.1", 0)) { http.serve($0) }
        self.listener = listener
        url = "http://\(listener.endpoint)"
        answers["GET app/a/location"] = Self.json(200, #"{"hostname":"","ws_hostname":""}"#)
        answers["POST app/a/auth/providers/anon-user/login"] = Self.login("1")
        answers["GET auth/profile"] = Self.json(
            200, #"{"identities":[{"id":"i","provider_type":"anon-user"}],"data":{"name":"Ann"}}"#)
        answers["DELETE auth/session"] = HTTPResponse(204)
    }

    func close() { listener?.close() }

    func count(_ method: String, _ end: String) -> Int {
        requests.count { $0.method == method && $0.path.hasSuffix(end) }
    }

    nonisolated static func json(_ status: Int, _ text: String) -> HTTPResponse {
        HTTPResponse(status, headers: ["Content-Type": "application/json"], body: Array(text.utf8))
    }

    /// A token that is good for an hour; `mark` tells it from others.
    nonisolated static func token(_ mark: String, claims: String = "") -> String {
        let now = Int(Date().timeIntervalSince1970)
        let payload = Data(#"{"exp":\#(now + 3600),"iat":\#(now),"sub":"\#(mark)"\#(claims)}"#.utf8)
        return "e30.\(payload.base64EncodedString()).x"
    }

    nonisolated static func login(_ user: String) -> HTTPResponse {
        json(
            200,
            #"{"access_token":"\#(token("a\(user)"))","refresh_token":"\#(token("r\(user)"))","#
                + #""user_id":"\#(user)","device_id":""}"#)
    }
}

/// Apps and users of an agent, without the agent's process.
final class AppsUnderTest: Sendable {
    let directory: TemporaryDirectory
    let server: ScriptedAppServer
    private let state: Lock<AppRegistry?>
    private let url: String

    init(_ directory: TemporaryDirectory = TemporaryDirectory(), server: ScriptedAppServer? = nil) throws {
        self.directory = directory
        let path = directory.path("data")
        let made = try EventLoop.shared.run {
            let scheduler = LoopScheduler()
            let http = HTTPClient(SystemNetwork(), scheduler: scheduler)
            let server = try server ?? ScriptedAppServer()
            return (server, server.url, AppRegistry(directory: path, http: http, scheduler: scheduler))
        }
        self.server = made.0
        url = made.1
        state = Lock(made.2)
    }

    var app: AppIdentity { AppIdentity(id: "a", baseURL: url) }

    func onLoop<R: Sendable>(_ body: @escaping @Sendable @LoopActor (AppRegistry) throws -> R) throws -> R {
        guard let registry = state.withLock({ $0 }) else { throw TestFailure("closed") }
        return try EventLoop.shared.run { try body(registry) }
    }

    func script(_ request: String, _ answer: HTTPResponse) throws {
        try EventLoop.shared.run { [server] in server.answers[request] = answer }
    }

    /// How often the server was asked.
    func count(_ method: String, _ end: String) throws -> Int {
        try EventLoop.shared.run { [server] in server.count(method, end) }
    }

    /// Waits for what is called back.
    func wait<R: Sendable>(
        _ begin:
            @escaping @Sendable @LoopActor (AgentApp, @escaping @LoopActor (Result<R, WireError>) -> Void) throws ->
            Void
    ) throws -> R {
        let outcome = Lock<Result<R, WireError>?>(nil)
        try onLoop { [app] registry in
            try begin(try registry.app(app)) { result in outcome.withLock { $0 = result } }
        }
        guard eventually({ outcome.withLock { $0 != nil } }), let result = outcome.withLock({ $0 }) else {
            throw TestFailure("never called back")
        }
        return try result.get()
    }

    private static func user(
        _ done: @escaping @LoopActor (Result<AppUser, WireError>) -> Void
    ) -> AgentApp.Outcome {
        { result in done(result.map { $0.info(tokens: true) }) }
    }

    @discardableResult
    func logIn(_ provider: String = "anon-user", link: String? = nil) throws -> AppUser {
        try wait { [app] agentApp, done in
            let request = AppLogin(app: app, provider: provider, fields: "{}", link: link)
            try agentApp.logIn(request, completion: Self.user(done))
        }
    }

    @discardableResult
    func logOut(_ id: String) throws -> AppUser { try wait { try $0.logOut(id, completion: Self.user($1)) } }

    func call(_ verb: String, _ path: String, _ token: AppCall.Token, user: String) throws -> AppCallReply {
        try wait { [app] agentApp, done in
            let request = AppCall(app: app, verb: verb, path: path, token: token, user: user)
            try agentApp.call(request, completion: done)
        }
    }

    var users: [String: AppUserState] {
        get throws {
            try onLoop { [app] in try $0.app(app).users.mapValues { $0.info().state } }
        }
    }

    var current: String? { get throws { try onLoop { [app] in try $0.app(app).current?.id } } }

    /// Ends it, so that another can have the directory.
    func close() throws {
        let isClosed = Lock(false)
        try onLoop { registry in registry.close { isClosed.withLock { $0 = true } } }
        guard eventually({ isClosed.withLock { $0 } }) else { throw TestFailure("the users' file isn't closed") }
    }
}
