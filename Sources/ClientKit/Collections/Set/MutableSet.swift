import Foundation
import Model
import Query
import Store

/// Values or objects, each once, as a property or by itself. A reference type: the set of a managed object is the
/// property, and its changes need a write transaction. The order is not the one of insertion, and stays between writes.
///
/// ```swift
/// class Person: Object {
///     @Persisted var friends: MutableSet<Person>
///     @Persisted var nicknames: MutableSet<String>
/// }
/// ```
public final class MutableSet<Element: RealmCollectionValue>: RealmCollection {
    var place: CollectionPlace?
    /// Elements of an unmanaged set, in the order in which they came.
    var contents: [Element] = []
    private var members: Set<SetMember> = []

    /// An empty set that belongs to no realm.
    public init() {}

    init(_ place: CollectionPlace) {
        self.place = place
    }

    public var _rlmState: _CollectionState? { place.map { checked($0).state } }
    public var _rlmUnmanaged: [Element] { contents }

    public func _rlmMoved(to state: _CollectionState) -> MutableSet {
        guard let moved = place?.moved(to: state.core) else { return self }
        return MutableSet(moved)
    }

    /// Where a managed set is. Traps if the object it belongs to is gone.
    private func checked(_ place: CollectionPlace) -> CollectionPlace {
        let here = place.checked()
        self.place?.seen = here.seen
        return here
    }

    /// Where the set is, for a change; nil if it is unmanaged. Traps outside of a write transaction.
    private func writable(_ doing: String) -> CollectionPlace? {
        guard let place else { return nil }
        place.checkWrite(doing, "MutableSet")
        return checked(place)
    }

    // MARK: Reading

    public var count: Int {
        guard let place else { return contents.count }
        return checked(place).count
    }

    /// The element at a position of the present order.
    public subscript(position: Int) -> Element {
        let count = count
        if position < 0 || position >= count { fail(.indexOutOfBounds(position, count)) }
        guard let place else { return contents[position] }
        return .read(checked(place).stored(at: position))
    }

    public func makeIterator() -> RLMIterator<Element> {
        guard let place else { return RLMIterator(contents) }
        let here = checked(place)
        return here.column.property.type == .mixed
            ? RLMIterator(here.elements.map { .read($0) }) : RLMIterator(here.state)
    }

    public var realm: Realm? { place.map { Realm($0.core) } }

    public var isFrozen: Bool { place?.core.isFrozen ?? false }

    public var isInvalidated: Bool { place?.isInvalidated ?? false }

    /// Whether a value, or an object, is in the set.
    public func contains(_ element: Element) -> Bool {
        guard let place else { return members.contains(SetMember(element._rlmEncoded)) }
        let here = checked(place)
        guard let stored = here.known(element._rlmEncoded) else { return false }
        return here.core.setPlace(here.model.info, here.key, here.column, of: stored).isThere
    }

    /// Whether all elements are in another set, too.
    public func isSubset(of other: MutableSet<Element>) -> Bool { allSatisfy { other.contains($0) } }

    /// Whether an element is in another set, too.
    public func intersects(_ other: MutableSet<Element>) -> Bool { contains { other.contains($0) } }

    // MARK: Changing

    /// Adds an element, unless it is there. An unmanaged object becomes part of the set's realm.
    public func insert(_ element: Element) {
        guard let here = writable("insert into a set") else {
            if members.insert(SetMember(element._rlmEncoded)).inserted { contents.append(element) }
            return
        }
        here.core.setInsert(here.model.info, here.key, here.column, here.element(element))
    }

    /// Adds the elements of a sequence that aren't there.
    public func insert<S: Sequence>(objectsIn objects: S) where S.Element == Element {
        for object in Array(objects) { insert(object) }
    }

    /// Removes an element, if it is there; an object stays in its realm.
    public func remove(_ element: Element) {
        guard let here = writable("remove from a set") else {
            let member = SetMember(element._rlmEncoded)
            if members.remove(member) != nil { contents.removeAll { SetMember($0._rlmEncoded) == member } }
            return
        }
        guard let stored = here.known(element._rlmEncoded) else { return }
        here.core.setErase(here.model.info, here.key, here.column, stored)
    }

    /// Removes all elements.
    public func removeAll() {
        guard let here = writable("clear a set") else {
            contents = []
            members = []
            return
        }
        here.core.setClear(here.model.info, here.key, here.column)
    }

    /// Adds the elements of another set. A managed set takes managed ones of its realm only.
    public func formUnion(_ other: MutableSet<Element>) {
        for element in operand(other, "form the union of sets") { insert(element) }
    }

    /// Keeps the elements that are in another set, too.
    public func formIntersection(_ other: MutableSet<Element>) {
        let kept = Set(operand(other, "form the intersection of sets").map { SetMember($0._rlmEncoded) })
        for element in Array(self) where !kept.contains(SetMember(element._rlmEncoded)) { remove(element) }
    }

    /// Removes the elements that are in another set.
    public func subtract(_ other: MutableSet<Element>) {
        for element in operand(other, "subtract sets") { remove(element) }
    }

    /// The elements of the right side of an operation (MK-33).
    private func operand(_ other: MutableSet<Element>, _ doing: String) -> [Element] {
        if let here = writable(doing) {
            guard let there = other.place else {
                fail(Mistake("Cannot \(doing): the right side must be a managed Set as the left one is."))
            }
            if there.core !== here.core { fail(Mistake("Cannot \(doing) from different Realms.")) }
        }
        return Array(other)
    }

    func replaceUnmanaged(with elements: [Element]) {
        contents = []
        members = []
        for element in elements { insert(element) }
    }
}

/// An element as sets compare elements: values by value, objects by row.
enum SetMember: Hashable {
    case value(Model.Value)
    case row(ClassInfo, ObjectKey)
    case instance(ObjectIdentifier)

    init(_ stored: _StoredValue) {
        switch stored.content {
        case .value(let value): self = .value(value)
        case .nested(let collection): self = .instance(ObjectIdentifier(collection))
        case .object(let object):
            if let (info, key) = object._rlmManaged {
                self = .row(info, key)
            } else {
                self = .instance(ObjectIdentifier(object))
            }
        }
    }
}

// Sets are compared by identity: two accessors of one property are the same set.
extension MutableSet: Hashable {
    public static func == (a: MutableSet, b: MutableSet) -> Bool {
        guard let placeA = a.place, let placeB = b.place else { return a === b }
        return placeA.isSame(as: placeB)
    }

    public func hash(into hasher: inout Hasher) {
        guard let place else { return hasher.combine(ObjectIdentifier(self)) }
        place.hash(into: &hasher)
    }
}

extension MutableSet where Element: ObjectBase {
    /// The properties of the set's objects, as collections: `person.friends.projectTo.name`.
    public var projectTo: CollectionElementMapper<Element> {
        CollectionElementMapper(base: Projectable(base: self))
    }
}

// MARK: - Codable
extension MutableSet: Encodable where Element: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for element in self { try container.encode(element) }
    }
}

extension MutableSet: Decodable where Element: Decodable {
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd { insert(try container.decode(Element.self)) }
    }
}
