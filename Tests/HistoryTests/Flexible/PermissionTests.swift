import Model
import Query
import Store
import Sync
import TestSupport
import Testing

@testable import History

/// Roles (F-74 to F-82): who sees what, and what becomes of writes that aren't allowed (F-56).
@Suite struct PermissionTests {
    private static func configuration(_ roles: String, rest: String = "") throws -> FlexibleConfiguration {
        try FlexibleConfiguration(json: Array(#"{"default_roles": [\#(roles)]\#(rest)}"#.utf8))
    }

    private static func role(_ read: String, _ write: String, _ rest: String = "") -> String {
        #"{"name": "r", "read": true, "write": true, "document_filters": {"read": \#(read), "write": \#(write)}\#(rest)}"#
    }

    private static let own = #"{"owner": "%%user.id"}"#

    /// An app whose objects 1, 2 and 3 belong to a, b and nobody; a device of "a" that subscribes to all; and what it was
    /// told of its writes.
    private func reasons(
        _ configuration: FlexibleConfiguration, sees: [Int64], afterwards: [Int64], _ writes: [[Instruction]]
    ) throws -> [String] {
        let yard = try FlexibleYard()
        let owner = try yard.device("w")
        try owner.write(FlexibleSyncTests.schema)
        try owner.subscribe { $0.insert(className: "Item", query: "TRUEPREDICATE") }
        #expect(try yard.settle())
        try owner.write(
            FlexibleSyncTests.make(1, owner: "a") + FlexibleSyncTests.make(2, owner: "b")
                + [.createObject(className: "Item", key: .int(3))])
        #expect(try yard.settle())
        yard.devices = []
        owner.move(to: nil)
        try yard.restartServer(configuration)
        let device = try yard.device("a", customData: .object(["team": .array([.string("a"), .string("b")])]))
        try device.subscribe { $0.insert(className: "Item", query: "TRUEPREDICATE") }
        #expect(try yard.settle())
        #expect(try device.numbers("Item") == sees)
        for write in writes {
            try device.write(write)
            #expect(try yard.settle())
        }
        #expect(try device.numbers("Item") == afterwards)
        #expect(device.serverFaults == [])
        return device.reports.flatMap(\.rejectedUpdates).map { "\($0.key.map { "\($0)" } ?? "") \($0.reason)" }
    }

    private static func denied(_ key: Int64) -> String { "\(key) write to \(key) in table \"Item\" not allowed" }

    private typealias Flex = FlexibleSyncTests

    @Test func `own objects only (F-82)`() throws {
        let found = try reasons(
            Self.configuration(Self.role(Self.own, Self.own)), sees: [1], afterwards: [1, 5],
            [Flex.make(5, owner: "a"), [Flex.set(1, "n", .int(3))], Flex.make(6, owner: "b")])
        #expect(found == [Self.denied(6)])
    }

    @Test func `read all, write own: a change of others' objects is undone, F-56 c and d`() throws {
        let found = try reasons(
            Self.configuration(Self.role("true", Self.own)), sees: [1, 2, 3], afterwards: [1, 2, 3],
            [
                [Flex.set(2, "n", .int(3))], [.eraseObject(className: "Item", key: .int(3))],
                [Flex.set(1, "owner", .string("b"))]
            ])
        #expect(found == [Self.denied(2), Self.denied(3), Self.denied(1)])
    }

    @Test func `a team in custom data, and no team at all`() throws {
        let team = #"{"owner": {"$in": "%%user.custom_data.team"}}"#
        #expect(
            try reasons(Self.configuration(Self.role(team, team)), sees: [1, 2], afterwards: [1, 2], []) == [])
        let other = #"{"owner": {"$in": "%%user.custom_data.none"}}"#
        #expect(try reasons(Self.configuration(Self.role(other, other)), sees: [], afterwards: [], []) == [])
    }

    @Test func `no insert and no delete, F-56 e`() throws {
        let found = try reasons(
            Self.configuration(Self.role("true", "true", #", "insert": false, "delete": {"n": 1}"#)),
            sees: [1, 2, 3], afterwards: [2, 3],
            [
                Flex.make(7, owner: "a"), [.eraseObject(className: "Item", key: .int(1))], [Flex.set(1, "n", .int(1))],
                [.eraseObject(className: "Item", key: .int(1))]
            ])
        #expect(found == [Self.denied(7), Self.denied(1)])
    }

    @Test func `rights to fields, F-56 f and F-80`() throws {
        let role =
            #"{"name": "r", "document_filters": {"read": true, "write": true}, "#
            + #""fields": {"n": {"write": true}, "owner": {"read": true}}, "additional_fields": {"read": false}}"#
        let found = try reasons(
            Self.configuration(role), sees: [1, 2, 3], afterwards: [1, 2, 3],
            [[Flex.set(1, "n", .int(3))], [Flex.set(2, "owner", .string("x"))]])
        #expect(found == [Self.denied(2)])
    }

    @Test func `the first role that applies counts; without one, or with one that can't be used, there is nothing`()
        throws
    {
        let user = PermissionUser(id: "a", customData: .object(["admin": .bool(true)]))
        func name(_ roles: String, rest: String = "") throws -> String? {
            try ResolvedRole(of: user, in: "Item", Self.configuration(roles, rest: rest))?.name
        }
        func when(_ name: String, _ condition: String, _ rest: String = "") -> String {
            #"{"name": "\#(name)", "apply_when": \#(condition), "read": true, "#
                + #""document_filters": {"read": true, "write": false}\#(rest)}"#
        }
        let admin = when("admin", #"{"%%user.custom_data.admin": true}"#)
        #expect(try name(admin + "," + when("all", "{}")) == "admin")
        #expect(try name(when("b", #"{"%%user.id": "b"}"#) + "," + when("all", "{}")) == "all")
        #expect(try name(when("b", #"{"%%user.id": {"$in": ["b", "c"]}}"#)) == nil)
        #expect(try name(when("b", #"{"$or": [{"%%user.id": "b"}, {"%%user.id": {"$ne": "c"}}]}"#)) == "b")
        #expect(try name("") == nil)
        // A class with roles of its own doesn't look at the others (F-75).
        #expect(try name(admin, rest: #", "rules": {"Item": []}"#) == nil)
        // What can't be used for sync (F-76).
        #expect(try name(#"{"name": "x"}"# + "," + admin) == nil)
        #expect(try name(Self.role(#"{"%function": {}}"#, "true") + "," + admin) == nil)
        #expect(try name(Self.role(#"{"owner": "x"}"#, "true"), rest: #", "development_mode_enabled": false"#) == nil)
        #expect(
            try name(
                Self.role(#"{"owner": "x"}"#, "true"),
                rest: #", "development_mode_enabled": false, "queryable_fields_names": ["owner"]"#) == "r")
        #expect(try name(when("x", "{}", #", "fields": {"_id": {"read": true}}"#)) == nil)
    }

    @Test func `expressions become conditions on objects (F-77, F-79)`() throws {
        let schema = ClassSchema(
            "Item", primaryKey: "_id",
            [
                PropertySchema("_id", .objectId), PropertySchema("owner", .string, nullable: true),
                PropertySchema("n", .int), PropertySchema("tags", .string, collection: .list)
            ])
        func text(_ expression: String) throws -> String {
            let tree = try #require(JSONTree(text: expression)).substituting(PermissionUser(id: "u"))
            let condition = try PermissionExpression(tree).condition(on: schema)
            return "\(try condition.checked(for: "Item", in: RealmSchema([schema])) == condition ? "" : "unchecked ")"
                + (try RQL.print(condition).text)
        }
        #expect(try text("true") == "TRUEPREDICATE")
        #expect(try text("{}") == "TRUEPREDICATE")
        #expect(try text(#"{"owner": "%%user.id"}"#) == #"owner == "u""#)
        #expect(try text(#"{"owner": "%%user.id", "n": {"$gt": 1, "$lte": 5}}"#).contains("and"))
        #expect(try text(#"{"tags": "%%user.id"}"#).contains("ANY tags"))
        #expect(try text(#"{"nothing": 1}"#) == "FALSEPREDICATE")
        #expect(try text(#"{"nothing": {"$exists": false}}"#) == "TRUEPREDICATE")
        #expect(try text(#"{"n": "text"}"#) == "FALSEPREDICATE")
        #expect(try text(#"{"owner": {"$in": []}}"#) == "FALSEPREDICATE")
        #expect(try text(#"{"_id": {"%stringToOid": "000000000000000000000001"}}"#).contains("oid("))
        for bad in ["1", #"{"$where": "x"}"#, #"{"n": {"$regex": "x"}}"#, #"{"$and": {}}"#, #"{"%%root.n": 1}"#] {
            #expect(throws: (any Error).self, "\(bad)") { try text(bad) }
        }
    }

    @Test func `a configuration that can't be read says why`() throws {
        for bad in [
            "[", #"{"default_roles": 1}"#, #"{"default_roles": [{}]}"#,
            #"{"indexed_queryable_fields_names": ["a", "b"]}"#
        ] {
            #expect(throws: ConfigurationError.self, "\(bad)") { try FlexibleConfiguration(json: Array(bad.utf8)) }
        }
    }
}
