extension Realm {
    /// The realm's exchange with its server; nil for local realms.
    public var syncSession: SyncSession? { core.coordinator.syncSession }
}
