/// Times of a client connection (P-117), and what it may cost.
package struct ClientTimers: Hashable, Sendable {
    /// TCP, TLS and the upgrade together.
    package var connect = Duration.seconds(120)
    /// How long a connection without sessions is kept (P-118).
    package var linger = Duration.seconds(30)
    package var ping = Duration.seconds(60)
    package var pong = Duration.seconds(120)
    /// The same for the PING that finds out whether a connection has survived a change of the network.
    package var urgentPong = Duration.seconds(3)
    /// For so long a connection that was given up so is remembered.
    package var urgentMemory = Duration.seconds(600)
    /// What was tried for so long when the network changes is tried anew: it may be on its way through the old one.
    package var patience = Duration.seconds(3)
    /// Reconnected within this time, a client uploads at once (P-99).
    package var fastReconnect = Duration.seconds(60)
    package var backoff = Backoff<ConnectionFailure.Kind>.Parameters()

    package init() {}
}

/// What a server's messages may cost a client.
package struct ClientLimits: Hashable, Sendable {
    package var messages = MessageLimits()
    /// Bytes received and not yet integrated; above it `wantsInput` is false.
    package var inboxBytes = 4 << 20
    /// The same in messages of one session.
    package var inboxMessages = 256
    /// Changeset bytes after which an UPLOAD is closed (P-39).
    package var uploadSoftBytes = 131_072
    /// Changeset bytes that an UPLOAD of more than one changeset never has (P-39).
    package var uploadHardBytes = 16 << 20
    /// Acknowledgements that the file isn't told of one by one while more are to come.
    package var unstoredAcknowledgements = 32
    /// Reports of undone writes that wait for their DOWNLOAD (P-60).
    package var compensatingWrites = 4096

    package init() {}
}
