import ClientKit
import Foundation

#if canImport(DisplaylessUI)
    import DisplaylessUI
#else
    import SwiftUI
#endif

/// The objects of a class in sections, in a view: the view is evaluated again when they change. See `ObservedResults`.
///
/// ```swift
/// @ObservedSectionedResults(Dog.self, sectionKeyPath: \.breed) var breeds
/// ```
@MainActor @preconcurrency @propertyWrapper
public struct ObservedSectionedResults<Key: _Persistable & Hashable, ResultType>: DynamicProperty
where ResultType: RealmFetchable & Identifiable & ThreadConfined & _KeyPathRoot {
    @Environment(\.realmConfiguration) private var environmentConfiguration
    @StateObject private var storage = SectionsStorage<Key, ResultType>()
    private let configuration: Realm.Configuration?
    private let keyPaths: [String]?
    private let settings: ResultsSettings<ResultType>
    private let sectioned: (Results<ResultType>) -> SectionedResults<Key, ResultType>

    private init(
        _ settings: ResultsSettings<ResultType>, _ configuration: Realm.Configuration?, _ keyPaths: [String]?,
        _ sectioned: @escaping (Results<ResultType>) -> SectionedResults<Key, ResultType>
    ) {
        self.settings = settings
        self.configuration = configuration
        self.keyPaths = keyPaths
        self.sectioned = sectioned
    }

    /// Sections by a property. Sorted by it too if there are no sort descriptors; else the first must be of it.
    public init(
        _ type: ResultType.Type, sectionKeyPath: KeyPath<ResultType, Key>,
        sortDescriptors: [ClientKit.SortDescriptor] = [],
        filter: NSPredicate? = nil, keyPaths: [String]? = nil, configuration: Realm.Configuration? = nil
    ) {
        self.init(ResultsSettings(filter: filter), configuration, keyPaths) {
            Self.divided($0, sectionKeyPath, sortDescriptors)
        }
    }

    public init(
        _ type: ResultType.Type, sectionKeyPath: KeyPath<ResultType, Key>,
        sortDescriptors: [ClientKit.SortDescriptor] = [],
        where: ((Query<ResultType>) -> Query<Bool>)?, keyPaths: [String]? = nil,
        configuration: Realm.Configuration? = nil
    ) {
        self.init(ResultsSettings(condition: `where`), configuration, keyPaths) {
            Self.divided($0, sectionKeyPath, sortDescriptors)
        }
    }

    /// Sections by what a block says of each object: always the same of the same object.
    public init(
        _ type: ResultType.Type, sectionBlock: @escaping (ResultType) -> Key,
        sortDescriptors: [ClientKit.SortDescriptor],
        filter: NSPredicate? = nil, keyPaths: [String]? = nil, configuration: Realm.Configuration? = nil
    ) {
        self.init(ResultsSettings(filter: filter), configuration, keyPaths) {
            $0.sectioned(by: sectionBlock, sortDescriptors: sortDescriptors)
        }
    }

    public init(
        _ type: ResultType.Type, sectionBlock: @escaping (ResultType) -> Key,
        sortDescriptors: [ClientKit.SortDescriptor],
        where: ((Query<ResultType>) -> Query<Bool>)?, keyPaths: [String]? = nil,
        configuration: Realm.Configuration? = nil
    ) {
        self.init(ResultsSettings(condition: `where`), configuration, keyPaths) {
            $0.sectioned(by: sectionBlock, sortDescriptors: sortDescriptors)
        }
    }

    private static func divided(
        _ results: Results<ResultType>, _ keyPath: KeyPath<ResultType, Key>,
        _ sortDescriptors: [ClientKit.SortDescriptor]
    ) -> SectionedResults<Key, ResultType> {
        sortDescriptors.isEmpty
            ? results.sectioned(by: keyPath) : results.sectioned(by: keyPath, sortDescriptors: sortDescriptors)
    }

    /// The sections as they are now, frozen.
    public var wrappedValue: SectionedResults<Key, ResultType> {
        let realm = Realm.forView(configuration ?? environmentConfiguration)
        storage.realm = realm
        let asked = (storage.settings ?? settings).results(realm, search: storage.search)
        return storage.query.current(sectioned(asked), keyPaths: keyPaths)
    }

    /// The sections for changes: `$breeds.remove(atOffsets: offsets, section: section)`.
    public var projectedValue: Self { self }

    /// Which objects; nil for all. Setting it replaces `where` as well.
    public var filter: NSPredicate? {
        get { (storage.settings ?? settings).filter }
        nonmutating set { change(ResultsSettings(filter: newValue)) }
    }

    /// Which objects; nil for all. Setting it replaces `filter` as well.
    public var `where`: ((Query<ResultType>) -> Query<Bool>)? {
        get { (storage.settings ?? settings).condition }
        nonmutating set { change(ResultsSettings(condition: newValue)) }
    }

    private func change(_ settings: ResultsSettings<ResultType>) {
        storage.objectWillChange.send()
        storage.settings = settings
    }

    /// Shows only what a search has found; nil for all.
    func search(_ search: ViewSearch?) {
        if storage.search != search { storage.search = search }
    }
}

extension ObservedSectionedResults where ResultType: Object {
    /// Deletes the objects at some positions of a section, in a transaction of its own.
    public func remove(atOffsets offsets: IndexSet, section: ResultsSection<Key, ResultType>) {
        let objects = offsets.map { section[$0] }
        let realm = Realm.forView(configuration ?? environmentConfiguration)
        realm.implicitly {
            for object in objects {
                if let live = object.thaw() { realm.delete(live) }
            }
        }
    }
}
