import ClientKit
import Foundation

#if canImport(DisplaylessUI)
    import DisplaylessUI
#else
    import SwiftUI
#endif

/// The objects of a class, in a view: the view is evaluated again when they change.
///
/// ```swift
/// struct DogList: View {
///     @ObservedResults(Dog.self, sortDescriptor: SortDescriptor(keyPath: "name")) var dogs
///
///     var body: some View {
///         List {
///             ForEach(dogs) { dog in Text(dog.name) }
///                 .onDelete(perform: $dogs.remove)
///         }
///     }
/// }
/// ```
/// The realm is opened when the view is evaluated first: the one of `configuration`, else that of the environment's
/// `realmConfiguration`. Traps with the reason if it can't be opened (UI-06). The results are frozen.
@MainActor @preconcurrency @propertyWrapper
public struct ObservedResults<ResultType: RealmFetchable & Identifiable & ThreadConfined>: DynamicProperty,
    BoundCollection
{
    public typealias Value = Results<ResultType>
    public typealias Element = ResultType

    @Environment(\.realmConfiguration) private var environmentConfiguration
    @StateObject private var storage = ResultsStorage<ResultType>()
    private let configuration: Realm.Configuration?
    private let keyPaths: [String]?
    private let settings: ResultsSettings<ResultType>

    private init(_ settings: ResultsSettings<ResultType>, _ configuration: Realm.Configuration?, _ keyPaths: [String]?)
    {
        self.settings = settings
        self.configuration = configuration
        self.keyPaths = keyPaths
    }

    /// - Parameters:
    ///   - filter: which objects; nil for all.
    ///   - keyPaths: properties whose changes count; nil for all.
    public init(
        _ type: ResultType.Type, configuration: Realm.Configuration? = nil, filter: NSPredicate? = nil,
        keyPaths: [String]? = nil, sortDescriptor: ClientKit.SortDescriptor? = nil
    ) {
        self.init(ResultsSettings(filter: filter, sortDescriptor: sortDescriptor), configuration, keyPaths)
    }

    /// - Parameters:
    ///   - where: which objects, as in `Results.where`.
    ///   - keyPaths: properties whose changes count; nil for all.
    public init(
        _ type: ResultType.Type, configuration: Realm.Configuration? = nil,
        where: ((Query<ResultType>) -> Query<Bool>)?, keyPaths: [String]? = nil,
        sortDescriptor: ClientKit.SortDescriptor? = nil
    ) {
        self.init(ResultsSettings(condition: `where`, sortDescriptor: sortDescriptor), configuration, keyPaths)
    }

    public init(
        _ type: ResultType.Type, keyPaths: [String]? = nil, configuration: Realm.Configuration? = nil,
        sortDescriptor: ClientKit.SortDescriptor? = nil
    ) {
        self.init(ResultsSettings(sortDescriptor: sortDescriptor), configuration, keyPaths)
    }

    /// The objects as they are now, frozen.
    public var wrappedValue: Results<ResultType> {
        let realm = storage.opened(configuration ?? environmentConfiguration)
        let asked = (storage.settings ?? settings).results(realm, search: storage.search)
        return storage.query.current(asked, keyPaths: keyPaths)
    }

    /// The collection for changes: `$dogs.append(dog)`, `$dogs.remove(atOffsets: offsets)`.
    public var projectedValue: Self { self }

    // MARK: Settings

    /// Which objects; nil for all. Setting it replaces `where` as well.
    public var filter: NSPredicate? {
        get { (storage.settings ?? settings).filter }
        nonmutating set {
            change {
                $0.filter = newValue
                $0.condition = nil
            }
        }
    }

    /// Which objects; nil for all. Setting it replaces `filter` as well.
    public var `where`: ((Query<ResultType>) -> Query<Bool>)? {
        get { (storage.settings ?? settings).condition }
        nonmutating set {
            change {
                $0.condition = newValue
                $0.filter = nil
            }
        }
    }

    /// In which order; nil for the file's.
    public var sortDescriptor: ClientKit.SortDescriptor? {
        get { (storage.settings ?? settings).sortDescriptor }
        nonmutating set { change { $0.sortDescriptor = newValue } }
    }

    private func change(_ change: (inout ResultsSettings<ResultType>) -> Void) {
        storage.objectWillChange.send()
        var settings = storage.settings ?? settings
        change(&settings)
        storage.settings = settings
    }

    /// Shows only what a search has found; nil for all.
    func search(_ search: ViewSearch?) {
        if storage.search != search { storage.search = search }
    }

    // MARK: Changes

    private func write(_ block: (Realm) -> Void) {
        let realm = storage.opened(configuration ?? environmentConfiguration)
        realm.implicitly { block(realm) }
    }
}

extension ObservedResults where ResultType: Object {
    /// Adds an object in a transaction of its own.
    public func append(_ object: ResultType) {
        write { realm in
            if object.realm == nil { realm.add(object) }
        }
    }

    /// Deletes an object in a transaction of its own. Traps if it is of another realm.
    public func remove(_ object: ResultType) {
        write { realm in
            if object.realm != nil, let live = object.thaw() { realm.delete(live) }
        }
    }

    /// Deletes the objects at some positions in a transaction of its own.
    public func remove(atOffsets offsets: IndexSet) {
        let objects = wrappedValue.objects(at: offsets)
        write { realm in
            for object in objects {
                if let live = object.thaw() { realm.delete(live) }
            }
        }
    }
}

extension ObservedResults where ResultType: ProjectionObservable, ResultType.Root: Object {
    /// Deletes the objects that are projected at some positions, in a transaction of its own.
    public func remove(atOffsets offsets: IndexSet) {
        let objects = wrappedValue.objects(at: offsets)
        write { realm in
            for object in objects {
                if let live = object.thaw() { realm.delete(live.rootObject) }
            }
        }
    }
}
