import Wire

/// The rules of one conversation: hello first and once, so many requests under way with so many bytes, handles never
/// used twice.
/// Pure; the shell is `ClientSession`.
struct Session {
    enum Phase: Hashable {
        case fresh
        case ready
        /// Nothing more is taken from the client.
        case closing
    }

    /// What to do with a request.
    enum Admission: Hashable {
        case take(Method)
        case refuse(WireError)
        /// Refuse and close.
        case close(WireError)
    }

    let limits: Limits
    private(set) var phase = Phase.fresh
    private(set) var hello: Hello?
    /// Requests that haven't been answered; one without id counts until it is done.
    private(set) var inFlight = 0
    /// Bytes of their frames.
    private(set) var heldBytes = 0
    private var lastHandle: Int32 = 0

    /// Bytes of requests under way beyond which further ones are refused.
    static let heldLimit = 256 << 20

    init(limits: Limits) {
        self.limits = limits
    }

    /// Judges a request before its parameters are read. What is taken is under way until `answered(bytes:)`;
    /// `answeredElsewhere` are those that other threads have answered, of which that hasn't been told yet.
    ///
    /// A request that `continues` an open transaction is taken however much waits: what waits may wait for its end.
    mutating func admit(
        method name: String, hasId: Bool, bytes: Int, continues: @autoclosure () -> Bool = false,
        answeredElsewhere: @autoclosure () -> Int = 0
    ) -> Admission {
        switch phase {
        case .closing:
            return .refuse(WireError(.shuttingDown, "the connection is being closed"))
        case .fresh:
            guard name == Method.hello.rawValue else {
                return .close(WireError(.helloRequired, "the first request must be hello, not \(name)"))
            }
        case .ready:
            guard name != Method.hello.rawValue else {
                return .refuse(WireError(.badMessage, "hello comes once, as the first request"))
            }
        }
        guard let method = Method(rawValue: name) else {
            return .refuse(
                WireError(
                    .unknownMethod, "the agent (protocol \(protocolVersion)) has no method \"\(name)\"",
                    facts: ["method": .string(name)]))
        }
        if hasId || !method.isDoneAtOnce {
            guard inFlight < Int(limits.inFlight) || inFlight - answeredElsewhere() < Int(limits.inFlight) else {
                return .refuse(
                    WireError(
                        .tooManyRequests, "\(inFlight) requests are under way; wait for replies",
                        facts: ["limit": .int32(limits.inFlight)]))
            }
            guard heldBytes + bytes <= Self.heldLimit || method.isDoneAtOnce || continues() else {
                return .refuse(
                    WireError(
                        .tooManyRequests, "requests of \(heldBytes) bytes are under way; wait for replies",
                        facts: ["limit": .int64(Int64(Self.heldLimit))]))
            }
        }
        inFlight += 1
        heldBytes += bytes
        return .take(method)
    }

    /// A request of so many bytes got its reply, or is done without one.
    mutating func answered(bytes: Int) {
        precondition(inFlight > 0 && heldBytes >= bytes, "a reply without request")
        inFlight -= 1
        heldBytes -= bytes
    }

    /// Takes the hello, or says why not.
    mutating func greet(_ hello: Hello) -> WireError? {
        guard hello.protocolVersion == protocolVersion else {
            return WireError(
                .unsupportedProtocol,
                "the client (\(hello.client) \(hello.version)) speaks protocol \(hello.protocolVersion), "
                    + "this agent (\(ReeveVersion.current)) speaks \(protocolVersion); "
                    + (hello.protocolVersion > protocolVersion
                        ? "restart the agent: reeve shutdown" : "update the client"),
                facts: [
                    "agent": .string(ReeveVersion.current), "protocol": .int32(protocolVersion),
                    "requested": .int32(hello.protocolVersion)
                ])
        }
        self.hello = hello
        phase = .ready
        return nil
    }

    mutating func close() { phase = .closing }

    func has(_ feature: Feature) -> Bool { hello?.features.contains(feature) ?? false }

    /// A handle of this connection.
    mutating func nextHandle() -> Int32 {
        lastHandle += 1
        return lastHandle
    }
}

extension Method {
    /// Whether the agent is through with it before it takes the next request, so that none of them ever wait.
    fileprivate var isDoneAtOnce: Bool { self == .snapshotRelease || self == .writeAppend }
}
