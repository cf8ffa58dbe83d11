import Model
import Store
import Wire

/// Builds the `changed` events for one change of a result, several if one would be too large. If all of them together
/// would be, the client is told to read the query anew.
struct ChangeFrames: Sendable {
    var number: Int64
    var form: ObjectForm
    var count: Int
    var isInitial: Bool
    var limits = Limits()

    /// What events may have.
    struct Limits: Sendable {
        /// Bytes of one; one object beyond them still goes.
        var event = 1 << 20
        /// Bytes of all for one change.
        var change = 32 << 20
    }

    /// Objects in one event.
    private var batch: Int {
        form.keysOnly ? ObjectBatch.defaultCount.keys : Int(form.batch ?? Int32(ObjectBatch.defaultCount.objects))
    }

    func frames(_ changes: ResultChanges, className: String, before: Snapshot?, after: Snapshot) throws -> [[UInt8]] {
        let encoder = FrameEncoder()
        var part = Part(changes, room: batch)
        var frames: [[UInt8]] = []
        var bytes = 0
        repeat {
            part.room = batch
            do {
                let frame = try encoder.event(name: .changed) { writer in
                    writeStart(after.version, to: writer)
                    if form.keysOnly {
                        for list in Part.lists {
                            PackedKeys(part.take(list).map(\.raw)).write(.literal(list.name), to: writer)
                        }
                    } else {
                        try write(&part, className: className, before: before, after: after, to: writer)
                    }
                    if !part.isEmpty { writer.bool("more", true) }
                } send: {
                    Array($0)
                }
                bytes += frame.count
                frames.append(frame)
            } catch let error as WireError where error.code == .frameTooLarge {
                return [try reset(version: after.version)]
            }
            if bytes > limits.change { return [try reset(version: after.version)] }
        } while !part.isEmpty
        return frames
    }

    /// The event that tells the client to read the query anew.
    func reset(version: UInt64) throws -> [UInt8] {
        let none: ChangedObjects = form.keysOnly ? .keys(PackedKeys([])) : .objects([])
        let event = Changed(
            subscription: number, version: version, initial: isInitial, reset: true, count: Int64(count),
            insertions: none, modifications: none, deletions: none)
        return try FrameEncoder().event(event) { Array($0) }
    }

    private func writeStart(_ version: UInt64, to writer: BSONWriter) {
        writer.int64("subscription", number)
        writer.int64("version", Int64(bitPattern: version))
        if isInitial { writer.bool("initial", true) }
        writer.int64("count", Int64(count))
    }

    private func write(
        _ part: inout Part, className: String, before: Snapshot?, after: Snapshot, to writer: BSONWriter
    ) throws {
        guard let table = after.table(named: className) else {
            throw WireError(.unknownClass, "the realm has no class \(className)")
        }
        let objects = try ObjectWriter(table, properties: form.properties)
        let former = try before?.table(named: className).map { try ObjectWriter($0, properties: nil) }
        for list in Part.lists {
            writer.array(.literal(list.name)) { writer in
                while part.isFirst || writer.byteCount < limits.event, let key = part.next(list) {
                    if list.isGone {
                        former?.writeIdentity(key, as: .next, to: writer)
                    } else {
                        objects.write(key, as: .next, to: writer)
                    }
                }
            }
        }
        try after.checkIntact()
    }
}

extension ChangeFrames {
    /// What is left of a change while its events are being made.
    private struct Part {
        struct List {
            var name: StaticString
            var isGone: Bool
            var left: WritableKeyPath<Part, ArraySlice<ObjectKey>>
        }

        /// Deletions go first: a client that applies events one by one never holds more than there is.
        static var lists: [List] {
            [
                List(name: "deletions", isGone: true, left: \.deletions),
                List(name: "insertions", isGone: false, left: \.insertions),
                List(name: "modifications", isGone: false, left: \.modifications)
            ]
        }

        var deletions: ArraySlice<ObjectKey>
        var insertions: ArraySlice<ObjectKey>
        var modifications: ArraySlice<ObjectKey>
        /// Objects that the event under way still takes.
        var room: Int
        private let batch: Int

        init(_ changes: ResultChanges, room: Int) {
            deletions = changes.deletions[...]
            insertions = changes.insertions[...]
            modifications = changes.modifications[...]
            self.room = room
            batch = room
        }

        var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }
        /// Whether the event under way has no object yet.
        var isFirst: Bool { room == batch }

        mutating func next(_ list: List) -> ObjectKey? {
            guard room > 0, let key = self[keyPath: list.left].popFirst() else { return nil }
            room -= 1
            return key
        }

        /// As many of a list as there is room for.
        mutating func take(_ list: List) -> ArraySlice<ObjectKey> {
            let taken = self[keyPath: list.left].prefix(room)
            self[keyPath: list.left].removeFirst(taken.count)
            room -= taken.count
            return taken
        }
    }
}
