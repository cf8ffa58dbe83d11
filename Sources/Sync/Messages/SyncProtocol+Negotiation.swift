/// Negotiation by the header `Sec-WebSocket-Protocol` of the upgrade (P-11 to P-15).
extension SyncProtocol {
    /// What the server chose, and the one token it must answer with: a missing or wrong one crashes original clients.
    package struct Choice: Hashable, Sendable {
        package var agreed: SyncProtocol
        package var token: String
    }

    /// No version in common, or no token at all: the server answers 400 with this text (P-14), the client reports it.
    package struct NegotiationError: Error, Hashable, Sendable, CustomStringConvertible {
        package var description: String
    }

    private static let prefixes: [(mode: Mode, text: String)] = [
        (.partition, "com.mongodb.realm-sync"), (.flexible, "com.mongodb.realm-query-sync")
    ]

    /// Tokens of one request that are looked at; a client sends 13.
    private static let offeredTokenLimit = 64

    /// The token of this version.
    package var token: String { Self.prefix(mode) + "#\(version)" }

    /// What a client offers: every version, newest first.
    package static func offer(_ mode: Mode, versions: ClosedRange<Int> = SyncProtocol.versions) -> String {
        versions.reversed().map { SyncProtocol(mode, version: $0).token }.joined(separator: ", ")
    }

    /// The server's choice among what a client offers (P-12, P-13).
    package static func choose(
        offered header: String?, versions: ClosedRange<Int> = SyncProtocol.versions
    ) throws(NegotiationError) -> Choice {
        var best: Choice?
        var mode: Mode?
        for token in (header ?? "").split(separator: ",").prefix(offeredTokenLimit) {
            let token = token.drop(while: isBlank)
            guard let offer = Offer(token.prefix(while: { !isBlank($0) })) else { continue }
            // All tokens of one request have one prefix: the first one decides.
            guard mode ?? offer.mode == offer.mode else { continue }
            mode = offer.mode
            let version = min(offer.versions.upperBound, versions.upperBound)
            guard version >= versions.lowerBound, version >= offer.versions.lowerBound else { continue }
            if version > best?.agreed.version ?? 0 {
                best = Choice(
                    agreed: SyncProtocol(offer.mode, version: version),
                    token: prefix(offer.mode) + "\(offer.separator)\(version)")
            }
        }
        guard let best else {
            throw NegotiationError(
                description: "no common version of the sync protocol: this server speaks "
                    + "\(versions.lowerBound) to \(versions.upperBound), the client offered "
                    + "\"\((header ?? "nothing").prefix(200))\"")
        }
        return best
    }

    /// The client's check of the server's answer (P-15).
    package static func accept(
        answered header: String?, mode: Mode, versions: ClosedRange<Int> = SyncProtocol.versions
    ) throws(NegotiationError) -> SyncProtocol {
        guard let header else {
            throw NegotiationError(description: "the server's answer has a missing Sec-WebSocket-Protocol header")
        }
        let prefix = prefix(mode) + "#"
        guard header.hasPrefix(prefix), let version = Offer.number(header.dropFirst(prefix.count)),
            versions.contains(version)
        else {
            throw NegotiationError(
                description: "the server's answer has a bad Sec-WebSocket-Protocol header: \"\(header.prefix(100))\"")
        }
        return SyncProtocol(mode, version: version)
    }

    private static func prefix(_ mode: Mode) -> String {
        prefixes.first { $0.mode == mode }?.text ?? ""
    }

    private static func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }

    /// One token of a client.
    private struct Offer {
        var mode: Mode
        var separator: Character
        var versions: ClosedRange<Int>

        init?(_ token: Substring) {
            for (mode, prefix) in SyncProtocol.prefixes where token.hasPrefix(prefix) {
                let rest = token.dropFirst(prefix.count)
                guard let separator = rest.first, separator == "#" || separator == "/" else { continue }
                let bounds = rest.dropFirst().split(separator: "-", omittingEmptySubsequences: false)
                    .map(Self.number)
                guard bounds.count <= 2, let low = bounds.first.flatMap({ $0 }), let high = bounds.last.flatMap({ $0 }),
                    low <= high
                else { return nil }
                self.mode = mode
                self.separator = separator
                versions = low...high
                return
            }
            return nil
        }

        /// Decimal, no sign, no padding.
        static func number(_ text: Substring) -> Int? {
            guard !text.isEmpty, text.utf8.count <= 9, text.utf8.allSatisfy({ (48...57).contains($0) }),
                text == "0" || !text.hasPrefix("0")
            else { return nil }
            return Int(text)
        }
    }
}
