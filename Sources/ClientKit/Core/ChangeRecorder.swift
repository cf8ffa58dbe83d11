import Foundation
import Model
import Store

/// What a write transaction has done so far: the instructions for the agent, and the overlay through which this
/// realm sees its own changes before they are in the file.
final class ChangeRecorder {
    @exclusivity(unchecked) var writer: ChangesetWriter
    @exclusivity(unchecked) private(set) var overlays: [TableId: ClassOverlay] = [:]
    @exclusivity(unchecked) private var lastOverlay: ClassOverlay?
    @exclusivity(unchecked) var changeCount: UInt64 = 0
    /// Bytes handed on, kept so that the transaction can be repeated after the agent was restarted.
    private var sent: [ChangesetPart] = []
    private var sentBytes = 0
    private(set) var isRepeatable = true
    /// Objects whose links were set in this transaction, by the object linked to: candidates for its backlinks.
    var newLinks: [LinkTarget: Set<LinkOrigin>] = [:]
    /// Whether the transaction has no write lock yet: it has created objects and nothing else.
    var isBlind: Bool

    init(isBlind: Bool = false) {
        self.isBlind = isBlind
        // Most are small, and freeing a large buffer gives memory back to the system, to be asked for again.
        writer = ChangesetWriter(layout: .streaming, capacity: 1 << 11)
    }

    struct LinkTarget: Hashable {
        let table: TableId
        let key: ObjectKey
    }

    struct LinkOrigin: Hashable {
        let info: ClassInfo
        let column: StoredColumn
        let key: ObjectKey
    }

    /// Recorded bytes go to the agent when there are so many, so that it applies while the app still records.
    static let partSize = 252 << 10
    /// Room for a part and what one more object adds, as a power of two.
    private static let partCapacity = 256 << 10
    /// A longer transaction isn't kept for repetition.
    static let repeatableBytes = 16 << 20

    var isEmpty: Bool { changeCount == 0 }
    var hasFullPart: Bool { writer.count >= Self.partSize }

    /// What was recorded since the last call.
    func takePart() -> ChangesetPart {
        let part = ChangesetPart(writer.takeStreamedBytes(capacity: Self.partCapacity))
        guard isRepeatable, !part.bytes.isEmpty else { return part }
        sentBytes += part.bytes.count
        if sentBytes > Self.repeatableBytes {
            isRepeatable = false
            sent = []
        } else {
            sent.append(part)
        }
        return part
    }

    /// As `takePart`, when nothing more will be recorded.
    func takeBytes() -> [UInt8] {
        let bytes = Array(writer.streamedBytes)
        _ = takePart()
        return bytes
    }

    /// Everything taken so far; nil when it was too much to keep.
    var repeatable: [[UInt8]]? { isRepeatable ? sent.map { Array($0.bytes) } : nil }

    // MARK: Overlays

    @inline(__always)
    func overlay(_ info: ClassInfo) -> ClassOverlay? {
        if let lastOverlay, lastOverlay.info === info { return lastOverlay }
        guard let overlay = overlays[info.table.id] else { return nil }
        lastOverlay = overlay
        return overlay
    }

    @inline(__always)
    func madeOverlay(_ info: ClassInfo) -> ClassOverlay {
        if let overlay = overlay(info) { return overlay }
        let overlay = ClassOverlay(info: info, target: writer.intern(info.name), in: isBlind ? nil : info.reader)
        overlays[info.table.id] = overlay
        lastOverlay = overlay
        return overlay
    }

    private func rawKey(_ key: PrimaryKey) -> RawKey {
        switch key {
        case .null: .null
        case .int(let value): .int(value)
        case .string(let value): .string(writer.intern(value))
        case .objectId(let value): .objectId(value)
        case .uuid(let value): .uuid(value)
        case .global(let high, let low): .global(high: high, low: low)
        }
    }

    /// The overlay row of an object, made if it has none. `touched` tells whether it was made.
    @inline(__always)
    func row(_ info: ClassInfo, _ key: ObjectKey) -> (ClassOverlay, Int) {
        let overlay = madeOverlay(info)
        if let row = overlay.row(of: key) { return (overlay, row) }
        return (overlay, addRow(overlay, key))
    }

    private func addRow(_ overlay: ClassOverlay, _ key: ObjectKey) -> Int {
        guard let primaryKey = overlay.info.reader.primaryKey(of: key) else {
            preconditionFailure("object \(key.raw) of class '\(overlay.info.name)' has no key")
        }
        overlay.info.core.objectLeavesFile()
        return overlay.addChanged(key, rawKey(primaryKey))
    }

    // MARK: Objects

    /// Records the creation of an object, which gets the key that the agent will give it. Without primary key it gets a
    /// global one.
    func create(_ info: ClassInfo, _ primaryKey: PrimaryKey?) -> (ClassOverlay, row: Int) {
        let overlay = madeOverlay(info)
        let key = primaryKey ?? overlay.nextGlobalKey()
        let row = overlay.addNew(
            rawKey(key), reserved: overlay.hasTombstones ? info.reader.reservedKey(for: key) : nil)
        if let slot = overlay.primarySlot {
            overlay.newKeys.insert(key)
            overlay.cells.set(row, slot, key)
        }
        writer.createObject(overlay.encoded(row))
        changeCount &+= 1
        return (overlay, row)
    }

    /// Records the deletion of an object that nothing links to any more.
    func erase(_ info: ClassInfo, _ key: ObjectKey) {
        let (overlay, row) = row(info, key)
        if info.table.primaryKey != nil, overlay.rows[row].isNew {
            overlay.newKeys.remove(overlay.newPrimaryKey(row))
        }
        writer.eraseObject(overlay.encoded(row))
        overlay.markDeleted(row)
        changeCount &+= 1
    }

    // MARK: Values

    func set(_ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn, _ value: Value, isDefault: Bool) {
        let (overlay, row) = row(info, key)
        if overlay.isEmbedded { return set(overlay, row, column, value, isDefault: isDefault) }
        let encoded = overlay.encoded(row)
        let property = overlay.property(column.slot, &writer)
        switch value {
        case .int(let value): writer.update(encoded, property, int: value, isDefault: isDefault)
        case .bool(let value): writer.update(encoded, property, bool: value, isDefault: isDefault)
        case .string(let value):
            Self.check(text: value.utf8.count, "The value of '\(info.name).\(column.property.name)'")
            writer.update(encoded, property, string: value, isDefault: isDefault)
        case .double(let value): writer.update(encoded, property, double: value, isDefault: isDefault)
        case .timestamp(let value): writer.update(encoded, property, timestamp: value, isDefault: isDefault)
        case .objectId(let value): writer.update(encoded, property, objectId: value, isDefault: isDefault)
        case .uuid(let value): writer.update(encoded, property, uuid: value, isDefault: isDefault)
        default:
            if case .binary(let value) = value {
                Self.check(data: value.count, "The value of '\(info.name).\(column.property.name)'")
            }
            withPayload(.value(value), target: nil) { payload, writer in
                writer.update(encoded, property, payload: payload, isDefault: isDefault)
            }
        }
        overlay.cells.set(row, column.slot, value)
        changeCount &+= 1
    }

    /// Traps if a string has more bytes than an instruction can carry (WR-38, LM-01).
    @inline(__always)
    static func check(text bytes: Int, _ place: @autoclosure () -> String) {
        if bytes > ChangesetLimit.stringLength { fail(.tooBig(bytes, place(), limit: ChangesetLimit.stringLength)) }
    }

    /// The same for data.
    @inline(__always)
    static func check(data bytes: Int, _ place: @autoclosure () -> String) {
        if bytes > ChangesetLimit.binaryLength { fail(.tooBig(bytes, place(), limit: ChangesetLimit.binaryLength)) }
    }

    /// Sets a property of an embedded object.
    private func set(_ overlay: ClassOverlay, _ row: Int, _ column: StoredColumn, _ value: Value, isDefault: Bool) {
        let place = place(overlay, row, column)
        withPayload(.value(value), target: nil) { payload, writer in
            writer.update(place.object, place.property, path: place.steps, payload: payload, isDefault: isDefault)
        }
        overlay.cells.set(row, column.slot, value)
        changeCount &+= 1
    }

    func setLink(
        _ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn, _ target: ObjectKey?, in targetInfo: ClassInfo
    ) {
        let (overlay, row) = row(info, key)
        let place = place(overlay, row, column)
        if let target {
            let (name, rawKey) = reference(targetInfo, target)
            if place.steps.isEmpty {
                writer.update(place.object, place.property, link: name, rawKey)
            } else {
                writer.update(
                    place.object, place.property, path: place.steps, payload: .link(target: name, key: rawKey))
            }
            overlay.cells.set(row, column.slot, UInt64(bitPattern: target.raw))
            noteLink(targetInfo, target, info, column, key)
        } else {
            if place.steps.isEmpty {
                writer.update(place.object, place.property, payload: .null)
            } else {
                writer.update(place.object, place.property, path: place.steps, payload: .null)
            }
            overlay.cells.setNull(row, column.slot)
        }
        changeCount &+= 1
    }

    func noteLink(
        _ targetInfo: ClassInfo, _ target: ObjectKey, _ info: ClassInfo, _ column: StoredColumn, _ key: ObjectKey
    ) {
        newLinks[LinkTarget(table: targetInfo.table.id, key: target), default: []]
            .insert(LinkOrigin(info: info, column: column, key: settled(info, key)))
    }

    /// How an instruction names an object that is linked to.
    private func reference(_ info: ClassInfo, _ key: ObjectKey) -> (UInt32, RawKey) {
        if let overlay = overlay(info), let row = overlay.row(of: key) {
            return (overlay.target, overlay.rows[row].rawKey)
        }
        guard let primaryKey = info.reader.primaryKey(of: key) else {
            preconditionFailure("object \(key.raw) of class '\(info.name)' has no key")
        }
        return (writer.intern(info.name), rawKey(primaryKey))
    }

    /// The element as the codec takes it. Strings and data stay valid during the call.
    func withPayload<R>(
        _ element: ListElement, target: ClassInfo?, _ body: (RawPayload, inout ChangesetWriter) -> R
    ) -> R {
        switch element {
        case .link(let key):
            guard let target else { preconditionFailure("a link needs a class") }
            let (name, rawKey) = reference(target, key)
            return body(.link(target: name, key: rawKey), &writer)
        case .object(let table, let key):
            guard let target = overlays[table]?.info ?? overlays.values.first?.info.core.storedInfo(table) else {
                preconditionFailure("a link leads to no class of the file")
            }
            let (name, rawKey) = reference(target, key)
            return body(.link(target: name, key: rawKey), &writer)
        case .list: return body(.list, &writer)
        case .dictionary: return body(.dictionary, &writer)
        case .value(let value):
            switch value {
            case .null: return body(.null, &writer)
            case .int(let value): return body(.int(value), &writer)
            case .bool(let value): return body(.bool(value), &writer)
            case .string(var value):
                Self.check(text: value.utf8.count, "A string")
                return value.withUTF8 { body(.string(UnsafeRawBufferPointer($0)), &writer) }
            case .malformedString(let value): return value.withUnsafeBytes { body(.string($0), &writer) }
            case .binary(let value):
                Self.check(data: value.count, "A value of data")
                return value.withUnsafeBytes { body(.binary($0), &writer) }
            case .timestamp(let value): return body(.timestamp(value), &writer)
            case .float(let value): return body(.float(value), &writer)
            case .double(let value): return body(.double(value), &writer)
            case .decimal(let value): return body(.decimal(value), &writer)
            case .objectId(let value): return body(.objectId(value), &writer)
            case .uuid(let value): return body(.uuid(value), &writer)
            case .link(let link):
                return body(.link(target: writer.intern(link.className), key: rawKey(link.key)), &writer)
            }
        }
    }
}

// MARK: - Lists
extension ChangeRecorder {
    /// The list as this transaction has it; nil: as the file has it.
    func list(_ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn) -> [ListElement]? {
        guard let overlay = overlay(info), let row = overlay.row(of: key) else { return nil }
        if let list = overlay.lists[.init(row: Int32(row), slot: Int32(column.slot))] { return list }
        return overlay.rows[row].isNew ? [] : nil
    }

    enum ListChange {
        case insert(at: Int, ListElement)
        case set(at: Int, ListElement)
        case erase(at: Int)
        case move(from: Int, to: Int)
        case clear
    }

    /// Records a change of a list, whose present elements `stored` gives when this transaction hasn't touched it yet.
    func change(
        _ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn, _ change: ListChange,
        stored: () -> [ListElement]
    ) {
        let (overlay, row) = row(info, key)
        let slot = overlay.loadList(row, column, stored)
        let place = place(overlay, row, column)
        let target = column.property.target.flatMap { info.core.storedInfo(named: $0) }
        let prior = UInt32(overlay.lists[slot]?.count ?? 0)
        func path(_ index: Int) -> PlaceSteps { place.appending(.index(UInt32(index))).steps }
        func note(_ element: ListElement) {
            if case .link(let linked) = element, let target { noteLink(target, linked, info, column, key) }
        }
        switch change {
        case .insert(let index, let element):
            withPayload(element, target: target) { payload, writer in
                writer.arrayInsert(place.object, place.property, path: path(index), payload: payload, priorSize: prior)
            }
            overlay.lists[slot]?.insert(element, at: index)
            note(element)
        case .set(let index, let element):
            withPayload(element, target: target) { payload, writer in
                writer.updateElement(
                    place.object, place.property, path: path(index), payload: payload, priorSize: prior)
            }
            overlay.lists[slot]?[index] = element
            note(element)
        case .erase(let index):
            writer.arrayErase(place.object, place.property, path: path(index), priorSize: prior)
            overlay.lists[slot]?.remove(at: index)
        case .move(let from, let to):
            guard from != to else { return }
            writer.arrayMove(place.object, place.property, path: path(from), to: UInt32(to), priorSize: prior)
            if let element = overlay.lists[slot]?.remove(at: from) { overlay.lists[slot]?.insert(element, at: to) }
        case .clear:
            guard prior > 0 else { return }
            writer.clear(place.object, place.property, path: place.steps, .list)
            overlay.lists[slot] = []
        }
        changeCount &+= 1
    }
}
