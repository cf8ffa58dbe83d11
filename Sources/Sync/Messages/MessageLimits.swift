/// What a peer's messages may cost. Everything beyond is refused before memory is taken for it.
package struct MessageLimits: Hashable, Sendable {
    /// A whole message, bytes. Above it the WebSocket is closed with 1009, which costs a client its history (P-24).
    package var message = 64 << 20
    /// A changeset body after inflating, bytes.
    package var inflatedBody = 64 << 20
    /// Changesets in one message.
    package var entries = 1 << 20
    /// The partition value or the JSON of BIND, bytes (section 5 of the protocol: at least 8192).
    package var bindPath = 16_384
    /// The token of BIND, bytes.
    package var bindToken = 2048
    /// The query text of IDENT and QUERY, bytes (F-14).
    package var query = 262_144
    /// JSON or text of the other messages, bytes. An error 231 lists every object whose write was undone.
    package var text = 16 << 20

    package init() {}

    /// How much a zlib stream can blow up at most, with room for small ones. More can't be an honest size.
    static func inflatable(_ compressed: Int) -> Int { compressed * 1040 + 1024 }
}
