import Model
import Store

extension ChangeRecorder {
    enum SetChange {
        case insert(ListElement)
        case erase(ListElement)
        case clear
    }

    /// Records a change of a set, whose present elements `stored` gives when this transaction hasn't touched it yet.
    func change(
        _ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn, _ change: SetChange,
        stored: () -> [ListElement]
    ) {
        let (overlay, row) = row(info, key)
        let slot = overlay.loadList(row, column, stored)
        let place = place(overlay, row, column)
        let target = column.property.target.flatMap { info.core.storedInfo(named: $0) }
        func position(_ element: ListElement) -> (index: Int, isThere: Bool) {
            let elements = overlay.lists[slot, default: []]
            return RealmCore.place(of: element, among: elements.count) { elements[$0] }
        }
        switch change {
        case .insert(let element):
            let (index, isThere) = position(element)
            if isThere { return }
            withPayload(element, target: target) { payload, writer in
                writer.setInsert(place.object, place.property, path: place.steps, payload: payload)
            }
            overlay.lists[slot]?.insert(element, at: index)
            if case .link(let linked) = element, let target { noteLink(target, linked, info, column, key) }
            noteLinks(in: element, info, column, key)
        case .erase(let element):
            let (index, isThere) = position(element)
            guard isThere else { return }
            withPayload(element, target: target) { payload, writer in
                writer.setErase(place.object, place.property, path: place.steps, payload: payload)
            }
            overlay.lists[slot]?.remove(at: index)
        case .clear:
            guard overlay.lists[slot]?.isEmpty == false else { return }
            writer.clear(place.object, place.property, path: place.steps, .set)
            overlay.lists[slot] = []
        }
        changeCount &+= 1
    }
}
