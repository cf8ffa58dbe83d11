/// What a connection speaks: the kind of sync and the version that both ends agreed on while upgrading (P-11, P-28).
package struct SyncProtocol: Hashable, Sendable {
    /// The kind of sync. All sessions of a connection are of one kind.
    package enum Mode: Hashable, Sendable, CaseIterable {
        /// A realm is bound to the objects with one value of the partition key.
        case partition
        /// A realm is bound to what its subscriptions select.
        case flexible
    }

    /// Versions that both ends of Reeve speak.
    package static let versions = 2...14

    package var mode: Mode
    /// One of `versions`.
    package var version: Int

    /// The newest version unless another one was agreed on.
    package init(_ mode: Mode, version: Int = SyncProtocol.versions.upperBound) {
        self.mode = mode
        self.version = version
    }

    package var isFlexible: Bool { mode == .flexible }

    /// Errors come as JSON_ERROR; below as ERROR (P-74).
    package var hasJSONErrors: Bool { version >= 4 }
    /// A rejected write is reported and undone; below it costs a client reset (P-28, F-62).
    package var hasCompensatingWrites: Bool { version >= 5 }
    /// Clients obey `action`, and report what they can't integrate (P-61, P-81).
    package var hasActions: Bool { version >= 7 }
    /// BIND of flexible sync carries JSON instead of a path (P-29).
    package var hasJSONBind: Bool { version >= 8 }
    /// Errors 232 and 234 (P-28).
    package var hasMigration: Bool { version >= 9 }
    /// LOG_MESSAGE may be sent (P-82).
    package var hasLogMessages: Bool { version >= 10 }
    /// Errors 235 and 236 (P-28).
    package var hasSchemaVersions: Bool { version >= 11 }
    /// DOWNLOAD of flexible sync carries an estimate; below the integer 0 (P-29).
    package var hasDownloadEstimate: Bool { version >= 12 }
    /// The server may move a session to another view without a client reset (F-38).
    package var hasServerBootstraps: Bool { version >= 14 }
}
