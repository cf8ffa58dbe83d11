import Wire

/// The rules of one conversation: hello first and once, so many requests under way, handles never used twice.
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
    /// Requests with an id that haven't been answered.
    private(set) var inFlight = 0
    private var lastHandle: Int32 = 0

    init(limits: Limits) {
        self.limits = limits
    }

    /// Judges a request before its parameters are read. What is taken with an id is under way until `answered()`;
    /// `answeredElsewhere` are those that other threads have answered, of which that hasn't been told yet.
    mutating func admit(method name: String, hasId: Bool, answeredElsewhere: @autoclosure () -> Int = 0) -> Admission {
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
        if hasId {
            guard inFlight < Int(limits.inFlight) || inFlight - answeredElsewhere() < Int(limits.inFlight) else {
                return .refuse(
                    WireError(
                        .tooManyRequests, "\(inFlight) requests are under way; wait for replies",
                        facts: ["limit": .int32(limits.inFlight)]))
            }
            inFlight += 1
        }
        return .take(method)
    }

    /// A request with an id got its reply.
    mutating func answered() {
        precondition(inFlight > 0, "a reply without request")
        inFlight -= 1
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
