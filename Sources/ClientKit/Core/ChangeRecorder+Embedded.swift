import Model
import Store

// Embedded objects have no keys of their own in instructions: a path leads to them from the object that they are part
// of, whose property, list element or map key holds them.
extension ChangeRecorder {
    /// Where a property of an object is, for an instruction.
    func place(_ overlay: ClassOverlay, _ row: Int, _ column: StoredColumn) -> WritePlace {
        if overlay.isEmbedded {
            let name = writer.intern(column.property.name)
            return place(ofEmbedded: overlay.info, overlay.rows[row].key).appending(.name(name))
        }
        return WritePlace(object: overlay.encoded(row), property: overlay.property(column.slot, &writer))
    }

    private func place(ofEmbedded info: ClassInfo, _ key: ObjectKey) -> WritePlace {
        guard let holder = holder(of: info, key) else {
            preconditionFailure("embedded object \(key.raw) of class '\(info.name)' is part of nothing")
        }
        let (overlay, row) = row(holder.info, holder.key)
        let place = place(overlay, row, holder.column)
        guard holder.column.property.collection != .single, let index = info.core.position(of: key, in: holder) else {
            return place
        }
        guard holder.column.property.collection == .dictionary else { return place.appending(.index(UInt32(index))) }
        let name = info.core.mapKeys(holder.info, holder.key, holder.column)[index]
        return place.appending(.name(writer.intern(name)))
    }

    /// The property that holds an embedded object; nil if it isn't there any more.
    func holder(of info: ClassInfo, _ key: ObjectKey) -> LinkOrigin? {
        if let holder = overlay(info)?.holders[key] { return holder }
        guard let link = info.reader.incomingLinks(to: key).first, let origin = info.core.storedInfo(link.table),
            let column = origin.table.columns.first(where: { $0.id == link.column })
        else { return nil }
        return LinkOrigin(info: origin, column: column, key: link.object)
    }

    /// Records the creation of an embedded object in a slot that holds none. It gets the key that the agent will give.
    func createEmbedded(_ target: ClassInfo, in holder: LinkOrigin, _ slot: RealmCore.ObjectSlot)
        -> ObjectKey
    {
        let part = madeOverlay(target)
        let key = part.rows[part.addNew(.null, reserved: nil)].key
        part.holders[key] = holder
        let (overlay, row) = row(holder.info, holder.key)
        let place = place(overlay, row, holder.column)
        switch slot {
        case .property:
            if place.steps.isEmpty {
                writer.update(place.object, place.property, payload: .embeddedObject)
            } else {
                writer.update(place.object, place.property, path: place.steps, payload: .embeddedObject)
            }
            overlay.cells.set(row, holder.column.slot, UInt64(bitPattern: key.raw))
        case .insert(let index), .replace(let index):
            let lists = overlay.loadList(row, holder.column) {
                holder.info.reader.list(holder.key, holder.column).elements(of: holder.column)
            }
            writer.arrayInsert(
                place.object, place.property, path: place.appending(.index(UInt32(index))).steps,
                payload: .embeddedObject, priorSize: UInt32(overlay.lists[lists]?.count ?? 0))
            overlay.lists[lists]?.insert(.link(key), at: index)
        case .entry(let name):
            // C-116: whoever merges this sees that the object is another one.
            let steps = place.appending(.name(writer.intern(name))).steps
            writer.update(place.object, place.property, path: steps, payload: .erased)
            writer.update(place.object, place.property, path: steps, payload: .embeddedObject)
            let slot = overlay.loadMap(row, holder.column) {
                let core = holder.info.core
                return (
                    core.mapKeys(holder.info, holder.key, holder.column),
                    core.listCells(holder.info, holder.key, holder.column)
                )
            }
            overlay.put(.link(key), forKey: name, slot)
        }
        noteLink(target, key, holder.info, holder.column, holder.key)
        changeCount &+= 1
        return key
    }

    /// Notes that an embedded object is gone with its slot: nothing is to be recorded for it (C-121).
    func forgetEmbedded(_ info: ClassInfo, _ key: ObjectKey) {
        let (overlay, row) = row(info, key)
        overlay.markDeleted(row)
        changeCount &+= 1
    }
}
