/// Delays between attempts that fail in the same way (P-119): they double, up to a cap, less a random part.
package struct Backoff<Kind: Hashable & Sendable>: Hashable, Sendable {
    package struct Parameters: Hashable, Sendable {
        package var first = Duration.seconds(1)
        package var maximum = Duration.seconds(300)
        package var multiplier = 2

        package init() {}

        /// What a server asks for in place of our own.
        init(_ backoff: ErrorBody.Backoff) {
            first = backoff.interval
            maximum = max(backoff.maximum, backoff.interval)
            multiplier = max(1, backoff.multiplier)
        }
    }

    private let standard: Parameters
    private var parameters: Parameters
    private var last: (kind: Kind, delay: Duration)?

    package init(_ parameters: Parameters = Parameters()) {
        standard = parameters
        self.parameters = parameters
    }

    /// Failed again: how long to wait. `jitter` is uniformly random in 0..<1 and takes off up to a quarter.
    package mutating func failed(_ kind: Kind, asked: ErrorBody.Backoff? = nil, jitter: Double) -> Duration {
        if let asked { parameters = Parameters(asked) }
        let delay: Duration
        if let last, last.kind == kind {
            // The cap is a year at most, so that the product stays far below the limit of a Duration.
            delay = min(max(last.delay * parameters.multiplier, parameters.first), parameters.maximum)
        } else {
            delay = parameters.first
        }
        last = (kind, delay)
        return delay - delay * min(max(jitter, 0), 1) / 4
    }

    /// It works again: the next failure is the first.
    package mutating func clear() {
        parameters = standard
        last = nil
    }

    package var hasFailed: Bool { last != nil }

    package static func == (a: Self, b: Self) -> Bool {
        a.parameters == b.parameters && a.last?.kind == b.last?.kind && a.last?.delay == b.last?.delay
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(parameters)
        hasher.combine(last?.kind)
        hasher.combine(last?.delay)
    }
}
