import Foundation

extension User {
    /// The configuration of the realm that holds one partition of the app's data: strings, integers, object ids, UUIDs and
    /// null name partitions; any other value is a mistake.
    public func configuration<T: BSON>(
        partitionValue: T, clientResetMode: ClientResetMode = .recoverUnsyncedChanges(),
        cancelAsyncOpenOnNonFatalErrors: Bool = false
    ) -> Realm.Configuration {
        configuration(
            partitionValue: AnyBSON(partitionValue), clientResetMode: clientResetMode,
            cancelAsyncOpenOnNonFatalErrors: cancelAsyncOpenOnNonFatalErrors)
    }

    /// As the form for values of one type.
    public func configuration(
        partitionValue: AnyBSON, clientResetMode: ClientResetMode = .recoverUnsyncedChanges(),
        cancelAsyncOpenOnNonFatalErrors: Bool = false
    ) -> Realm.Configuration {
        guard let name = SyncedFileName.partition(partitionValue) else { fail(.partitionType("\(partitionValue)")) }
        return configuration(
            name,
            SyncConfiguration(
                user: self, partitionValue: partitionValue, clientResetMode: clientResetMode,
                cancelAsyncOpenOnNonFatalErrors: cancelAsyncOpenOnNonFatalErrors))
    }

    /// The configuration of the realm that holds what the user subscribes to: one for each user, unless the path is
    /// changed.
    public func flexibleSyncConfiguration(
        clientResetMode: ClientResetMode = .recoverUnsyncedChanges(), cancelAsyncOpenOnNonFatalErrors: Bool = false
    ) -> Realm.Configuration {
        configuration(
            SyncedFileName.flexible,
            SyncConfiguration(
                user: self, partitionValue: nil, clientResetMode: clientResetMode,
                cancelAsyncOpenOnNonFatalErrors: cancelAsyncOpenOnNonFatalErrors))
    }

    /// As above, with what is subscribed to from the beginning.
    ///
    /// - Parameters:
    ///   - initialSubscriptions: adds subscriptions, when the realm is opened for the first time on this machine: once,
    ///     however many processes open it. It runs in an update. Opening with a download waits for their objects.
    ///   - rerunOnOpen: it is called by each process that opens the realm, too; it must look for what is there already.
    public func flexibleSyncConfiguration(
        clientResetMode: ClientResetMode = .recoverUnsyncedChanges(), cancelAsyncOpenOnNonFatalErrors: Bool = false,
        initialSubscriptions: @escaping @Sendable (SyncSubscriptionSet) -> Void, rerunOnOpen: Bool = false
    ) -> Realm.Configuration {
        configuration(
            SyncedFileName.flexible,
            SyncConfiguration(
                user: self, partitionValue: nil, clientResetMode: clientResetMode,
                cancelAsyncOpenOnNonFatalErrors: cancelAsyncOpenOnNonFatalErrors,
                initialSubscriptions: InitialSubscriptionsConfiguration(
                    callback: initialSubscriptions, rerunOnOpen: rerunOnOpen)))
    }

    private func configuration(_ name: String, _ sync: SyncConfiguration) -> Realm.Configuration {
        let base = Realm.Configuration.standardURL.deletingLastPathComponent()
        return Realm.Configuration(
            fileURL: SyncedFileName.url(name, of: id, app: app.appId, in: base), syncConfiguration: sync)
    }
}
