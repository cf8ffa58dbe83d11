import Foundation

/// What is done when the server doesn't know a realm's history any more, and its data must be fetched anew.
public enum ClientResetMode: Sendable {
    /// Local changes that the server hasn't got are done once more on its state. `.manual` if that isn't possible.
    case recoverUnsyncedChanges(
        beforeReset: (@Sendable (_ before: Realm) -> Void)? = nil,
        afterReset: (@Sendable (_ before: Realm, _ after: Realm) -> Void)? = nil)
    /// Local changes that the server hasn't got are lost.
    case discardUnsyncedChanges(
        beforeReset: (@Sendable (_ before: Realm) -> Void)? = nil,
        afterReset: (@Sendable (_ before: Realm, _ after: Realm) -> Void)? = nil)
    /// The first of these that is possible.
    case recoverOrDiscardUnsyncedChanges(
        beforeReset: (@Sendable (_ before: Realm) -> Void)? = nil,
        afterReset: (@Sendable (_ before: Realm, _ after: Realm) -> Void)? = nil)
    /// The app is told, by the handler or else by the sync manager's, and does it.
    case manual(errorHandler: ErrorReportingBlock? = nil)

    @available(*, deprecated, message: "Use discardUnsyncedChanges")
    public static func discardLocal(
        _ beforeReset: (@Sendable (_ before: Realm) -> Void)? = nil,
        _ afterReset: (@Sendable (_ before: Realm, _ after: Realm) -> Void)? = nil
    ) -> ClientResetMode {
        .discardUnsyncedChanges(beforeReset: beforeReset, afterReset: afterReset)
    }
}

/// What a realm of flexible sync subscribes to by itself.
public struct InitialSubscriptionsConfiguration: Sendable {
    /// Adds subscriptions to the set.
    public let callback: @Sendable (SyncSubscriptionSet) -> Void
    /// Whether it is called whenever a process opens the realm first, and not only for a realm that has had no subscriptions
    /// yet.
    public let rerunOnOpen: Bool

    init(callback: @escaping @Sendable (SyncSubscriptionSet) -> Void, rerunOnOpen: Bool) {
        self.callback = callback
        self.rerunOnOpen = rerunOnOpen
    }
}

/// Whose data a synced realm holds, and which. Made by `User.configuration(…)`.
@frozen
public struct SyncConfiguration: Sendable {
    /// Who syncs it.
    public let user: User
    /// Which partition it holds; nil for flexible sync.
    public let partitionValue: AnyBSON?
    public let clientResetMode: ClientResetMode
    /// Whether opening it asynchronously fails where it would otherwise wait for a better connection.
    public let cancelAsyncOpenOnNonFatalErrors: Bool
    /// With flexible sync: what is subscribed to as the realm is opened first.
    public let initialSubscriptions: InitialSubscriptionsConfiguration?

    init(
        user: User, partitionValue: AnyBSON?, clientResetMode: ClientResetMode, cancelAsyncOpenOnNonFatalErrors: Bool,
        initialSubscriptions: InitialSubscriptionsConfiguration? = nil
    ) {
        self.user = user
        self.partitionValue = partitionValue
        self.clientResetMode = clientResetMode
        self.cancelAsyncOpenOnNonFatalErrors = cancelAsyncOpenOnNonFatalErrors
        self.initialSubscriptions = initialSubscriptions
    }

    /// The partition's value as it travels (P-42); nil for flexible sync.
    var partitionText: String? {
        switch partitionValue {
        case .int32(let value)?: ExtendedJSON.text(.int64(Int64(value)))
        case let value?: ExtendedJSON.text(value)
        case nil: nil
        }
    }

    /// Where a copy of the realm goes if it is reset by hand.
    var recoveryDirectory: String {
        let base = Realm.Configuration.standardURL.deletingLastPathComponent()
        return SyncedFileName.recoveryDirectory(app: user.app.appId, in: base).path
    }
}
