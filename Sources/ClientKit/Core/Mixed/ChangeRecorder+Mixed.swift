import Model
import Store

extension ChangeRecorder {
    /// What is done to a place in a property of mixed values: the property itself, or a list or dictionary.
    enum MixedChange {
        case assign(ListElement, isDefault: Bool)
        case insert(at: Int, ListElement)
        case set(at: Int, ListElement)
        case erase(at: Int)
        case move(from: Int, to: Int)
        case put(key: String, ListElement)
        case remove(key: String)
        case clear
    }

    /// A property of mixed values as this transaction has it; nil: as the file has it.
    func mixedTree(_ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn) -> ListElement? {
        guard let overlay = overlay(info), let row = overlay.row(of: key) else { return nil }
        let slot = ClassOverlay.ListSlot(row: Int32(row), slot: Int32(column.slot))
        switch column.property.collection {
        case .single:
            if let tree = overlay.mixed[slot] { return tree }
            return overlay.rows[row].isNew ? .null : nil
        case .list, .set: return list(info, key, column).map { .list($0) }
        case .dictionary:
            guard let keys = mapKeys(info, key, column) else { return nil }
            return .dictionary(keys, list(info, key, column) ?? [])
        }
    }

    private func keep(_ tree: ListElement, _ overlay: ClassOverlay, _ row: Int, _ column: StoredColumn) {
        let slot = ClassOverlay.ListSlot(row: Int32(row), slot: Int32(column.slot))
        switch (column.property.collection, tree) {
        case (.single, _):
            overlay.mixed[slot] = tree
            // Tells that the file's value doesn't count.
            overlay.cells.set(row, column.slot, 0)
        case (.dictionary, .dictionary(let keys, let values)):
            overlay.mapKeys[slot] = keys
            overlay.lists[slot] = values
        case (_, .list(let elements)): overlay.lists[slot] = elements
        default: preconditionFailure("'\(column.property.name)' holds no \(tree)")
        }
    }

    /// Records a change of a property of mixed values, which `stored` gives when this transaction hasn't touched it yet.
    func change(
        _ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn, _ steps: [MixedStep], _ change: MixedChange,
        stored: () -> ListElement
    ) {
        let present = mixedTree(info, key, column) ?? stored()
        let (overlay, row) = row(info, key)
        var place = place(overlay, row, column)
        for step in steps { place = place.appending(raw(step)) }
        var tree = present
        tree.change(at: steps[...]) { node in
            let isProperty = steps.isEmpty && column.property.collection != .single
            record(change, at: place, on: &node, isProperty: isProperty)
        }
        keep(tree, overlay, row, column)
        noteLinks(in: change, info, column, key)
        changeCount &+= 1
    }

    private func raw(_ step: MixedStep) -> RawStep {
        switch step {
        case .index(let index): .index(UInt32(index))
        case .key(let key): .name(writer.intern(key))
        }
    }

    private func record(_ change: MixedChange, at place: WritePlace, on node: inout ListElement, isProperty: Bool) {
        switch (change, node) {
        case (.assign(let element, let isDefault), _):
            assign(element, over: node, at: place) { place, payload, writer in
                if place.steps.isEmpty {
                    writer.update(place.object, place.property, payload: payload, isDefault: isDefault)
                } else {
                    writer.update(
                        place.object, place.property, path: place.steps, payload: payload, isDefault: isDefault)
                }
            }
            node = element
        case (.insert(let index, let element), .list(var elements)):
            insert(element, at: place, index, prior: elements.count)
            elements.insert(element, at: index)
            node = .list(elements)
        case (.set(let index, let element), .list(var elements)):
            let prior = UInt32(elements.count)
            assign(element, over: elements[index], at: place.appending(.index(UInt32(index)))) {
                place, payload, writer in
                writer.updateElement(
                    place.object, place.property, path: place.steps, payload: payload, priorSize: prior)
            }
            elements[index] = element
            node = .list(elements)
        case (.erase(let index), .list(var elements)):
            erase(at: place, index, prior: elements.count)
            elements.remove(at: index)
            node = .list(elements)
        case (.move(let from, let to), .list(var elements)):
            let element = elements.remove(at: from)
            if element.kind == .single {
                writer.arrayMove(
                    place.object, place.property, path: place.appending(.index(UInt32(from))).steps, to: UInt32(to),
                    priorSize: UInt32(elements.count + 1))
            } else {
                // C-172: other readers lose the contents of a collection that moves.
                erase(at: place, from, prior: elements.count + 1)
                insert(element, at: place, to, prior: elements.count)
            }
            elements.insert(element, at: to)
            node = .list(elements)
        case (.put(let key, let element), .dictionary(var keys, var values)):
            let (index, isThere) = keys.placeInByteOrder(of: key)
            put(element, over: isThere ? values[index] : .null, at: place, key)
            if isThere {
                values[index] = element
            } else {
                keys.insert(key, at: index)
                values.insert(element, at: index)
            }
            node = .dictionary(keys, values)
        case (.remove(let key), .dictionary(var keys, var values)):
            let (index, isThere) = keys.placeInByteOrder(of: key)
            guard isThere else { return }
            let entry = place.appending(.name(writer.intern(key)))
            clearNested(values[index], at: entry)
            writer.update(entry.object, entry.property, path: entry.steps, payload: .erased)
            keys.remove(at: index)
            values.remove(at: index)
            node = .dictionary(keys, values)
        case (.clear, .list(let elements)):
            // C-100, C-101: what is empty already is cleared too if it lies inside a Mixed.
            if elements.isEmpty, isProperty { return }
            writer.clear(place.object, place.property, path: place.steps, .list)
            node = .list([])
        case (.clear, .dictionary(let keys, _)):
            if keys.isEmpty, isProperty { return }
            writer.clear(place.object, place.property, path: place.steps, .dictionary)
            node = .dictionary([], [])
        default: preconditionFailure("\(change) does not apply to \(node)")
        }
    }

    private func insert(_ element: ListElement, at place: WritePlace, _ index: Int, prior: Int) {
        let slot = place.appending(.index(UInt32(index)))
        withPayload(element, target: nil) { payload, writer in
            writer.arrayInsert(
                slot.object, slot.property, path: slot.steps, payload: payload, priorSize: UInt32(prior))
        }
        writeContents(of: element, at: slot)
    }

    private func erase(at place: WritePlace, _ index: Int, prior: Int) {
        writer.arrayErase(
            place.object, place.property, path: place.appending(.index(UInt32(index))).steps, priorSize: UInt32(prior))
    }

    private func put(_ element: ListElement, over present: ListElement, at place: WritePlace, _ key: String) {
        assign(element, over: present, at: place.appending(.name(writer.intern(key)))) { place, payload, writer in
            writer.update(place.object, place.property, path: place.steps, payload: payload)
        }
    }

    /// Puts something in a slot, whose present content may be a collection.
    private func assign(
        _ element: ListElement, over present: ListElement, at slot: WritePlace,
        _ write: (WritePlace, RawPayload, inout ChangesetWriter) -> Void
    ) {
        let isSameKind = element.kind != .single && element.kind == present.kind
        // C-169: whoever merges this sees that the contents go.
        if !isSameKind { clearNested(present, at: slot) }
        withPayload(element, target: nil) { payload, writer in write(slot, payload, &writer) }
        if isSameKind { clearNested(present, at: slot) }
        writeContents(of: element, at: slot)
    }

    private func clearNested(_ present: ListElement, at slot: WritePlace) {
        guard present.kind != .single else { return }
        writer.clear(slot.object, slot.property, path: slot.steps, present.kind)
    }

    /// C-118: collections are announced before their contents.
    private func writeContents(of element: ListElement, at slot: WritePlace) {
        switch element {
        case .list(let elements):
            for (index, element) in elements.enumerated() { insert(element, at: slot, index, prior: index) }
        case .dictionary(let keys, let values):
            for (key, value) in zip(keys, values) { put(value, over: .null, at: slot, key) }
        default: break
        }
    }

    private func noteLinks(in change: MixedChange, _ info: ClassInfo, _ column: StoredColumn, _ key: ObjectKey) {
        switch change {
        case .assign(let element, _), .insert(_, let element), .set(_, let element), .put(_, let element):
            noteLinks(in: element, info, column, key)
        case .erase, .move, .remove, .clear: break
        }
    }

    func noteLinks(in element: ListElement, _ info: ClassInfo, _ column: StoredColumn, _ key: ObjectKey) {
        switch element {
        case .object(let table, let target):
            if let targetInfo = info.core.storedInfo(table) { noteLink(targetInfo, target, info, column, key) }
        case .list(let elements), .dictionary(_, let elements):
            for element in elements { noteLinks(in: element, info, column, key) }
        case .value, .link: break
        }
    }
}
