import EventLoop
import Foundation
import Model
import Query
import Store
import Wire

// object.*
extension ClientSession {
    func putObjects(_ request: ObjectPut, _ responder: Responder) throws {
        let handle = try realm(request.realm)
        try edit(handle, request.className, request.uid, responder) { edit in
            var keys: [PrimaryKey] = []
            keys.reserveCapacity(request.objects.count)
            for document in request.objects { keys.append(try edit.put(document, mode: request.mode)) }
            let created = Int64(edit.created)
            return { version, own in
                responder.succeed(ObjectPutReply(version: version, created: created, keys: keys, own: own))
            }
        }
    }

    func deleteObjects(_ request: ObjectDelete, _ responder: Responder) throws {
        guard (request.keys == nil) != (request.filter == nil) else {
            throw WireError(.badParams, "object.delete takes either keys or where", facts: ["field": .string("keys")])
        }
        let handle = try realm(request.realm)
        try edit(handle, request.className, request.uid, responder) { edit in
            if let keys = request.keys {
                edit.delete(keys.compactMap { edit.table.find($0) })
            } else {
                let query = QueryRequest(
                    request.className, filter: request.filter, arguments: request.arguments)
                edit.delete(try edit.snapshot.objects(query.classQuery(in: edit.snapshot.schema), among: nil))
            }
            let deleted = Int64(edit.deleted)
            return { version, own in
                responder.succeed(ObjectDeleteReply(version: version, deleted: deleted, own: own))
            }
        }
    }

    /// A transaction of the agent's own on behalf of the client: reads, makes instructions, applies them.
    private func edit(
        _ handle: RealmHandle, _ className: String, _ uid: UniqueId?, _ responder: Responder,
        _ body: @escaping @Sendable (inout ObjectEdit) throws -> @Sendable @LoopActor (UInt64, UInt64?) -> Void
    ) throws {
        try handle.host.checkWritable()
        let work = ExclusiveWork(
            body: { writer in
                let (answer, own) = try writer.transact(uid: uid.map { TransactionUID($0) }) { transaction in
                    var edit = try ObjectEdit(transaction.reader(), className: className)
                    let answer = try body(&edit)
                    let isEmpty = edit.isEmpty
                    if !isEmpty {
                        let changes = edit.changes()
                        try changes.withUnsafeBytes { try transaction.apply($0) }
                    }
                    return (answer, !isEmpty)
                }
                return Receipt(
                    succeed: { answer($0.version, own) }, fail: { responder.fail($0) },
                    lose: { responder.session.dismiss($0) })
            }, fail: { responder.fail($0) })
        handle.host.request(.exclusive(work), client: handle.writer)
    }
}
