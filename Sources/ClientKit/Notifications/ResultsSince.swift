import Foundation
import Model
import Query
import Store
import Wire

/// What has changed in the result of a query since a name was last used for it.
///
/// ```swift
/// let changes = try realm.objects(Order.self).where { $0.isPaid }.changes(since: "shipping")
/// for order in changes.insertions { ship(order) }
/// try changes.advance()
/// ```
/// The name remembers what the result was, over restarts of everything, and keeps no version of the realm: an object that
/// changed and changed back has not changed. Until `advance`, the same is told again.
public struct ChangesSince<Element: RealmFetchable> {
    /// Objects that match now, and didn't.
    public let insertions: [Element]
    /// Objects that matched, still do, and have other contents.
    public let modifications: [Element]
    /// Primary keys of objects that matched, and don't any more. Null for classes without primary key.
    public let deletions: [AnyRealmValue]
    /// Whether the name is new: everything that matches is an insertion then.
    public let isFirst: Bool
    private let handle: RealmCoordinator.Handle
    private let request: CursorAdvance

    fileprivate init(
        _ state: _CollectionState, _ reply: CursorReadReply, _ handle: RealmCoordinator.Handle, _ name: String
    ) {
        func elements(_ keys: PackedKeys) -> [Element] {
            keys.keys.map { .read(state.stored(.link(ObjectKey($0)))) }
        }
        insertions = elements(reply.insertions)
        modifications = elements(reply.modifications)
        deletions = reply.deletions.map { identity in
            identity.elements.first { $0.key != "$key" }.map { Self.value($0.value) } ?? .none
        }
        isFirst = reply.since == nil
        self.handle = handle
        request = CursorAdvance(realm: handle.realm, cursor: name, version: reply.version)
    }

    private static func value(_ value: BSONValue) -> AnyRealmValue {
        switch value {
        case .string(let text): return .string(text)
        case .int64(let number): return .int(Int(number))
        case .int32(let number): return .int(Int(number))
        case .objectId(let id): return .objectId(ObjectId(id))
        case .binary(4, let data) where data.count == 16:
            let bytes = Array(data)
            return .uuid(UUID(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }))
        default: return .none
        }
    }

    /// Makes this the state that the next difference is taken from. Durable when it returns.
    ///
    /// - Throws: `Realm.Error`, if it can't be stored, or the agent was started anew since: ask for the changes again.
    public func advance() throws {
        do {
            _ = try handle.link.call(request)
        } catch {
            throw Realm.Error(error, path: nil)
        }
    }
}

extension Results where Element: RealmFetchable {
    /// What has changed since the changes of that name were last dealt with. See `ChangesSince`.
    ///
    /// Traps for results that don't consist of objects of a class, and in a write transaction.
    ///
    /// - Throws: `Realm.Error`, if the agent can't be reached, or knows the name for another query.
    public func changes(since name: String) throws -> ChangesSince<Element> {
        let core = state.core
        core.check()
        guard let query = state.query, query.source == .table else {
            fail(Mistake("Only results of a class's objects have changes since a name."))
        }
        if core.transaction != nil { fail(Mistake("Cannot ask for changes since a name in a write transaction.")) }
        do {
            let handle = try core.coordinator.handle()
            let reply = try handle.link.call(
                CursorRead(
                    realm: handle.realm, pin: core.grant.pin?.id(on: handle.link), cursor: name,
                    query: try QueryExecution.request(query.classQuery, among: nil)))
            return ChangesSince(state, reply, handle, name)
        } catch {
            throw Realm.Error(error, path: core.coordinator.settings.path)
        }
    }
}
