import Wire

/// How an agent is to run. Everything has a default.
package struct AgentOptions: Sendable {
    /// Goes to the background; `AgentProcess.run` returns when the agent there is ready.
    package var daemon = false
    /// Path of the socket; nil: where `SocketLocation.resolve()` says.
    package var socket: String?
    /// Where a background agent writes its log; nil: `reeve/agent.log` in `$XDG_STATE_HOME` or `~/.local/state`.
    package var log: String?
    /// Directory of what the agent must not lose; nil: where `DataDirectory` says.
    package var data: String?
    /// PEM file with the certificate authorities that servers of apps are checked against; nil: those of the system.
    package var certificateAuthorities: String?
    /// Ends the agent when nobody has been connected for so long; nil: never.
    package var idleExitSeconds: Int?
    /// What the agent calls its own version.
    package var version = ReeveVersion.current
    /// What clients are told at hello, and held to.
    package var limits = Limits()
    /// Connections at a time; further ones are refused with `outOfResources`.
    package var connectionLimit = 4096
    /// A connection whose queue has been full for so long is closed with `slowReader`.
    package var slowReaderSeconds = 60
    /// How long SIGTERM waits for open transactions before it rolls them back.
    package var drainSeconds = 5
    /// Bytes of changes that one transaction may have, in however many requests.
    package var transactionLimit = 1 << 30
    /// Bytes of changes of one synced realm that may wait for the server; beyond them nothing more is written there.
    package var queueLimit = 1 << 30
    /// Snapshots of one realm kept at a time, by whoever; beyond it the client that keeps most is let go.
    package var snapshotLimit = 3_584
    /// Files smaller than this are not compacted unasked.
    package var compactionFloor: Int64 = 8 << 20

    package init() {}
}
