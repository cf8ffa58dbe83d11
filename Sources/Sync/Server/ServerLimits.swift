/// What one connection may cost a server, and how long it may be silent.
package struct ServerLimits: Hashable, Sendable {
    package var messages = MessageLimits()
    /// Live sessions of one connection.
    package var sessions = 1024
    /// Bytes of changesets in one DOWNLOAD, about (P-40).
    package var downloadBytes = 1 << 20
    /// Sessions of one connection whose DOWNLOAD is being fetched or waits to be written; the others take turns.
    package var downloads = 16
    /// Bytes received and not yet handed to the history; above it `wantsInput` is false.
    package var inboxBytes = 16 << 20
    /// The same in messages of one session.
    package var inboxMessages = 256
    /// Messages of one session that are too many however fast they came: the connection ends.
    package var inboxFlood = 8192
    /// MARKs of one session that wait for their answer; more are merged into the last.
    package var marks = 16
    /// TEST_COMMANDs of one session that wait for their answer.
    package var testCommands = 16
    /// Silence after the last PING after which the connection is dead (P-93).
    package var idle = Duration.seconds(1800)
    /// How long a client may take to close after a connection error (P-92).
    package var drain = Duration.seconds(600)

    package init() {}
}
