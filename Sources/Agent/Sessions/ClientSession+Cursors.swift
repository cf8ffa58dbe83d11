import EventLoop
import Foundation
import Store
import Wire

// cursor.*
extension ClientSession {
    /// Cursors of one connection that were read and not advanced yet.
    private static let pendingLimit = 16

    func readCursor(_ request: CursorRead, _ responder: Responder) throws {
        let handle = try realm(request.realm)
        guard !handle.host.isInMemory, handle.host.key == nil else {
            throw WireError(
                .badParams,
                "a realm in memory has no cursors, nor has an encrypted one: they would keep its primary keys in the clear",
                facts: ["field": .string("realm")])
        }
        let held = try handle.host.snapshot(request.pin, for: self)
        let (path, files) = (handle.host.path, server.cursorFiles)
        read(responder, of: handle.host, held) {
            let former = try files.read(path, request.cursor)
            let present = try NamedCursor(
                path: path, name: request.cursor, request: request.query, in: held.snapshot)
            if let former, former.query != present.query {
                throw WireError(
                    .badParams, "the cursor \"\(request.cursor)\" is of another query; give this one another name",
                    facts: ["field": .string("cursor")])
            }
            let changes = present.changes(since: former)
            let reply = CursorReadReply(
                version: present.version, since: former?.version, count: Int64(present.matches.count),
                insertions: PackedKeys(changes.insertions.map(\.raw)),
                modifications: PackedKeys(changes.modifications.map(\.raw)), deletions: changes.deletions)
            return { [self] in
                guard isOpen else { return }
                let pending = PendingCursor(path: path, name: request.cursor)
                guard pendingCursors[pending] != nil || pendingCursors.count < Self.pendingLimit else {
                    return responder.fail(
                        WireError(
                            .tooManyHandles,
                            "the connection has read \(Self.pendingLimit) cursors without advancing them",
                            facts: ["limit": .int32(Int32(Self.pendingLimit))]))
                }
                pendingCursors[pending] = present
                responder.succeed(reply)
            }
        }
    }

    func advanceCursor(_ request: CursorAdvance, _ responder: Responder) throws {
        let handle = try realm(request.realm)
        let pending = PendingCursor(path: handle.host.path, name: request.cursor)
        guard let cursor = pendingCursors[pending], cursor.version == request.version else {
            throw WireError(
                .unknownCursor,
                "the cursor \"\(request.cursor)\" wasn't read at version \(request.version) on this connection",
                facts: ["cursor": .string(request.cursor)])
        }
        pendingCursors[pending] = nil
        let files = server.cursorFiles
        elsewhere(responder) {
            try files.write(cursor)
            return Acknowledgement()
        }
    }

    func removeCursor(_ request: CursorRemove, _ responder: Responder) throws {
        let handle = try realm(request.realm)
        let pending = PendingCursor(path: handle.host.path, name: request.cursor)
        pendingCursors[pending] = nil
        let files = server.cursorFiles
        elsewhere(responder) { CursorRemoveReply(removed: try files.remove(pending.path, pending.name)) }
    }

    /// Does what waits for the disk beside the loop.
    private func elsewhere<Reply: WirePayload & Sendable>(
        _ responder: Responder, _ body: @escaping @Sendable () throws -> Reply
    ) {
        server.pool.perform {
            let outcome = Result { try body() }
            EventLoop.shared.post { responder.answer(outcome) }
        }
    }
}

/// Names a cursor that a connection has read.
struct PendingCursor: Hashable, Sendable {
    let path: String
    let name: String
}
