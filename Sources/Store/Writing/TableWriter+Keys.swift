import Foundation
import Model

extension TableWriter {
    /// A primary key as `keys` holds it.
    enum EncodedKey {
        case plain(UnsafeRawBufferPointer)
        /// A string longer than a record key can be.
        case long(String)
    }

    /// What the realm knows of a key, this transaction's changes included.
    func find(_ key: EncodedKey) throws -> KeyRecord? {
        switch key {
        case .long(let string): return try longRecord(string)?.record
        case .plain(let bytes):
            if let entry = pendingKeys.find(bytes) {
                return entry.state == .absent
                    ? nil : KeyRecord(object: ObjectKey(entry.object), isTombstone: entry.state == .tombstone)
            }
            return try findStored(bytes)
        }
    }

    private func findStored(_ key: UnsafeRawBufferPointer) throws -> KeyRecord? {
        if let gap = keyGap, gap.low.withUnsafeBytes({ PendingKeys.isLess($0, key) }),
            gap.high.map({ $0.withUnsafeBytes { PendingKeys.isLess(key, $0) } }) ?? true
        {
            return nil
        }
        let cursor = try store.cursor(store.databases.keys)
        guard try cursor.seek(key), cursor.key.count >= 2, cursor.key[0] == key[0], cursor.key[1] == key[1] else {
            keyGap = KeyGap(low: Array(key), high: nil)
            return nil
        }
        if !PendingKeys.isLess(key, cursor.key) {
            guard let record = KeyRecord(cursor.value) else { throw damaged("a key that can't be read") }
            return record
        }
        keyGap = KeyGap(low: Array(key), high: Array(cursor.key))
        return nil
    }

    /// Notes what a key stands for from now on.
    func set(_ key: EncodedKey, _ object: Int64, _ state: PendingKeys.State) throws {
        switch key {
        case .plain(let bytes): pendingKeys.set(bytes, object: object, state)
        case .long(let string):
            let known = try longRecord(string)
            let database = store.databases.keys
            keyGap = nil
            if state == .absent {
                if let known { try store.delete(database, known.key) }
            } else {
                let record = KeyRecord(object: ObjectKey(object), isTombstone: state == .tombstone)
                try store.put(
                    database, try known?.key ?? freeLongKey(string), record.encoded(longString: string))
            }
        }
    }

    /// Long keys go into the file at once: they are rare, and found by their record.
    private func longRecord(_ string: String) throws -> (key: RecordKey, record: KeyRecord)? {
        let shared = PrimaryKeyCoding.encode(stored.id, .string(string)).key
        let cursor = try store.cursor(store.databases.keys)
        var isThere = try cursor.seek(shared)
        while isThere, cursor.hasPrefix(shared) {
            if cursor.value.count >= 9, cursor.value.dropFirst(9).elementsEqual(string.utf8),
                let record = KeyRecord(cursor.value)
            {
                var key = shared
                for byte in cursor.key.dropFirst(shared.count) { key.append(byte) }
                return (key, record)
            }
            isThere = try cursor.next()
        }
        return nil
    }

    private func freeLongKey(_ string: String) throws -> RecordKey {
        let shared = PrimaryKeyCoding.encode(stored.id, .string(string)).key
        for discriminator in UInt8.min...UInt8.max {
            var key = shared
            key.append(discriminator)
            if store.get(store.databases.keys, key) == nil { return key }
        }
        throw StoreError(.badChangeset, "too many long primary keys with one hash", path: store.path)
    }

    /// Writes the keys in order.
    func flushKeys() throws {
        guard !pendingKeys.isEmpty else { return }
        keyGap = nil
        let database = store.databases.keys
        let cursor = try store.cursor(database)
        // Keys above all others go to the end without a search, and fill their pages.
        var greatest: [UInt8]? = try cursor.last() ? Array(cursor.key) : nil
        try pendingKeys.forEachAscending { key, entry in
            if entry.state == .absent {
                if try cursor.seek(key), cursor.key.count == key.count, cursor.key.elementsEqual(key) {
                    try cursor.delete()
                    greatest = nil
                }
                return
            }
            var record: (Int64, UInt8) = (entry.object.littleEndian, entry.state == .tombstone ? 1 : 0)
            try withUnsafeBytes(of: &record) { value in
                let isGreatest = greatest.map { $0.withUnsafeBytes { PendingKeys.isLess($0, key) } } ?? false
                try cursor.put(key, UnsafeRawBufferPointer(rebasing: value[..<9]), appending: isGreatest)
                if isGreatest { greatest = [] }
            }
        }
        pendingKeys.removeAll()
    }
}
