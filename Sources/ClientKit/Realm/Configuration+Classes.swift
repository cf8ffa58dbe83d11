import Model

extension Realm.Configuration {
    /// The classes to open with.
    func classes() throws -> RealmSchema {
        describedClasses?.schema ?? RealmSchema([])
    }
}
