import Model
import Store
import Wire

/// Objects of a query on their way into replies of bounded size.
struct ObjectBatch: Sendable {
    var table: String
    var keys: [ObjectKey]
    var form: ObjectForm
    /// Objects in one reply.
    var countLimit: Int
    /// Bytes in one reply; one object beyond it still goes.
    var byteLimit: Int

    /// Objects in a reply unless the client says otherwise, and at most.
    static let defaultCount = (objects: 1000, keys: 1 << 17)
    static let bytes = 1 << 20

    init(table: String, keys: [ObjectKey], form: ObjectForm, countLimit: Int, byteLimit: Int) {
        self.table = table
        self.keys = keys
        self.form = form
        self.countLimit = countLimit
        self.byteLimit = byteLimit
    }

    init(table: String, keys: [ObjectKey], form: ObjectForm, batch: Int32?) {
        let standard = form.keysOnly ? Self.defaultCount.keys : Self.defaultCount.objects
        self.init(
            table: table, keys: keys, form: form, countLimit: batch.map { Int($0) } ?? standard,
            byteLimit: Self.bytes)
    }

    /// The reply's frame with the objects from `start` on, and the place of the first that is not in it. `cursor` is
    /// named in the reply if something is left.
    func frame(id: Int64, snapshot: Snapshot, from start: Int, cursor: Int64?, count: Int?) throws -> ([UInt8], Int) {
        let encoder = FrameEncoder()
        var next = start
        let frame = try encoder.result(id: id) { writer in
            writer.int64("version", Int64(bitPattern: snapshot.version))
            if let count { writer.int64("count", Int64(count)) }
            if form.keysOnly {
                next = min(keys.count, start + min(countLimit, byteLimit / 8))
                PackedKeys(keys[start..<next].map(\.raw)).write("keys", to: writer)
            } else {
                guard let table = snapshot.table(named: table) else {
                    throw WireError(.unknownClass, "no class \(table)")
                }
                let objects = try ObjectWriter(table, properties: form.properties)
                writer.array("objects") { writer in
                    let end = countLimit < keys.count - start ? start + countLimit : keys.count
                    while next < end, next == start || writer.byteCount < byteLimit {
                        objects.write(keys[next], as: .next, to: writer)
                        next += 1
                    }
                }
                try snapshot.checkIntact()
            }
            if let cursor, next < keys.count { writer.int64("cursor", cursor) }
        } send: {
            Array($0)
        }
        return (frame, next)
    }
}

/// The rest of a query's result, kept for a client.
struct Cursor: Sendable {
    /// Handle of the realm.
    var realm: Int32
    var snapshot: HeldSnapshot
    var batch: ObjectBatch
    var position: Int

    /// Cursors of one connection, and keys that all of them keep.
    static let limit = 64
    static let keyLimit = 8 << 20
}
