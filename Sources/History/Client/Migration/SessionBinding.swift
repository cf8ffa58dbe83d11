import Sync

/// What a session of a client file is bound as.
package struct SessionBinding: Hashable, Sendable {
    package var mode: SyncProtocol.Mode
    /// What BIND says (P-42, P-43).
    package var path: String

    /// `partition` as applications name it; nil: none.
    package init(partition: String?) {
        mode = partition == nil ? .flexible : .partition
        path = partition ?? FlexibleBind().text
    }

    init(_ flexible: FlexibleBind) {
        mode = .flexible
        path = flexible.text
    }
}

extension ClientHistory {
    /// How the file's session is bound. `partition` as its application names it; nil: none. `reset`: the action of the client
    /// reset that the session awaits.
    package func binding(partition: String?, reset: ErrorAction? = nil) -> SessionBinding {
        if reset == .revertToPartition { return SessionBinding(partition: partition ?? migration?.partition) }
        let reason: Int64 = reset == nil ? 0 : 1
        if let migration, migration.isFlexible || reset == .migrateToFlexible {
            return SessionBinding(migration.bind(sessionReason: reason))
        }
        return partition == nil
            ? SessionBinding(FlexibleBind(sessionReason: reason)) : SessionBinding(partition: partition)
    }
}

extension ClientReset {
    /// How the session of the fresh file is bound (R-18, F-96).
    package var freshBinding: SessionBinding {
        isFreshFlexible ? SessionBinding(FlexibleBind(sessionReason: 1)) : SessionBinding(partition: partition)
    }
}
