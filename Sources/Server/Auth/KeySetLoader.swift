import EventLoop

/// Fetches the keys that issuers of tokens publish: when a token names one that isn't known, and when those that are
/// known have become old.
@LoopActor
package final class KeySetLoader {
    /// For how long keys are good without being fetched anew.
    package static let lifetime = Duration.seconds(3600)
    /// How soon an issuer is asked again: tokens with invented key ids cost no more than that.
    package static let pause = Duration.seconds(10)
    /// How long an issuer has to answer; who logs in waits for it.
    package static let patience = Duration.seconds(10)

    private struct Issuer {
        var lastAttempt: Duration?
        var lastSuccess: Duration?
        var keyIds: Set<String> = []
        var waiting: [@LoopActor ([String: String]?) -> Void] = []
        var call: (any Cancellable)?
    }

    private let http: HTTPClient
    private let scheduler: any Scheduler
    private let log: ServerLog
    private var issuers: [String: Issuer] = [:]

    package init(_ network: any Network, scheduler: any Scheduler, log: ServerLog) {
        http = HTTPClient(network, scheduler: scheduler, limits: HTTPLimits(body: 1 << 20))
        self.scheduler = scheduler
        self.log = log
    }

    /// Calls back with an issuer's keys if they had to be fetched, and could be; with nil if those known have to do.
    func load(_ url: String, for keyId: String, completion: @escaping @LoopActor ([String: String]?) -> Void) {
        var issuer = issuers[url] ?? Issuer()
        let isFresh = issuer.lastSuccess.map { scheduler.now - $0 < Self.lifetime } ?? false
        let isTooSoon = issuer.lastAttempt.map { scheduler.now - $0 < Self.pause } ?? false
        guard issuer.call == nil else {
            issuers[url]?.waiting.append(completion)
            return
        }
        if isFresh && issuer.keyIds.contains(keyId) || isTooSoon { return completion(nil) }
        let address: WebURL
        do throws(NetworkError) { address = try WebURL(url) } catch { return completion(nil) }
        issuer.lastAttempt = scheduler.now
        issuer.waiting = [completion]
        issuers[url] = issuer
        let request = HTTPRequest("GET", address.target, headers: ["Accept": "application/json"])
        let call = http.send(request, to: address, within: Self.patience) { [self] in finish(url, $0) }
        if issuers[url]?.waiting.isEmpty == false { issuers[url]?.call = call }
    }

    private func finish(_ url: String, _ result: Result<HTTPClient.Reply, NetworkError>) {
        var keys: [String: String]?
        switch result {
        case .success(let reply) where reply.response.status == 200: keys = JSONWebKeySet.keys(reply.response.body)
        case .success(let reply): log.warning("jwks.refused", ["url": url, "status": "\(reply.response.status)"])
        case .failure(let error): log.warning("jwks.unreachable", ["url": url, "error": error.message])
        }
        if keys == nil, case .success(let reply) = result, reply.response.status == 200 {
            log.warning("jwks.invalid", ["url": url])
        }
        let waiting = issuers[url]?.waiting ?? []
        issuers[url]?.waiting = []
        issuers[url]?.call = nil
        if let keys {
            issuers[url]?.lastSuccess = scheduler.now
            issuers[url]?.keyIds = Set(keys.keys)
        }
        for waiter in waiting { waiter(keys) }
    }
}
