import Foundation
import Model
import TestSupport
import Wire

/// What tests say to an agent beneath ClientKit: realms of one simple class, changesets made by hand.
/// For one thread at a time, like the client in it.
final class RawClient: @unchecked Sendable {
    let wire: BlockingClient
    private(set) var realm: Int32 = 0
    private(set) var version: UInt64 = 0

    static let schema = RealmSchema([
        ClassSchema(
            "Item", primaryKey: "id",
            [
                PropertySchema("id", .int), PropertySchema("name", .string), PropertySchema("n", .int),
                PropertySchema("blob", .string)
            ])
    ])

    init(_ agent: AgentUnderTest, _ name: String = "raw", timeout: Duration = .seconds(30)) throws {
        wire = try agent.connect(name, timeout: timeout)
    }

    init(_ wire: BlockingClient) { self.wire = wire }

    /// Opens the realm, making it with the class `Item` if it doesn't exist.
    @discardableResult
    func open(_ path: String, events: Bool = false, key: EncryptionKey? = nil) throws -> RealmOpenReply {
        let reply = try wire.call(RealmOpen(path: path, schema: Self.schema, create: true, events: events, key: key))
        realm = reply.realm
        version = reply.version
        return reply
    }

    func release(_ pins: [Int64]) throws {
        try wire.notify(SnapshotRelease(realm: realm, pins: pins))
    }

    /// One transaction in one request.
    @discardableResult
    func commit(_ changes: [UInt8], uid: UniqueId = UniqueId(), mustCreate: Bool = false) throws -> UInt64 {
        let reply = try wire.call(WriteCommit(realm: realm, changes: Bytes(changes), uid: uid, mustCreate: mustCreate))
        try release([reply.pin])
        return reply.version
    }

    /// begin … commit with what `body` makes of the realm in between.
    @discardableResult
    func transaction(uid: UniqueId = UniqueId(), _ body: (WriteBeginReply) throws -> [UInt8]) throws -> UInt64 {
        let begun = try wire.call(WriteBegin(realm: realm))
        let changes = try body(begun)
        let reply = try wire.call(
            WriteCommit(realm: realm, transaction: begun.transaction, changes: Bytes(changes), uid: uid))
        try release([begun.pin, reply.pin])
        return reply.version
    }

    /// Value of an int property; nil if there is no such object.
    func int(_ key: Int64, _ property: String = "n", pin: Int64? = nil) throws -> Int64? {
        let reply = try wire.call(ReadGet(realm: realm, pin: pin, className: "Item", key: .int(key)))
        guard let value = reply.object?[property] else { return nil }
        guard case .int64(let number) = value else { throw TestFailure("\(property) is \(value)") }
        return number
    }

    func count(_ filter: String? = nil, arguments: [Wire.QueryArgument] = []) throws -> Int64 {
        try wire.call(ReadCount(realm: realm, query: QueryRequest("Item", filter: filter, arguments: arguments))).count
    }
}

/// A changeset on the class `Item`, built step by step.
struct Changes {
    private var instructions: [Instruction] = []

    var bytes: [UInt8] {
        var writer = ChangesetWriter()
        for instruction in instructions { writer.append(instruction) }
        return writer.finished()
    }

    func creating(_ keys: some Sequence<Int64>, n: Int64 = 0, name: String = "", blob: String = "") -> Changes {
        var changes = self
        for key in keys {
            changes.instructions.append(.createObject(className: "Item", key: .int(key)))
            changes.assign(key, "n", .int(n))
            changes.assign(key, "name", .string(name))
            changes.assign(key, "blob", .string(blob))
        }
        return changes
    }

    func setting(_ keys: some Sequence<Int64>, n: Int64) -> Changes {
        var changes = self
        for key in keys { changes.assign(key, "n", .int(n)) }
        return changes
    }

    func erasing(_ keys: some Sequence<Int64>) -> Changes {
        var changes = self
        for key in keys { changes.instructions.append(.eraseObject(className: "Item", key: .int(key))) }
        return changes
    }

    private mutating func assign(_ key: Int64, _ property: String, _ value: Value) {
        instructions.append(.update(InstructionPath("Item", .int(key), property), .value(value), isDefault: false))
    }

    static func create(_ keys: some Sequence<Int64>, n: Int64 = 0, name: String = "", blob: String = "") -> [UInt8] {
        Changes().creating(keys, n: n, name: name, blob: blob).bytes
    }

    static func set(_ keys: some Sequence<Int64>, n: Int64) -> [UInt8] { Changes().setting(keys, n: n).bytes }
    static func erase(_ keys: some Sequence<Int64>) -> [UInt8] { Changes().erasing(keys).bytes }
}
