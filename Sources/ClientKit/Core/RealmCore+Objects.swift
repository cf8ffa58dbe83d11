import Foundation
import Model
import Store

extension RealmCore {
    /// Finds the object. `generation` is that of the accessor's last successful location (0 for a new accessor):
    /// what a cancelled transaction created stays missing although its keys are given out again.
    package func locate(_ info: ClassInfo, _ key: ObjectKey, generation: UInt64 = 0) -> Location {
        if generation != 0 {
            if generation < validFrom || cancelled.contains(info.table.id, key, generation: generation) {
                return .missing
            }
        }
        if let overlay = transaction?.recorder.overlay(info), let row = overlay.row(of: key) {
            return overlay.rows[row].isDeleted ? .missing : .overlay
        }
        guard let (cluster, row) = info.reader.locate(key) else { return .missing }
        return .row(chunks: cluster.chunks, row: row)
    }

    /// Whether the object is there, for keys that may be stale.
    package func contains(_ info: ClassInfo, _ key: ObjectKey) -> Bool {
        if let overlay = transaction?.recorder.overlay(info), let row = overlay.row(of: key) {
            return !overlay.rows[row].isDeleted
        }
        return info.reader.contains(key)
    }

    package func find(_ info: ClassInfo, _ key: PrimaryKey) -> ObjectKey? {
        settle()
        guard let overlay = transaction?.recorder.overlay(info) else { return findStored(info, key) }
        if let new = overlay.newObject(key) { return new }
        // New keys mostly are greater than all there are: that is told without looking them up.
        if overlay.greatestStoredKey(in: info.reader)?.precedes(key) == true { return nil }
        guard let stored = findStored(info, key) else { return nil }
        if let row = overlay.row(of: stored), overlay.rows[row].isDeleted { return nil }
        return stored
    }

    private func findStored(_ info: ClassInfo, _ key: PrimaryKey) -> ObjectKey? {
        let reader = info.reader
        guard reader.count > 0 else { return nil }
        return reader.find(key)
    }

    /// A primary key that no object of the class has.
    func unusedKey(_ info: ClassInfo, _ property: PropertySchema) -> PrimaryKey {
        while true {
            let key: PrimaryKey =
                switch property.type {
                case .int: .int(Int64.random(in: 0...Int64.max))
                case .objectId: .objectId(Model.ObjectId.generate())
                case .uuid: .uuid(UUID())
                default: .string(UUID().uuidString)
                }
            if find(info, key) == nil { return key }
        }
    }

    package func primaryKey(of key: ObjectKey, _ info: ClassInfo) -> PrimaryKey? {
        if let overlay = transaction?.recorder.overlay(info), let row = overlay.row(of: key),
            overlay.rows[row].isNew
        {
            if info.table.primaryKey != nil { return overlay.newPrimaryKey(row) }
            if case .global(let high, let low) = overlay.rows[row].rawKey { return .global(high: high, low: low) }
            return nil
        }
        return info.reader.primaryKey(of: key)
    }

    // MARK: Values

    /// A single property that is no link, with the open transaction's changes (slow path).
    package func value(_ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn) -> Value {
        if column.property.type == .mixed { return mixedValue(info, key, column) }
        if let overlay = transaction?.recorder.overlay(info), let row = overlay.row(of: key) {
            switch overlay.cells.state(row, column.slot) {
            case .value: return overlay.cells.value(row, column.slot, column.property.type)
            case .null: return .null
            case .unset: if overlay.rows[row].isNew { return column.property.zero }
            }
        }
        return info.reader.value(key, column)
    }

    package func linkKey(_ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn) -> ObjectKey? {
        guard let recorder = transaction?.recorder else { return info.reader.linkKey(key, column) }
        if let overlay = recorder.overlay(info), let row = overlay.row(of: key) {
            switch overlay.cells.state(row, column.slot) {
            case .value: return ObjectKey(Int64(bitPattern: overlay.cells.low(row, column.slot)))
            case .null: return nil
            case .unset: if overlay.rows[row].isNew { return nil }
            }
        }
        return info.reader.linkKey(key, column)
    }

    /// The class that has the objects of a Swift type. Traps if it is not in the realm's schema.
    @inline(__always)
    func model(of type: ObjectBase.Type) -> ManagedClass {
        if let recentModel, recentModel.persisted.type == type { return recentModel }
        return findModel(of: type)
    }

    @inline(never)
    private func findModel(of type: ObjectBase.Type) -> ManagedClass {
        let persisted = PersistedClass.of(type)
        guard let info = info(className: persisted.name) else { fail(.classNotManaged(persisted.name)) }
        let model = ManagedClass.of(info, type)
        // A frozen realm is read by many threads.
        if !isFrozen { recentModel = model }
        return model
    }

    /// Creates an object; its properties are null, zero or empty, except the key. `key` is nil for classes without
    /// primary key. It must not exist: see `find`. With `mayBeProvisional` the object's key may be good for this
    /// transaction only, except in accessors that are made for it.
    package func create(_ info: ClassInfo, _ key: PrimaryKey?, mayBeProvisional: Bool = false) -> ObjectKey {
        let transaction = openTransaction("create an object of class '\(info.name)'")
        // Hidden keys are numbered from what the file has.
        if !mayBeProvisional || key == nil { settle() }
        if coordinator.isFlexible { checkSubscribed(info, transaction) }
        defer { sendFullPart(transaction) }
        let (overlay, row) = transaction.recorder.create(info, key)
        return overlay.rows[row].key
    }

    /// Sends what has been recorded once there is much of it.
    func sendFullPart(_ transaction: OpenTransaction) {
        guard transaction.recorder.hasFullPart else { return }
        settle()
        transaction.append()
    }

    /// `isDefault`: the app supplied nothing and this is the declared default (C-76).
    package func set(
        _ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn, _ value: Value, isDefault: Bool = false
    ) {
        let transaction = openTransaction("set '\(info.name).\(column.property.name)'")
        if !key.isProvisional { settle() }
        transaction.recorder.set(info, key, column, value, isDefault: isDefault)
        if transaction.recorder.hasFullPart { sendFullPart(transaction) }
    }

    package func setLink(_ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn, _ target: ObjectKey?) {
        let transaction = openTransaction("set '\(info.name).\(column.property.name)'")
        let targetInfo = info.target(of: column)
        if !key.isProvisional || target?.isProvisional == false { settle() }
        let settled = target.map { transaction.recorder.settled(targetInfo, $0) }
        if targetInfo.schema.kind == .embedded, let old = linkKey(info, key, column) { forget(targetInfo, old) }
        transaction.recorder.setLink(info, key, column, settled, in: targetInfo)
        if transaction.recorder.hasFullPart { sendFullPart(transaction) }
    }

    @inline(__always)
    func openTransaction(_ doing: @autoclosure () -> String) -> OpenTransaction {
        checkWrite(doing())
        guard let transaction else { fail(.notInWriteTransaction(doing())) }
        return transaction
    }
}

extension PropertySchema {
    /// What a new object has before anything is assigned.
    var zero: Value {
        if isNullable { return .null }
        return switch type {
        case .int: .int(0)
        case .bool: .bool(false)
        case .string: .string("")
        case .binary: .binary(.init())
        case .timestamp: .timestamp(Timestamp(seconds: 0))
        case .float: .float(0)
        case .double: .double(0)
        case .decimal: .decimal(.zero)
        case .objectId: .objectId(Model.ObjectId())
        case .uuid: .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
        case .mixed, .link: .null
        }
    }
}
