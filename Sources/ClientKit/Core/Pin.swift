import Wire

/// A snapshot that the agent holds for this process. Released when nobody uses it any more; a lost link took it along.
final class Pin: Sendable {
    private let link: AgentLink
    private let realm: Int32
    private let id: Int64
    /// Whether the agent made it unasked and waits to hear of it.
    private let isUnanswered: Lock<Bool>

    init(_ id: Int64, realm: Int32, link: AgentLink, isAnnounced: Bool = false) {
        self.id = id
        self.realm = realm
        self.link = link
        isUnanswered = Lock(isAnnounced)
    }

    deinit {
        link.release(id, realm: realm)
    }

    /// A realm instance reads the snapshot now, perhaps for long: it is not what the agent waits for before it announces
    /// newer ones.
    func isInUse() {
        let mustSay = isUnanswered.withLock { isUnanswered in
            defer { isUnanswered = false }
            return isUnanswered
        }
        if mustSay { link.keep(id, realm: realm) }
    }

    /// The id, for requests on the link it belongs to.
    func id(on link: AgentLink) -> Int64? {
        self.link === link ? id : nil
    }
}
