import Model
import Sync

/// What a client is told of changes that were undone, until it has the undo (F-58, F-59).
struct UndoNotice {
    /// The version of the changeset at the client.
    var client: Int64
    var objects: [(name: ObjectName, reason: String)]

    init(client: Int64, refusals: [ObjectName: Refusal]) {
        self.client = client
        objects = refusals.map { ($0.key, $0.value.reason($0.key)) }.sorted { $0.reason < $1.reason }
    }

    init(_ bytes: UnsafeRawBufferPointer) throws {
        var reader = RecordReader(bytes)
        client = try reader.number()
        objects = []
        for _ in 0..<(try reader.number(UInt32.self)) {
            let name = try reader.counted()
            objects.append((try name.withUnsafeBytes { try ObjectName($0) }, try reader.text()))
        }
    }

    var encoded: [UInt8] {
        var writer = RecordWriter()
        writer.append(client)
        writer.append(UInt32(objects.count))
        for (name, reason) in objects {
            writer.append(counted: name.encoded)
            writer.append(counted: reason.utf8)
        }
        return writer.bytes
    }

    /// The message; `version` is that of the undo.
    func failure(version: UInt64) -> SessionFailure {
        var body = ErrorBody(
            .compensatingWrite, "The client wrote what it may not, and it was undone: see the rejected updates")
        body.rejectedClientVersion = client
        body.compensatingWriteServerVersion = Int64(version)
        body.rejectedUpdates = UndoNotice.rejected(objects)
        return SessionFailure(.compensatingWrite, body)
    }

    static func rejected(_ objects: [(name: ObjectName, reason: String)]) -> [RejectedUpdate] {
        objects.compactMap { RejectedUpdate(table: $0.name.className, key: $0.name.key, reason: $0.reason) }
    }
}
