/// What came of connecting a WebSocket.
package enum WebSocketOutcome {
    /// It is open. The subprotocol that the server chose is for the caller to check (P-15).
    case open(WebSocket, HTTPResponse)
    /// The server answered something else than 101 (P-18).
    case refused(HTTPResponse)
    /// No connection, no answer, or one that isn't WebSocket's.
    case failed(NetworkError)
}

extension HTTPClient {
    /// Connects a WebSocket to a `ws` or `wss` URL, offering `subprotocols`. `completion` is called once, later; not after
    /// `cancel`.
    package func connect(
        to url: WebURL, subprotocols: String?, headers: HTTPHeaders = [:], options: WebSocket.Options = .init(),
        within deadline: Duration = .seconds(60),
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        completion: @escaping @LoopActor (WebSocketOutcome) -> Void
    ) -> any Cancellable {
        var random = random
        let key = WebSocketHandshake.key(&random)
        let request = WebSocketHandshake.request(key: key, subprotocols: subprotocols, headers: headers)
        return send(request, to: url, within: deadline) { [scheduler, random] result in
            switch result {
            case .failure(let error): completion(.failed(error))
            case .success(let reply):
                guard let (stream, received) = reply.upgraded else { return completion(.refused(reply.response)) }
                do throws(NetworkError) {
                    try WebSocketHandshake.check(reply.response, key: key)
                } catch {
                    stream.close()
                    return completion(.failed(error))
                }
                var random = random
                let socket = WebSocket(
                    .client, over: stream, received: received, scheduler: scheduler, options: options,
                    nextMask: { random.next() })
                completion(.open(socket, reply.response))
            }
        }
    }
}

extension HTTPExchange {
    /// Accepts a request that asks for a WebSocket. `choose` gets the header with the subprotocols offered and gives the
    /// one to answer with, or throws the answer that refuses. Returns nil after a refusal, or if the client has gone.
    package func acceptWebSocket(
        scheduler: any Scheduler, options: WebSocket.Options = .init(), headers: HTTPHeaders = [:],
        choose: (String?) throws(HTTPViolation) -> String?
    ) -> WebSocket? {
        do {
            try WebSocketHandshake.check(request)
            let offered = request.headers.values("Sec-WebSocket-Protocol")
            let chosen = try choose(offered.isEmpty ? nil : offered.joined(separator: ", "))
            let response = WebSocketHandshake.response(to: request, subprotocol: chosen, headers: headers)
            guard let (stream, received) = upgrade(response) else { return nil }
            return WebSocket(.server, over: stream, received: received, scheduler: scheduler, options: options)
        } catch {
            respond(HTTPResponse(error.status, text: error.message))
            return nil
        }
    }
}
