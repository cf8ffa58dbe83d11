/// A URL of a server: scheme, host, port, path and query.
package struct WebURL: Hashable, Sendable, CustomStringConvertible {
    package var scheme: String
    package var host: String
    package var port: Int
    /// Path and query; begins with `/`.
    package var target: String

    /// Schemes and their ports; those of secure connections are `secureSchemes`.
    package static let ports = ["http": 80, "https": 443, "ws": 80, "wss": 443]
    private static let secureSchemes: Set<String> = ["https", "wss"]

    /// Throws `NetworkError` (`bad-address`) for anything but `http`, `https`, `ws`, `wss`, and for URLs with user names,
    /// fragments, spaces or a port that there isn't.
    package init(_ text: String) throws(NetworkError) {
        func refused(_ reason: String) -> NetworkError {
            NetworkError(.address, "\(text.prefix { $0 != "?" }) can't be used as URL of a server: \(reason)")
        }
        guard text.utf8.allSatisfy({ (33...126).contains($0) }) else { throw refused("spaces or control characters") }
        guard let separator = text.firstRange(of: "://") else { throw refused("no scheme") }
        scheme = text[..<separator.lowerBound].lowercased()
        guard let defaultPort = Self.ports[scheme] else { throw refused("the scheme \(scheme) isn't known") }
        let rest = text[separator.upperBound...]
        guard !rest.contains("#") else { throw refused("a fragment") }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else { throw refused("a user name") }
        let path = rest[authority.endIndex...]
        target = path.hasPrefix("/") ? String(path) : "/\(path)"
        let portText: Substring
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { throw refused("a bracket that isn't closed") }
            host = String(authority[authority.index(after: authority.startIndex)..<end])
            portText = authority[authority.index(after: end)...]
        } else {
            host = String(authority.prefix { $0 != ":" })
            portText = authority.dropFirst(host.count)
        }
        guard !host.isEmpty else { throw refused("no host") }
        if portText.isEmpty || portText == ":" {
            port = defaultPort
        } else {
            guard portText.hasPrefix(":"), let number = UInt16(portText.dropFirst()), number > 0 else {
                throw refused("\(portText.dropFirst()) is no port")
            }
            port = Int(number)
        }
    }

    package var isSecure: Bool { Self.secureSchemes.contains(scheme) }
    package var endpoint: Endpoint { Endpoint(host, port) }

    /// The value of a Host field: with the port only where it isn't the scheme's own (P-7).
    package var hostField: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == Self.ports[scheme] ? name : "\(name):\(port)"
    }

    /// For messages and logs: without the query, which may hold a token.
    package var description: String { "\(scheme)://\(hostField)\(target.prefix { $0 != "?" })" }
}
