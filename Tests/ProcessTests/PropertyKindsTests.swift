import Foundation
import Model
import TestSupport
import Testing
import Wire

/// Dictionaries, sets, embedded objects and mixed values over the socket and in the command.
@Suite struct PropertyKindsTests {
    private static let schema = RealmSchema([
        ClassSchema(
            "Shop", primaryKey: "id",
            [
                PropertySchema("id", .int), PropertySchema("tags", .string, collection: .set),
                PropertySchema("prices", .int, nullable: true, collection: .dictionary),
                PropertySchema("place", .link, nullable: true, target: "Place"),
                PropertySchema("former", .link, collection: .list, target: "Place"),
                PropertySchema("named", .link, nullable: true, collection: .dictionary, target: "Place"),
                PropertySchema("rivals", .link, collection: .list, target: "Shop"),
                PropertySchema("any", .mixed, nullable: true),
                PropertySchema("anys", .mixed, nullable: true, collection: .dictionary)
            ]),
        ClassSchema(
            "Place", kind: .embedded,
            [PropertySchema("street", .string), PropertySchema("floors", .int, collection: .list)])
    ])

    private static func place(_ street: String) -> BSONValue {
        .document(["street": .string(street), "floors": .array([.int64(1), .int64(2)])])
    }

    private static let shop: BSONDocument = [
        "id": .int64(1), "tags": .array([.string("b"), .string("a"), .string("b")]),
        "prices": .document(["x": .int64(3), "y": .null]), "place": place("Main"),
        "former": .array([place("Old"), place("Older")]), "named": .document(["home": place("Mill"), "none": .null]),
        "rivals": .array([.int64(2)]),
        "any": .document(["n": .int64(1), "l": .array([.string("x"), .array([]), .null]), "e": .document([:])]),
        "anys": .document(["x": .double(1.5), "l": .array([.bool(true)])])
    ]

    private func open(_ agent: AgentUnderTest, _ path: String) throws -> (BlockingClient, Int32) {
        let client = try agent.connect("raw", timeout: .seconds(30))
        return (client, try client.call(RealmOpen(path: path, schema: Self.schema, create: true)).realm)
    }

    private func read(_ client: BlockingClient, _ realm: Int32) throws -> BSONDocument {
        var object = try #require(
            try client.call(ReadGet(realm: realm, className: "Shop", key: .int(1))).object)
        object["$key"] = nil
        return object
    }

    @Test func objectsWithPartsArePutAndRead() throws {
        let agent = try AgentUnderTest().start()
        let (client, realm) = try open(agent, agent.home.path("a.realm"))
        let put = ObjectPut(realm: realm, className: "Shop", objects: [["id": .int64(2)], Self.shop])
        #expect(try client.call(put).created == 2)
        var expected = Self.shop
        expected["tags"] = .array([.string("a"), .string("b")])
        expected["any"] = .document([
            "e": .document([:]), "l": .array([.string("x"), .array([]), .null]), "n": .int64(1)
        ])
        expected["anys"] = .document(["l": .array([.bool(true)]), "x": .double(1.5)])
        expected["rivals"] = .array([.document(["$link": .string("Shop"), "key": .int64(2)])])
        #expect(try read(client, realm) == expected)
        // What is assigned takes the place of what was there.
        let change = ObjectPut(
            realm: realm, className: "Shop",
            objects: [
                [
                    "id": .int64(1), "place": .document(["floors": .array([])]), "former": .array([]),
                    "named": .document(["$": Self.place("New")]), "prices": .document([:]),
                    "tags": .array([.string("c")]),
                    "any": .array([.document(["$link": .string("Shop"), "key": .int64(2)])])
                ]
            ])
        let refused = #expect(throws: WireError.self) { try client.call(change) }
        #expect(refused?.name == "typeMismatch")
        let escaped = BSONValue.document(["$entries": .array([.array([.string("$"), Self.place("New")])])])
        var changed = change
        changed.objects[0]["named"] = escaped
        #expect(try client.call(changed).created == 0)
        let object = try read(client, realm)
        #expect(object["place"] == .document(["street": .string(""), "floors": .array([])]))
        #expect(
            object["named"] == escaped && object["former"] == .array([]) && object["tags"] == .array([.string("c")]))
        #expect(object["any"] == .array([.document(["$link": .string("Shop"), "key": .int64(2)])]))
        #expect(try client.call(RealmVerify(target: .handle(realm))).problems.isEmpty)
    }

    @Test func deletingAnObjectTakesItOutOfLists() throws {
        let agent = try AgentUnderTest().start()
        let (client, realm) = try open(agent, agent.home.path("a.realm"))
        _ = try client.call(ObjectPut(realm: realm, className: "Shop", objects: [["id": .int64(2)], Self.shop]))
        #expect(try client.call(ObjectDelete(realm: realm, className: "Shop", keys: [.int(2)])).deleted == 1)
        #expect(try read(client, realm)["rivals"] == .array([]))
        let error = #expect(throws: WireError.self) {
            try client.call(ObjectPut(realm: realm, className: "Place", objects: [["street": .string("x")]]))
        }
        #expect(error?.name == "badParams")
    }

    @Test func exportAndImportAgree() throws {
        let agent = try AgentUnderTest().start()
        let (path, other) = (agent.home.path("a.realm"), agent.home.path("b.realm"))
        let (client, realm) = try open(agent, path)
        _ = try client.call(ObjectPut(realm: realm, className: "Shop", objects: [["id": .int64(2)], Self.shop]))
        let text = try agent.command(["export", path, "Shop"]).output
        #expect(text.contains(#""place":{"floors":[1,2],"street":"Main"}"#), "\(text)")
        #expect(text.contains(#""prices":{"x":3,"y":null}"#), "\(text)")
        let file = agent.home.path("shops.json")
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        _ = try open(agent, other)
        let (status, output) = try agent.command(["import", other, "Shop", file])
        #expect(status == 0, "\(output)")
        #expect(try agent.command(["export", other, "Shop"]).output == text)
    }
}
