import EventLoop
import Foundation

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
    }

    package let appId: String
    private let baseURL: String
    private let http: HTTPClient
    private(set) var location: Location
    private var locating: [@LoopActor (AppServerError?) -> Void] = []
    private var calls: [ObjectIdentifier: any Cancellable] = [:]

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
    package func locate(_ completion: @escaping @LoopActor (AppServerError?) -> Void) {
        locating.append(completion)
        guard locating.count == 1 else { return }
        call("GET", "\(location.base)/api/client/v2.0/app/\(appId)/location", headers: [:]) { [self] result in
            let error: AppServerError?
            do throws(AppServerError) {
                try adopt(result.get())
                error = nil
            } catch let failure {
                error = failure
            }
            let waiting = locating
            locating = []
            for waiter in waiting { waiter(error) }
        }
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
    private func located(_ body: @escaping @LoopActor (AppServerError?) -> Void) {
        if location.isVerified { body(nil) } else { locate(body) }
    }

    // MARK: Logging in

    /// Logs in with the fields of a credential (H-16), which name the provider unless they are a function's.
    package func logIn(
        provider: String, _ fields: [String: String], device: [String: String],
        completion: @escaping @LoopActor (Result<Login, AppServerError>) -> Void
    ) {
        located { [self] error in
            if let error { return completion(.failure(error)) }
            var body: [String: Any] = fields
            var device = device
            device["appId"] = appId
            body["options"] = ["device": device]
            let url = "\(location.base)/api/client/v2.0/app/\(appId)/auth/providers/\(provider)/login"
            call("POST", url, body: body) { result in
                completion(
                    Result { () throws(AppServerError) in
                        try Self.login(try result.get())
                    })
            }
        }
    }

    private static func login(_ answer: [String: Any]) throws(AppServerError) -> Login {
        guard let access = answer["access_token"] as? String, let refresh = answer["refresh_token"] as? String,
            let user = answer["user_id"] as? String, answer["device_id"] is String
        else {
            throw AppServerError(
                .malformed, status: 200,
                "the server's login lacks one of 'access_token', 'refresh_token', 'user_id', 'device_id'")
        }
        guard let token = AccessToken(access), AccessToken(refresh) != nil else {
            throw AppServerError(.malformed, status: 200, "the server has given a token that is none")
        }
        return Login(userId: user, accessToken: token, refreshToken: refresh)
    }

    /// Makes an account of an e-mail address and a password (H-45).
    package func register(
        email: String, password: String, completion: @escaping @LoopActor (Result<Void, AppServerError>) -> Void
    ) {
        located { [self] error in
            if let error { return completion(.failure(error)) }
            let url = "\(location.base)/api/client/v2.0/app/\(appId)/auth/providers/local-userpass/register"
            call("POST", url, body: ["email": email, "password": password]) { completion($0.map { _ in }) }
        }
    }

    /// A new access token (H-30).
    package func refresh(
        _ refreshToken: String, completion: @escaping @LoopActor (Result<AccessToken, AppServerError>) -> Void
    ) {
        located { [self] error in
            if let error { return completion(.failure(error)) }
            call("POST", "\(location.base)/api/client/v2.0/auth/session", bearer: refreshToken) { result in
                completion(
                    Result { () throws(AppServerError) in
                        let answer = try result.get()
                        guard let token = (answer["access_token"] as? String).flatMap({ AccessToken($0) }) else {
                            throw AppServerError(.malformed, status: 200, "the server's session lacks a token")
                        }
                        return token
                    })
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

    private func call(
        _ method: String, _ address: String, bearer: String? = nil, body: [String: Any]? = nil,
        headers: HTTPHeaders = ["Content-Type": "application/json;charset=utf-8", "Accept": "application/json"],
        completion: @escaping @LoopActor (Result<[String: Any], AppServerError>) -> Void
    ) {
        let url: WebURL
        do throws(NetworkError) { url = try WebURL(address) } catch {
            return completion(.failure(AppServerError(error)))
        }
        var request = HTTPRequest(method, url.target, headers: headers)
        if let bearer { request.headers["Authorization"] = "Bearer \(bearer)" }
        if let body, let data = try? JSONSerialization.data(withJSONObject: body) { request.body = Array(data) }
        let token = CallToken()
        calls[ObjectIdentifier(token)] = http.send(request, to: url) { [self] result in
            calls[ObjectIdentifier(token)] = nil
            switch result {
            case .failure(let error): completion(.failure(AppServerError(error)))
            case .success(let reply):
                if let error = AppServerError(reply.response) { return completion(.failure(error)) }
                let json = try? JSONSerialization.jsonObject(with: Data(reply.response.body))
                completion(.success(json as? [String: Any] ?? [:]))
            }
        }
    }

    /// Names a call under way.
    private final class CallToken {}
}
