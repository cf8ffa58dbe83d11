import Model
import Store

extension ChangeRecorder {
    enum MapChange {
        case set(key: String, ListElement)
        case remove(key: String)
        case clear
    }

    /// The keys of a dictionary as this transaction has it, in the order of their bytes; nil: as the file has it. The
    /// values are what `list` says.
    func mapKeys(_ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn) -> [String]? {
        guard let overlay = overlay(info), let row = overlay.row(of: key) else { return nil }
        if let keys = overlay.mapKeys[.init(row: Int32(row), slot: Int32(column.slot))] { return keys }
        return overlay.rows[row].isNew ? [] : nil
    }

    /// Records a change of a dictionary, whose present entries `stored` gives when this transaction hasn't touched it.
    func change(
        _ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn, _ change: MapChange,
        stored: () -> (keys: [String], values: [ListElement])
    ) {
        let (overlay, row) = row(info, key)
        let slot = overlay.loadMap(row, column, stored)
        let place = place(overlay, row, column)
        let target = column.property.target.flatMap { info.core.storedInfo(named: $0) }
        switch change {
        case .set(let name, let element):
            let steps = place.appending(.name(writer.intern(name))).steps
            withPayload(element, target: target) { payload, writer in
                writer.update(place.object, place.property, path: steps, payload: payload)
            }
            overlay.put(element, forKey: name, slot)
            if case .link(let linked) = element, let target { noteLink(target, linked, info, column, key) }
        case .remove(let name):
            let (index, isThere) = overlay.mapKeys[slot, default: []].placeInByteOrder(of: name)
            guard isThere else { return }
            let steps = place.appending(.name(writer.intern(name))).steps
            writer.update(place.object, place.property, path: steps, payload: .erased)
            overlay.mapKeys[slot]?.remove(at: index)
            overlay.lists[slot]?.remove(at: index)
        case .clear:
            guard overlay.mapKeys[slot]?.isEmpty == false else { return }
            writer.clear(place.object, place.property, path: place.steps, .dictionary)
            overlay.mapKeys[slot] = []
            overlay.lists[slot] = []
        }
        changeCount &+= 1
    }
}

extension ClassOverlay {
    /// Where a list or set is kept, which `stored` gives when this transaction hasn't touched it yet.
    func loadList(_ row: Int, _ column: StoredColumn, _ stored: () -> [ListElement]) -> ListSlot {
        let slot = ListSlot(row: Int32(row), slot: Int32(column.slot))
        if lists[slot] == nil { lists[slot] = rows[row].isNew ? [] : stored() }
        return slot
    }

    /// Where a dictionary is kept, whose entries `stored` gives when this transaction hasn't touched it yet.
    func loadMap(
        _ row: Int, _ column: StoredColumn, _ stored: () -> (keys: [String], values: [ListElement])
    ) -> ListSlot {
        let slot = ListSlot(row: Int32(row), slot: Int32(column.slot))
        if mapKeys[slot] == nil {
            let (keys, values) = rows[row].isNew ? ([], []) : stored()
            mapKeys[slot] = keys
            lists[slot] = values
        }
        return slot
    }

    /// Gives a key of a dictionary that is loaded a value.
    func put(_ element: ListElement, forKey name: String, _ slot: ListSlot) {
        let (index, isThere) = mapKeys[slot, default: []].placeInByteOrder(of: name)
        if isThere {
            lists[slot]?[index] = element
        } else {
            mapKeys[slot]?.insert(name, at: index)
            lists[slot]?.insert(element, at: index)
        }
    }
}
