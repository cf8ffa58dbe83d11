import EventLoop
import Foundation
import Sync

/// The server of one app, as HTTP reaches it: where it is, logging in, tokens.
@LoopActor
package final class AppServer {
    /// Where the parts of a server are (H-9).
    struct Location: Hashable {
        var base: String
        var syncRoute: String
        /// The server has said so, and it isn't a guess (H-13).
        var isVerified: Bool
    }

    /// What a login brings (H-18).
    package struct Login: Hashable, Sendable {
        package var userId: String
        package var accessToken: AccessToken
        package var refreshToken: String
        /// What the server calls this device; nil if that isn't known.
        package var deviceId: String?
    }

    package let appId: String
    private let baseURL: String
    private let http: HTTPClient
    private(set) var location: Location
    private var locating: [@LoopActor (AppServerError?) -> Void] = []
    private var calls: [ObjectIdentifier: Call] = [:]

    /// `baseURL` has scheme and host; trailing slashes don't count (H-1). Throws for one that is none.
    package init(appId: String, baseURL: String, http: HTTPClient) throws(NetworkError) {
        var base = baseURL
        while base.hasSuffix("/") { base.removeLast() }
        _ = try WebURL(base)
        self.appId = appId
        self.baseURL = base
        self.http = http
        location = Location(
            base: base, syncRoute: Self.route(Self.socketBase(of: base), appId), isVerified: false)
    }

    private static func route(_ socketBase: String, _ appId: String) -> String {
        "\(socketBase)/api/client/v2.0/app/\(appId)/realm-sync"
    }

    /// The guess for the sync host of a server that wasn't asked yet (H-13).
    private static func socketBase(of base: String) -> String {
        let isSecure = base.hasPrefix("https://")
        let rest = base.drop { $0 != "/" }.drop { $0 == "/" }
        return (isSecure ? "wss://" : "ws://") + rest
    }

    // MARK: Location

    /// Asks where the server is, unless somebody asks already; `completion` is called once, later.
    package func locate(
        within deadline: Duration = .seconds(60), _ completion: @escaping @LoopActor (AppServerError?) -> Void
    ) {
        locating.append(completion)
        guard locating.count == 1 else { return }
        let url = "\(location.base)/api/client/v2.0/app/\(appId)/location"
        call("GET", url, headers: [:], mayRepeat: true, within: deadline) { [self] result in
            let error: AppServerError?
            do throws(AppServerError) {
                try adopt(result.get())
                error = nil
            } catch let failure {
                error = failure
                // The host that the server has named before may be the one that is gone.
                if case .network = failure.kind { forgetLocation() }
            }
            let waiting = locating
            locating = []
            for waiter in waiting { waiter(error) }
        }
    }

    /// Goes back to where the app says that its server is: this agent may run for longer than a host of it does.
    private func forgetLocation() {
        guard location.base != baseURL else { return }
        location = Location(
            base: baseURL, syncRoute: Self.route(Self.socketBase(of: baseURL), appId), isVerified: false)
    }

    private func adopt(_ answer: [String: Any]) throws(AppServerError) {
        guard let host = answer["hostname"] as? String, let socketHost = answer["ws_hostname"] as? String else {
            throw AppServerError(.malformed, status: 200, "the server's location lacks 'hostname' or 'ws_hostname'")
        }
        let base = host.isEmpty ? baseURL : host
        let socketBase = socketHost.isEmpty ? Self.socketBase(of: base) : socketHost
        let route = answer["sync_route"] as? String ?? Self.route(socketBase, appId)
        // Before tokens are part of it.
        for address in [base, route] {
            do throws(NetworkError) { _ = try WebURL(address) } catch {
                throw AppServerError(.malformed, status: 200, "the server says it is where nothing can be: \(error)")
            }
        }
        location = Location(base: base, syncRoute: route, isVerified: true)
    }

    /// Runs `body` once the location is known, or can't be had.
    private func located(
        within deadline: Duration = .seconds(60), _ body: @escaping @LoopActor (AppServerError?) -> Void
    ) {
        if location.isVerified { body(nil) } else { locate(within: deadline, body) }
    }

    // MARK: Logging in

    /// Logs in with the fields of a credential (H-16), which name the provider unless they are a function's.
    package func logIn(
        provider: String, _ fields: [String: Any], device: [String: String], within deadline: Duration = .seconds(60),
        completion: @escaping @LoopActor (Result<Login, AppServerError>) -> Void
    ) {
        let body = credential(fields, device)
        located(within: deadline) { [self] error in
            if let error { return completion(.failure(error)) }
            let url = "\(location.base)/api/client/v2.0/app/\(appId)/auth/providers/\(provider)/login"
            call("POST", url, body: body, within: deadline) { result in
                completion(
                    Result { () throws(AppServerError) in
                        try Self.login(try result.get())
                    })
            }
        }
    }

    /// Adds an identity to the user that an access token is of; the answer is a token that knows it (H-40).
    func link(
        provider: String, _ fields: [String: Any], device: [String: String], token: AccessToken,
        within deadline: Duration, completion: @escaping @LoopActor (Result<AccessToken, AppServerError>) -> Void
    ) {
        let body = credential(fields, device)
        located(within: deadline) { [self] error in
            if let error { return completion(.failure(error)) }
            let url = "\(location.base)/api/client/v2.0/app/\(appId)/auth/providers/\(provider)/login?link=true"
            call("POST", url, bearer: token.text, body: body, within: deadline) { result in
                completion(Result { () throws(AppServerError) in try Self.token(in: try result.get()) })
            }
        }
    }

    /// The body of a log-in.
    private func credential(_ fields: [String: Any], _ device: [String: String]) -> [UInt8] {
        var body = fields
        var device = device
        device["appId"] = appId
        body["options"] = ["device": device]
        return (try? JSONSerialization.data(withJSONObject: body)).map { Array($0) } ?? []
    }

    private static func token(in answer: [String: Any]) throws(AppServerError) -> AccessToken {
        guard let token = (answer["access_token"] as? String).flatMap({ AccessToken($0) }) else {
            throw AppServerError(.malformed, status: 200, "the server's answer lacks a token")
        }
        return token
    }

    private static func login(_ answer: [String: Any]) throws(AppServerError) -> Login {
        guard let access = answer["access_token"] as? String, let refresh = answer["refresh_token"] as? String,
            let user = answer["user_id"] as? String, let device = answer["device_id"] as? String
        else {
            throw AppServerError(
                .malformed, status: 200,
                "the server's login lacks one of 'access_token', 'refresh_token', 'user_id', 'device_id'")
        }
        guard let token = AccessToken(access), AccessToken(refresh) != nil else {
            throw AppServerError(.malformed, status: 200, "the server has given a token that is none")
        }
        guard (1...userIdLimit).contains(user.utf8.count) else {
            throw AppServerError(.malformed, status: 200, "the server has given a user id that is none")
        }
        return Login(userId: user, accessToken: token, refreshToken: refresh, deviceId: device)
    }

    /// Bytes of a user's id: it becomes part of names.
    private static let userIdLimit = 256

    /// Makes an account of an e-mail address and a password (H-45).
    package func register(
        email: String, password: String, completion: @escaping @LoopActor (Result<Void, AppServerError>) -> Void
    ) {
        located { [self] error in
            if let error { return completion(.failure(error)) }
            let url = "\(location.base)/api/client/v2.0/app/\(appId)/auth/providers/local-userpass/register"
            let fields = ["email": email, "password": password]
            let body = (try? JSONSerialization.data(withJSONObject: fields)).map { Array($0) } ?? []
            call("POST", url, body: body) { completion($0.map { _ in }) }
        }
    }

    /// A new access token (H-30).
    package func refresh(
        _ refreshToken: String, completion: @escaping @LoopActor (Result<AccessToken, AppServerError>) -> Void
    ) {
        located { [self] error in
            if let error { return completion(.failure(error)) }
            let url = "\(location.base)/api/client/v2.0/auth/session"
            call("POST", url, bearer: refreshToken, mayRepeat: true) { result in
                completion(Result { () throws(AppServerError) in try Self.token(in: try result.get()) })
            }
        }
    }

    /// Ends the session that a refresh token stands for (H-34).
    package func logOut(
        _ refreshToken: String, completion: @escaping @LoopActor (Result<Void, AppServerError>) -> Void
    ) {
        located { [self] error in
            if let error { return completion(.failure(error)) }
            call("DELETE", "\(location.base)/api/client/v2.0/auth/session", bearer: refreshToken) {
                completion($0.map { _ in })
            }
        }
    }

    // MARK: Sync

    /// Connects a WebSocket for sync, offering `subprotocols` (P-1, P-2).
    func connect(
        token: AccessToken, subprotocols: String, within deadline: Duration,
        completion: @escaping @LoopActor (WebSocketOutcome) -> Void
    ) throws(NetworkError) -> any Cancellable {
        let mark = location.syncRoute.contains("?") ? "&" : "?"
        let url = try WebURL(location.syncRoute + "\(mark)baas_at=\(token.text)")
        return http.connect(to: url, subprotocols: subprotocols, within: deadline, completion: completion)
    }

    // MARK: Calls

    /// Sends any request (H-2) below `/api/client/v2.0/`. The answer is a success.
    func send(
        _ method: String, _ path: String, bearer: String?, body: [UInt8]?, within deadline: Duration,
        completion: @escaping @LoopActor (Result<HTTPResponse, AppServerError>) -> Void
    ) {
        located(within: deadline) { [self] error in
            if let error { return completion(.failure(error)) }
            let url = "\(location.base)/api/client/v2.0/\(path)"
            exchange(method, url, bearer: bearer, body: body, within: deadline, completion: completion)
        }
    }

    private func call(
        _ method: String, _ address: String, bearer: String? = nil, body: [UInt8]? = nil,
        headers: HTTPHeaders = AppServer.headers, mayRepeat: Bool = false, within deadline: Duration = .seconds(60),
        completion: @escaping @LoopActor (Result<[String: Any], AppServerError>) -> Void
    ) {
        exchange(
            method, address, bearer: bearer, body: body, headers: headers, mayRepeat: mayRepeat, within: deadline
        ) { result in
            completion(
                result.map { response in
                    let json = try? JSONSerialization.jsonObject(with: Data(response.body))
                    return json as? [String: Any] ?? [:]
                })
        }
    }

    private static let headers: HTTPHeaders = [
        "Content-Type": "application/json;charset=utf-8", "Accept": "application/json"
    ]

    private func exchange(
        _ method: String, _ address: String, bearer: String?, body: [UInt8]?,
        headers: HTTPHeaders = AppServer.headers, mayRepeat: Bool = false, within deadline: Duration,
        completion: @escaping @LoopActor (Result<HTTPResponse, AppServerError>) -> Void
    ) {
        let url: WebURL
        do throws(NetworkError) { url = try WebURL(address) } catch {
            return completion(.failure(AppServerError(error)))
        }
        var request = HTTPRequest(method, url.target, headers: headers)
        if let bearer { request.headers["Authorization"] = "Bearer \(bearer)" }
        if let body { request.body = body }
        let call = Call(mayRepeat: mayRepeat)
        calls[ObjectIdentifier(call)] = call
        call.send = { [self] in
            call.begunAt = http.scheduler.now
            call.exchange = http.send(request, to: url, within: deadline) { [self] result in
                calls[ObjectIdentifier(call)] = nil
                call.send = {}
                switch result {
                case .failure(let error):
                    if error.code == .resolve || error.code == .connect { forgetLocation() }
                    completion(.failure(AppServerError(error)))
                case .success(let reply):
                    if let error = AppServerError(reply.response) { return completion(.failure(error)) }
                    completion(.success(reply.response))
                }
            }
        }
        call.send()
    }

    /// The network came back or is another one: what can be asked twice is asked again if its answer is late, since that may
    /// never come.
    func repeatCalls() {
        for call in calls.values where call.mayRepeat && http.scheduler.now - call.begunAt >= ClientTimers().patience {
            call.exchange?.cancel()
            call.send()
        }
    }

    /// A request under way.
    @LoopActor
    private final class Call {
        let mayRepeat: Bool
        var send: @LoopActor () -> Void = {}
        var begunAt = Duration.zero
        var exchange: (any Cancellable)?

        init(mayRepeat: Bool) { self.mayRepeat = mayRepeat }
    }
}
