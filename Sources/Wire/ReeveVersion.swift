/// The version of what this code was built into: agent, command or client library.
package enum ReeveVersion {
    package static let current = "0.1.0"

    /// Whether version `a` came before `b`: numbers between dots compare as numbers, what is no number counts as 0.
    package static func isOlder(_ a: String, than b: String) -> Bool {
        func numbers(_ version: String) -> [Int] {
            version.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        }
        var left = numbers(a)
        var right = numbers(b)
        let length = max(left.count, right.count)
        left += Array(repeating: 0, count: length - left.count)
        right += Array(repeating: 0, count: length - right.count)
        return left.lexicographicallyPrecedes(right)
    }
}

extension HelloReply {
    /// Throws `unsupportedFeature` if the agent lacks what the client can't do without.
    package func require(_ feature: Feature) throws(WireError) {
        guard !features.contains(feature) else { return }
        throw lacks("the feature \"\(feature.rawValue)\"", feature.rawValue)
    }

    /// What an error of this agent means to its client: a method that it doesn't know is a feature that it lacks.
    package func explain(_ error: WireError, method: Method) -> WireError {
        error.code == .unknownMethod ? lacks("the method \"\(method.rawValue)\"", method.rawValue) : error
    }

    private func lacks(_ what: String, _ name: String) -> WireError {
        WireError(
            .unsupportedFeature,
            "the running agent is version \(agent) and lacks \(what), which this program (version "
                + "\(ReeveVersion.current)) needs: `reeve shutdown` ends the agent, the next program starts the "
                + "installed one",
            facts: ["feature": .string(name), "agent": .string(agent), "client": .string(ReeveVersion.current)])
    }
}
