import Model
import Store

extension ObjectWriter {
    /// How deep lists and dictionaries may lie in one another (LM-03).
    static let nestingLimit = 100

    /// What a Mixed holds, as an element. Unmanaged objects become managed; collections are copied.
    func mixedElement(of stored: _StoredValue, update: Realm.UpdatePolicy, depth: Int) -> ListElement {
        switch stored.content {
        case .value(let value): return .value(value)
        case .object(let object):
            let key = add(object, update: update, isNested: true)
            guard let info = object._rlmModel?.info else { fail(.classNotManaged(type(of: object).className())) }
            return .object(info.table.id, core.settled(info, key))
        case .nested(let collection):
            if depth == Self.nestingLimit {
                fail(Mistake("Collections in an AnyRealmValue are nested deeper than \(Self.nestingLimit) levels."))
            }
            let elements = collection.presentElements.map { mixedElement(of: $0, update: update, depth: depth + 1) }
            guard let map = collection as? any PersistedDictionary else { return .list(elements) }
            let keys = map.anyEntries.map(\.key)
            for key in keys { checkMapKey(key) }
            return .dictionary(keys, elements)
        }
    }
}
