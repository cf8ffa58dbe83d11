import ClientKit
import Foundation

#if canImport(DisplaylessUI)
    import DisplaylessUI
#else
    import Combine
    import SwiftUI
#endif

/// What `@ObservedResults` keeps while its view is in the tree. Belongs to the main thread.
final class ResultsStorage<Element: RealmFetchable>: ObservableObject {
    let objectWillChange = ObservableObjectPublisher()
    private(set) lazy var query = ViewedQuery<Results<Element>>(
        isSame: { $0 == $1 }, watch: { $0.watch($1, changed: $2) },
        changed: { [unowned self] in objectWillChange.send() })
    /// Keeps the realm open.
    var realm: Realm?
    var settings: ResultsSettings<Element>?
    var search: ViewSearch?

    /// The opened realm of a configuration.
    func opened(_ configuration: Realm.Configuration) -> Realm {
        let opened = Realm.forView(configuration)
        realm = opened
        return opened
    }
}

/// What `@ObservedSectionedResults` keeps while its view is in the tree. Belongs to the main thread.
final class SectionsStorage<Key: _Persistable & Hashable, Element: RealmFetchable>: ObservableObject {
    let objectWillChange = ObservableObjectPublisher()
    private(set) lazy var query = ViewedQuery<SectionedResults<Key, Element>>(
        isSame: { $0.dividesSame(as: $1) }, watch: { $0.watch($1, changed: $2) },
        changed: { [unowned self] in objectWillChange.send() })
    var realm: Realm?
    var settings: ResultsSettings<Element>?
    var search: ViewSearch?
}

/// What `@ObservedRealmObject` and `@StateRealmObject` keep. Belongs to the main thread.
final class ObjectStorage<Value: _Viewable>: ObservableObject {
    let objectWillChange = ObservableObjectPublisher()
    private(set) lazy var viewed = ViewedValue<Value> { [unowned self] in objectWillChange.send() }
    /// What a `@StateRealmObject` began with.
    var own: Value?
}

/// What a search field asks for.
struct ViewSearch: Equatable {
    let path: String
    let text: String
}

/// Which objects, and in which order.
struct ResultsSettings<Element: RealmFetchable> {
    var filter: NSPredicate?
    var condition: ((Query<Element>) -> Query<Bool>)?
    var sortDescriptor: ClientKit.SortDescriptor?

    func results(_ realm: Realm, search: ViewSearch?) -> Results<Element> {
        var results = realm.objects(Element.self)
        if let filter { results = results.filter(filter) }
        if let condition { results = results.where(condition) }
        if let search { results = results.filter("\(search.path) CONTAINS[c] %@", search.text) }
        if let sortDescriptor { results = results.sorted(by: [sortDescriptor]) }
        return results
    }
}
