import Model
import Store
import Wire

/// Builds the `changed` events for one change of a result, several if one would be too large.
struct ChangeFrames: Sendable {
    var number: Int64
    var form: ObjectForm
    var count: Int
    var isInitial: Bool

    /// Objects in one event.
    private var batch: Int {
        form.keysOnly ? ObjectBatch.defaultCount.keys : Int(form.batch ?? Int32(ObjectBatch.defaultCount.objects))
    }

    func frames(_ changes: ResultChanges, className: String, before: Snapshot?, after: Snapshot) throws -> [[UInt8]] {
        var parts: [ResultChanges] = []
        var part = ResultChanges()
        var room = batch
        func close() {
            parts.append(part)
            part = ResultChanges()
            room = batch
        }
        for path in [\ResultChanges.deletions, \.insertions, \.modifications] {
            for key in changes[keyPath: path] {
                if room == 0 { close() }
                part[keyPath: path].append(key)
                room -= 1
            }
        }
        if !part.isEmpty || parts.isEmpty { close() }
        let encoder = FrameEncoder()
        return try parts.enumerated().map { index, part in
            try encoder.event(
                name: .changed,
                writing: { writer in
                    try write(
                        part, more: index < parts.count - 1, className: className, before: before, after: after,
                        to: writer)
                }, send: { Array($0) })
        }
    }

    private func write(
        _ part: ResultChanges, more: Bool, className: String, before: Snapshot?, after: Snapshot, to writer: BSONWriter
    ) throws {
        writer.int64("subscription", number)
        writer.int64("version", Int64(bitPattern: after.version))
        if isInitial { writer.bool("initial", true) }
        if more { writer.bool("more", true) }
        writer.int64("count", Int64(count))
        if form.keysOnly {
            PackedKeys(part.insertions.map(\.raw)).write("insertions", to: writer)
            PackedKeys(part.modifications.map(\.raw)).write("modifications", to: writer)
            PackedKeys(part.deletions.map(\.raw)).write("deletions", to: writer)
            return
        }
        guard let table = after.table(named: className) else {
            throw WireError(.unknownClass, "the realm has no class \(className)")
        }
        let objects = try ObjectWriter(table, properties: form.properties)
        writer.array("insertions") { writer in
            for key in part.insertions { objects.write(key, as: .next, to: writer) }
        }
        writer.array("modifications") { writer in
            for key in part.modifications { objects.write(key, as: .next, to: writer) }
        }
        let former = try before?.table(named: className).map { try ObjectWriter($0, properties: nil) }
        writer.array("deletions") { writer in
            for key in part.deletions { former?.writeIdentity(key, as: .next, to: writer) }
        }
    }
}
