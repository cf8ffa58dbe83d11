import Model
import Store
import Sync
import TestSupport

@testable import History

/// Random subscriptions, permissions and writes, and what each device must have after them: by plain Swift, without
/// anything of the server's.
struct RandomViews {
    /// What counts of an object.
    struct Item {
        var key: Int64
        var owner: String?
        var n: Int64
        var tags: [String]
        var team: Int64 { key % 3 }
    }

    typealias Condition = @Sendable (Item) -> Bool

    static let queries: [(text: String, holds: Condition)] = [
        ("TRUEPREDICATE", { _ in true }), ("n < 3", { $0.n < 3 }), ("n >= 2", { $0.n >= 2 }),
        ("owner == 'a'", { $0.owner == "a" }), ("owner IN {'a', 'b'}", { $0.owner == "a" || $0.owner == "b" }),
        ("ANY tags == 't'", { $0.tags.contains("t") }), ("n == 1 OR owner == 'c'", { $0.n == 1 || $0.owner == "c" }),
        ("owner == NULL", { $0.owner == nil }), ("n == 2 AND owner == 'b'", { $0.n == 2 && $0.owner == "b" }),
        ("_id == 4", { $0.key == 4 }), ("FALSEPREDICATE", { _ in false })
    ]

    /// Roles, and who may read what by them. `user` is "a", "b" or "c" and of the team of that place.
    static let roles: [(role: PermissionRole, reads: @Sendable (_ user: Int64, Item) -> Bool)] = [
        (role(read: #"{"team": "%%user.custom_data.team"}"#, write: #"{"team": "%%user.custom_data.team"}"#), isOfTeam),
        (role(read: #"{"team": "%%user.custom_data.team"}"#, write: "false"), isOfTeam),
        (
            role(
                read: #"{"team": {"$in": ["%%user.custom_data.team"]}}"#,
                write: #"{"team": "%%user.custom_data.team", "n": {"$lt": 4}}"#), isOfTeam
        ),
        (
            role(
                read: #"{"team": "%%user.custom_data.team"}"#, write: #"{"team": "%%user.custom_data.team"}"#,
                rest: #", "insert": false, "delete": {"n": 1}"#), isOfTeam
        ),
        // From here on they let others see what the team has.
        (.everything, { _, _ in true }),
        (role(read: "true", write: #"{"owner": "%%user.id"}"#), { _, _ in true }),
        (
            role(read: #"{"n": {"$gte": 1}}"#, write: #"{"$or": [{"owner": "%%user.id"}, {"tags": "t"}]}"#),
            { $1.n >= 1 || $1.owner == name($0) || $1.tags.contains("t") }
        )
    ]

    /// So many of the roles show nobody the objects of another team.
    static let strictRoles = 4

    private static let isOfTeam: @Sendable (Int64, Item) -> Bool = { $1.team == $0 }

    static func name(_ user: Int64) -> String { ["a", "b", "c"][Int(user)] }

    private static func role(read: String, write: String, rest: String = "") -> PermissionRole {
        let text =
            #"{"default_roles": [{"name": "r", "read": true, "write": true, "document_filters": {"read": \#(read), "#
            + #""write": \#(write)}\#(rest)}]}"#
        guard let configuration = try? FlexibleConfiguration(json: Array(text.utf8)) else { return .everything }
        return configuration.defaultRoles[0]
    }

    static let schema: [Instruction] =
        FlexibleSyncTests.schema + [FlexibleSyncTests.column("team", .int)]

    // MARK: Choices

    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }

    private mutating func owner() -> Value {
        let owners: [Value] = [.string("a"), .string("b"), .string("c"), .null]
        return owners[below(owners.count)]
    }

    private func path(_ key: Int64, _ property: String, _ rest: PathElement...) -> InstructionPath {
        InstructionPath("Item", .int(key), property, rest)
    }

    /// One to three changes of different objects, as they are on a device.
    mutating func transaction(_ snapshot: Snapshot) -> [Instruction] {
        guard let table = snapshot.table(named: "Item") else { return [] }
        return (0..<Int64(12)).shuffled(using: &generator).prefix(1 + below(3)).flatMap { key in
            table.find(.int(key)).map { change(key, $0, table) } ?? creation(key)
        }
    }

    private mutating func creation(_ key: Int64) -> [Instruction] {
        [
            .createObject(className: "Item", key: .int(key)),
            .update(path(key, "team"), .value(.int(key % 3)), isDefault: false),
            .update(path(key, "owner"), .value(owner()), isDefault: false),
            .update(path(key, "n"), .value(.int(Int64(below(6)))), isDefault: false)
        ]
    }

    private mutating func change(_ key: Int64, _ object: ObjectKey, _ table: Table) -> [Instruction] {
        switch below(9) {
        case 0: return [.eraseObject(className: "Item", key: .int(key))]
        case 1, 2: return [.update(path(key, "owner"), .value(owner()), isDefault: false)]
        case 3: return [.update(path(key, "n"), .value(.int(Int64(below(6)))), isDefault: false)]
        case 4: return [.addInteger(path(key, "n"), Int64(below(5)) - 2)]
        case 5:
            let target = Link(className: "Item", key: .int(Int64(below(12))))
            return [.update(path(key, "next"), .value(below(4) == 0 ? .null : .link(target)), isDefault: false)]
        default:
            guard let column = table.stored.column(named: "tags") else { return [] }
            let count = UInt32(table.list(object, column).count)
            if count > 0, below(2) == 0 {
                return [.arrayErase(path(key, "tags", .index(UInt32(below(Int(count))))), priorSize: count)]
            }
            let place = UInt32(below(Int(count) + 1))
            return [
                .arrayInsert(
                    path(key, "tags", .index(place)), .value(.string(below(2) == 0 ? "t" : "u")), priorSize: count)
            ]
        }
    }

    // MARK: Outcomes

    /// The objects of a realm, each with the instructions that make it.
    static func items(_ snapshot: Snapshot) -> [Int64: (item: Item, content: [Instruction])] {
        guard let table = snapshot.table(named: "Item"), let owner = table.stored.column(named: "owner"),
            let n = table.stored.column(named: "n"), let tags = table.stored.column(named: "tags")
        else { return [:] }
        var items: [Int64: (item: Item, content: [Instruction])] = [:]
        for index in 0..<table.count {
            let object = table.key(at: index)
            guard case .int(let key)? = table.primaryKey(of: object) else { continue }
            var item = Item(key: key, owner: nil, n: 0, tags: [])
            if case .string(let name) = table.value(object, owner) { item.owner = name }
            if case .int(let value) = table.value(object, n) { item.n = value }
            let list = table.list(object, tags)
            item.tags = (0..<list.count).map { if case .string(let tag) = list.value(at: $0) { tag } else { "" } }
            items[key] = (item, snapshot.instructions(creating: [object], of: table))
        }
        return items
    }
}
