/// What a client shall do about an error (P-81).
package enum ErrorAction: String, Hashable, Sendable, CaseIterable {
    case protocolViolation = "ProtocolViolation"
    case applicationBug = "ApplicationBug"
    case warning = "Warning"
    case transient = "Transient"
    case deleteRealm = "DeleteRealm"
    case clientReset = "ClientReset"
    case clientResetNoRecovery = "ClientResetNoRecovery"
    case migrateToFlexible = "MigrateToFLX"
    case revertToPartition = "RevertToPBS"
    case refreshUser = "RefreshUser"
    case refreshLocation = "RefreshLocation"
    case logOutUser = "LogOutUser"
    case migrateSchema = "MigrateSchema"

    /// An unknown word is the application's fault.
    package init(word: String) { self = ErrorAction(rawValue: word) ?? .applicationBug }
}
