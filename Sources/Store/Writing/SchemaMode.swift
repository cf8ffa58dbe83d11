/// What may happen to a file's schema when an app brings its own.
package enum SchemaMode: Sendable {
    /// Same version: only new classes and indexes. Higher version: every change. Lower version: refused.
    case automatic
    /// New classes, properties and indexes at any version; what the app doesn't list stays. For synced realms.
    case additive
    /// As `automatic`, but where that would refuse or migrate, all objects go and the schema is made anew.
    case deleteIfMigrationNeeded
}

/// What `WriteTransaction.ensureSchema` did.
package struct SchemaOutcome: Sendable {
    /// Whether anything was changed; if not, there is nothing to commit.
    package var isChanged = false
    /// The file's schema version before; nil when it had none.
    package var oldVersion: UInt64?
    /// Whether properties or classes that had been there were changed or removed.
    package var isMigrated = false
    /// Whether all objects were removed.
    package var isWiped = false
}
