import Sync

/// What shall become of unsynced changes when a file can't go on with its server.
package enum ClientResetMode: String, Hashable, Sendable, CaseIterable {
    /// Nothing happens by itself.
    case manual
    /// They go.
    case discardUnsyncedChanges
    /// They are replayed on what the server has; if that fails, nothing happens by itself.
    case recoverUnsyncedChanges
    /// They are replayed; they go where that isn't allowed, or has been tried in vain.
    case recoverOrDiscardUnsyncedChanges

    /// The mode where the server's word allows it; `manual` if nothing can happen by itself. Migrations happen in
    /// whatever mode.
    func allowed(by action: ErrorAction) -> ClientResetMode {
        switch (action, self) {
        case (.migrateToFlexible, .manual), (.revertToPartition, .manual): .recoverOrDiscardUnsyncedChanges
        case (.clientResetNoRecovery, .recoverUnsyncedChanges): .manual
        case (.clientResetNoRecovery, .recoverOrDiscardUnsyncedChanges): .discardUnsyncedChanges
        default: self
        }
    }

    var recovers: Bool { self == .recoverUnsyncedChanges || self == .recoverOrDiscardUnsyncedChanges }
}
