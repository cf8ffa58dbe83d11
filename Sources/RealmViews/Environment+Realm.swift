import ClientKit

#if canImport(DisplaylessUI)
    import DisplaylessUI
#else
    import SwiftUI
#endif

private struct RealmConfigurationKey: EnvironmentKey {
    static var defaultValue: Realm.Configuration { .defaultConfiguration }
}

extension EnvironmentValues {
    /// What the property wrappers of the views below open, unless they say otherwise. By default
    /// `Realm.Configuration.defaultConfiguration`.
    public var realmConfiguration: Realm.Configuration {
        get { self[RealmConfigurationKey.self] }
        set { self[RealmConfigurationKey.self] = newValue }
    }

    /// The realm of `realmConfiguration`: opened when it is read. Setting it sets the configuration.
    public var realm: Realm {
        get { .forView(realmConfiguration) }
        set { realmConfiguration = newValue.configuration }
    }
}
