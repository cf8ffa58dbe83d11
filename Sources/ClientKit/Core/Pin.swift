import Wire

/// A snapshot that the agent holds for this process. Released when nobody uses it any more; a lost link took it along.
final class Pin: Sendable {
    private let link: AgentLink
    private let realm: Int32
    private let id: Int64

    init(_ id: Int64, realm: Int32, link: AgentLink) {
        self.id = id
        self.realm = realm
        self.link = link
    }

    deinit {
        link.release(id, realm: realm)
    }

    /// The id, for requests on the link it belongs to.
    func id(on link: AgentLink) -> Int64? {
        self.link === link ? id : nil
    }
}
