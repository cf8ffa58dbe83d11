import Foundation

/// How an app reaches its server.
public class AppConfiguration: @unchecked Sendable {
    // Everything that changes is behind the lock.
    private struct State {
        var baseURL: String?
        var transport: (any RLMNetworkTransport)?
        var requestTimeout: UInt
        var isMultiplexing: Bool
        var syncTimeouts: SyncTimeoutOptions?
    }

    private let state: Lock<State>

    /// All parts are optional.
    ///
    /// - Parameters:
    ///   - baseURL: Scheme and host of the server; nil: that of `$REEVE_SERVER`, else `http://localhost:9090`.
    ///   - transport: Kept, but not used: it is the agent that speaks to servers, for all processes.
    ///   - defaultRequestTimeoutMS: Milliseconds that the server has for an answer; 60,000 by default.
    ///   - enableSessionMultiplexing: Kept, but all realms of a user share a connection in any case.
    ///   - syncTimeouts: Kept for the sync manager.
    public init(
        baseURL: String? = nil, transport: (any RLMNetworkTransport)? = nil, defaultRequestTimeoutMS: UInt? = nil,
        enableSessionMultiplexing: Bool? = nil, syncTimeouts: SyncTimeoutOptions? = nil
    ) {
        state = Lock(
            State(
                baseURL: baseURL, transport: transport, requestTimeout: defaultRequestTimeoutMS ?? 60_000,
                isMultiplexing: enableSessionMultiplexing ?? true, syncTimeouts: syncTimeouts))
    }

    @available(*, deprecated, message: "localAppName and localAppVersion have no effect")
    public convenience init(
        baseURL: String? = nil, transport: (any RLMNetworkTransport)? = nil, localAppName: String?,
        localAppVersion: String?, defaultRequestTimeoutMS: UInt? = nil, enableSessionMultiplexing: Bool? = nil
    ) {
        self.init(
            baseURL: baseURL, transport: transport, defaultRequestTimeoutMS: defaultRequestTimeoutMS,
            enableSessionMultiplexing: enableSessionMultiplexing)
    }

    /// Scheme and host of the server.
    public var baseURL: String {
        get { state.withLock { $0.baseURL } ?? Self.builtInURL }
        set { state.withLock { $0.baseURL = newValue } }
    }

    /// Kept, but not used (see the initialiser).
    public var transport: (any RLMNetworkTransport)? {
        get { state.withLock { $0.transport } }
        set { state.withLock { $0.transport = newValue } }
    }

    /// Milliseconds that the server has for an answer.
    public var defaultRequestTimeoutMS: UInt {
        get { state.withLock { $0.requestTimeout } }
        set { state.withLock { $0.requestTimeout = newValue } }
    }

    /// Kept, but all realms of a user share a connection in any case.
    public var enableSessionMultiplexing: Bool {
        get { state.withLock { $0.isMultiplexing } }
        set { state.withLock { $0.isMultiplexing = newValue } }
    }

    /// For the sync manager.
    public var syncTimeouts: SyncTimeoutOptions? {
        get { state.withLock { $0.syncTimeouts } }
        set { state.withLock { $0.syncTimeouts = newValue } }
    }

    func setBaseURL(_ url: String?) { state.withLock { $0.baseURL = url } }

    /// The server of those who name none.
    package static var builtInURL: String {
        let named = ProcessInfo.processInfo.environment["REEVE_SERVER"] ?? ""
        return named.isEmpty ? "http://localhost:9090" : named
    }
}

/// Times of sync connections, in milliseconds.
public class SyncTimeoutOptions: @unchecked Sendable {
    // Everything that changes is behind the lock.
    private struct State {
        var connect: UInt
        var linger: UInt
        var ping: UInt
        var pong: UInt
        var fastReconnect: UInt
    }

    private let state: Lock<State>

    public init(
        connectTimeout: UInt? = nil, connectionLingerTime: UInt? = nil, pingKeepalivePeriod: UInt? = nil,
        pongKeepaliveTimeout: UInt? = nil, fastReconnectLimit: UInt? = nil
    ) {
        state = Lock(
            State(
                connect: connectTimeout ?? 120_000, linger: connectionLingerTime ?? 30_000,
                ping: pingKeepalivePeriod ?? 60_000, pong: pongKeepaliveTimeout ?? 120_000,
                fastReconnect: fastReconnectLimit ?? 60_000))
    }

    /// For a connection to come about.
    public var connectTimeout: UInt {
        get { state.withLock { $0.connect } }
        set { state.withLock { $0.connect = newValue } }
    }

    /// How long a connection stays without sessions.
    public var connectionLingerTime: UInt {
        get { state.withLock { $0.linger } }
        set { state.withLock { $0.linger = newValue } }
    }

    /// How often the server is asked whether it is still there.
    public var pingKeepalivePeriod: UInt {
        get { state.withLock { $0.ping } }
        set { state.withLock { $0.ping = newValue } }
    }

    /// How long it may take to answer that.
    public var pongKeepaliveTimeout: UInt {
        get { state.withLock { $0.pong } }
        set { state.withLock { $0.pong = newValue } }
    }

    /// After how long without a connection a change is downloaded anew instead of being waited for.
    public var fastReconnectLimit: UInt {
        get { state.withLock { $0.fastReconnect } }
        set { state.withLock { $0.fastReconnect = newValue } }
    }
}
