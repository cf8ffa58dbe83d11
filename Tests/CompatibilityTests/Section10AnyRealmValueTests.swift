import Dispatch
import Foundation
import RealmSwift
import TestSupport
import Testing

private final class MixedHolder: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var value: AnyRealmValue
    @Persisted var given = AnyRealmValue.int(7)
    @Persisted var list: List<AnyRealmValue>
    @Persisted var set: MutableSet<AnyRealmValue>
    @Persisted var map: Map<String, AnyRealmValue>

    convenience init(_ id: Int, _ value: AnyRealmValue = .none) {
        self.init()
        self.id = id
        self.value = value
    }
}

private final class MixedTarget: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted(originProperty: "target") var holders: LinkingObjects<MixedOrigin>

    convenience init(_ name: String) {
        self.init()
        self.name = name
    }
}

private final class MixedOrigin: Object {
    @Persisted var target: MixedTarget?
}

/// Section 10: `AnyRealmValue`.
struct Section10AnyRealmValueTests {
    private let directory = TemporaryDirectory()
    private let configuration: Realm.Configuration

    init() {
        SharedAgent.ensure()
        configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: directory.path("mixed.realm")),
            objectTypes: [MixedHolder.self, MixedTarget.self, MixedOrigin.self])
    }

    private func open() throws -> Realm { try Realm(configuration: configuration) }

    private func holder(_ id: Int, _ realm: Realm) throws -> MixedHolder {
        try #require(realm.object(ofType: MixedHolder.self, forPrimaryKey: id))
    }

    /// A realm with a holder of a value.
    private func realm(_ value: AnyRealmValue) throws -> (Realm, MixedHolder) {
        let realm = try open()
        let holder = MixedHolder(1, value)
        try realm.write { realm.add(holder) }
        return (realm, holder)
    }

    /// A value, collections by their contents.
    private func text(_ value: AnyRealmValue) -> String {
        switch value {
        case .list(let list): return "[" + list.map(text).joined(separator: ", ") + "]"
        case .dictionary(let map):
            return "{" + map.map { "\($0.key): \(text($0.value))" }.joined(separator: ", ") + "}"
        case .string(let value): return "'\(value)'"
        case .object(let object): return "object \((object as? MixedTarget)?.name ?? "?")"
        default: return "\(value)"
        }
    }

    private static var values: [AnyRealmValue] {
        [
            .none, .int(-3), .int(.max), .bool(true), .float(1.5), .double(-2.25), .string(""), .string("text é"),
            .string(String(repeating: "long ", count: 2_000)), .data(Data([0, 1, 255])),
            .date(Date(timeIntervalSince1970: 1_700_000_000.5)), .objectId(ObjectId("0123456789abcdef01234567")),
            .decimal128(1.25), .uuid(UUID(uuidString: "00112233-4455-6677-8899-aabbccddeeff") ?? UUID())
        ]
    }

    @Test("SC-03 VA-11 sections have the objects that mixed values hold, by position and one after another")
    func sections() throws {
        let (realm, holder) = try realm(.none)
        try realm.write {
            holder.list.append(objectsIn: [.object(MixedTarget("a")), .int(1), .object(MixedTarget("b"))])
        }
        let sections = holder.list.sectioned(by: { $0.intValue == nil })
        #expect(sections.allKeys == [false, true])
        #expect(sections[1].map(text) == ["object a", "object b"])
        #expect(text(sections[1][1]) == "object b")
    }

    @Test("VA-11 each value keeps its type, in properties, lists, sets and maps")
    func roundTrip() throws {
        let realm = try open()
        try realm.write {
            for (id, value) in Self.values.enumerated() {
                let holder = MixedHolder(id, value)
                holder.map["key"] = value
                holder.list.append(value)
                realm.add(holder)
            }
            let all = MixedHolder(100)
            all.list.append(objectsIn: Self.values)
            all.set.insert(objectsIn: Self.values)
            realm.add(all)
        }
        for (id, value) in Self.values.enumerated() {
            let holder = try holder(id, realm).freeze()
            #expect(holder.value == value && holder.map["key"] == value && holder.list[0] == value)
            #expect(holder.given == .int(7))
        }
        let all = try holder(100, realm)
        #expect(Array(all.list) == Self.values && Set(all.set) == Set(Self.values))
        #expect(Self.values.allSatisfy { all.set.contains($0) } && !all.set.contains(.int(99)))
        try realm.write {
            for (index, value) in Self.values.reversed().enumerated() { all.list[index] = value }
            all.value = .bool(false)
            all.set.remove(.string(""))
        }
        #expect(Array(all.list) == Self.values.reversed() && all.value == .bool(false))
        #expect(all.set.count == Self.values.count - 1)
    }

    @Test("VA-11 VA-17 equality is case-wise, hashing by value")
    func equality() {
        #expect(
            AnyRealmValue.int(1) != .double(1) && AnyRealmValue.none == .none && .int(1) != AnyRealmValue.bool(true))
        #expect(AnyRealmValue.string("a").hashValue == AnyRealmValue.string("a").hashValue)
        #expect(AnyRealmValue.fromArray([.int(1)]).hashValue == AnyRealmValue.fromArray([]).hashValue)
        #expect(AnyRealmValue.fromArray([]) != .fromArray([]))
        let list = AnyRealmValue.fromArray([])
        #expect(list == list)
    }

    @Test("VA-12 the value of a case, nil of others")
    func accessors() {
        #expect(AnyRealmValue.int(1).intValue == 1 && AnyRealmValue.double(1).intValue == nil)
        #expect(AnyRealmValue.bool(true).boolValue == true && AnyRealmValue.float(2).floatValue == 2)
        #expect(AnyRealmValue.double(3).doubleValue == 3 && AnyRealmValue.string("x").stringValue == "x")
        #expect(AnyRealmValue.data(Data([1])).dataValue == Data([1]) && AnyRealmValue.none.dataValue == nil)
        let (date, id, uuid) = (Date(), ObjectId.generate(), UUID())
        #expect(AnyRealmValue.date(date).dateValue == date && AnyRealmValue.objectId(id).objectIdValue == id)
        #expect(AnyRealmValue.uuid(uuid).uuidValue == uuid && AnyRealmValue.decimal128(5).decimal128Value == 5)
        #expect(AnyRealmValue.fromArray([.none]).listValue?.count == 1 && AnyRealmValue.none.listValue == nil)
        #expect(AnyRealmValue.fromDictionary(["a": .int(1)]).dictionaryValue?["a"] == .int(1))
    }

    @Test("VA-14 the default, and nil in values given as Any")
    func defaults() throws {
        #expect(AnyRealmValue() == .none && MixedHolder().value == .none && MixedHolder().given == .int(7))
        #expect(MixedHolder(value: ["value": nil]).value == .none)
        let (realm, holder) = try realm(.int(1))
        try realm.write { realm.create(MixedHolder.self, value: ["id": 1, "value": nil], update: .all) }
        #expect(holder.value == .none)
    }

    @Test("XR-19 OB-03 values of any type")
    func anyValues() throws {
        let holder = MixedHolder(value: [
            "value": 3, "list": [1, 2.5, "x", true, nil, [1, "y"]], "map": ["a": ["b": 1], "c": Data([1])]
        ])
        #expect(holder.value == .int(3))
        #expect(holder.list.map(text).joined(separator: " ") == "1 2.5 'x' true nil [1, 'y']")
        #expect(holder.map["a"].map(text) == "{b: 1}" && holder.map["c"] == .data(Data([1])))
        let realm = try open()
        try realm.write {
            realm.add(holder)
            let created = realm.create(
                MixedHolder.self, value: ["id": 2, "value": ["k": [1, ["z": true]]], "list": holder.list])
            #expect(text(created.value) == "{k: [1, {z: true}]}")
            created.setValue("kvc", forKey: "given")
        }
        let created = try self.holder(2, realm).freeze()
        #expect(text(created.value) == "{k: [1, {z: true}]}" && created.given == .string("kvc"))
        #expect(created.list.map(text) == holder.list.map(text))
    }

    @Test("VA-13 links to objects of any class; deleted ones read as none")
    func links() throws {
        let (realm, holder) = try realm(.object(MixedTarget("Ann")))
        let ann = try #require(holder.value.object(MixedTarget.self))
        #expect(ann.name == "Ann" && ann.realm == realm && holder.value.object(MixedHolder.self) == nil)
        #expect(ann.holders.isEmpty)
        try realm.write {
            holder.list.append(objectsIn: [.object(ann), .int(1), .object(holder), .fromArray([.object(ann)])])
            holder.map["a"] = .object(ann)
            holder.set.insert(.object(ann))
            holder.given = .fromDictionary(["x": .object(ann), "y": .int(2)])
        }
        let frozen = holder.freeze()
        #expect(frozen.list.map(text) == ["object Ann", "1", "object ?", "[object Ann]"])
        #expect(text(frozen.given) == "{x: object Ann, y: 2}" && frozen.set.count == 1)
        try realm.write {
            realm.delete(ann)
            #expect(holder.value == .none && holder.map["a"] == AnyRealmValue.none)
        }
        #expect(holder.value == .none && holder.map.keys == ["a"] && holder.map["a"] == AnyRealmValue.none)
        #expect(holder.list.map(text) == ["1", "object ?", "[]"] && holder.set.isEmpty)
        #expect(text(holder.given) == "{x: nil, y: 2}")
    }

    @Test("VA-15 VA-16 nested collections are copied, and read as live ones")
    func nested() throws {
        let value = AnyRealmValue.fromDictionary([
            "l": .fromArray([.int(1), .fromArray([.string("deep")]), .fromDictionary(["z": .bool(true)])]),
            "n": .none
        ])
        let (realm, holder) = try realm(value)
        #expect(text(holder.value) == "{l: [1, ['deep'], {z: true}], n: nil}")
        value.dictionaryValue?["n"] = .int(9)
        #expect(text(holder.value) == "{l: [1, ['deep'], {z: true}], n: nil}")
        let map = try #require(holder.value.dictionaryValue)
        let list = try #require(map["l"]?.listValue)
        #expect(map.realm == realm && list.realm == realm && list.count == 3)
        try realm.write {
            list.append(.int(2))
            list[1].listValue?.insert(.string("first"), at: 0)
            list[2].dictionaryValue?["z"] = nil
            list[2].dictionaryValue?["new"] = .fromArray([])
            map["n"] = .double(0.5)
            #expect(text(holder.value) == "{l: [1, ['first', 'deep'], {new: []}, 2], n: 0.5}")
            list.move(from: 2, to: 0)
            list.remove(at: 1)
            list[2] = .fromArray([.none])
        }
        #expect(text(holder.freeze().value) == "{l: [{new: []}, ['first', 'deep'], [nil]], n: 0.5}")
        try realm.write {
            list.removeAll()
            list.append(.fromDictionary(["a": .fromArray([.int(1)])]))
            map.removeAll()
        }
        #expect(text(holder.freeze().value) == "{}" && list.isInvalidated)
    }

    @Test("VA-16 what takes the place of a collection", arguments: [false, true])
    func replacing(isInOneWrite: Bool) throws {
        let (realm, holder) = try realm(.fromArray([.int(1)]))
        let list = try #require(holder.value.listValue)
        let values: [(AnyRealmValue, String)] = [
            (.fromArray([.int(2), .int(3)]), "[2, 3]"), (.fromDictionary(["k": .int(4)]), "{k: 4}"),
            (.fromDictionary(["j": .fromArray([])]), "{j: []}"), (.string("plain"), "'plain'"),
            (.fromArray([]), "[]"), (.none, "nil")
        ]
        if isInOneWrite { realm.beginWrite() }
        for (value, expected) in values {
            if !isInOneWrite { realm.beginWrite() }
            holder.value = value
            holder.map["k"] = value
            if holder.list.isEmpty { holder.list.append(value) } else { holder.list[0] = value }
            if !isInOneWrite { try realm.commitWrite() }
            #expect(text(holder.value) == expected && text(holder.list[0]) == expected)
            #expect(holder.map["k"].map(text) == expected)
        }
        if isInOneWrite { try realm.commitWrite() }
        #expect(list.isInvalidated && holder.value == .none)
        let frozen = holder.freeze()
        #expect(frozen.value == .none && frozen.list.map(text) == ["nil"])
    }

    @Test("VA-16 a handle is invalid when something of another kind is in its place")
    func replacedMap() throws {
        let (realm, holder) = try realm(.fromDictionary(["k": .int(1)]))
        let map = try #require(holder.value.dictionaryValue)
        #expect(map["k"] == .int(1) && !map.isInvalidated)
        try realm.write { holder.value = .fromArray([.int(1)]) }
        #expect(map.isInvalidated && holder.value.listValue?.first == .int(1))
    }

    @Test("VA-16 assigning a managed nested collection copies it; a hundred levels are enough")
    func copies() throws {
        let deep = (0..<100).reduce(AnyRealmValue.int(1)) { value, _ in .fromArray([value]) }
        let (realm, holder) = try realm(deep)
        try realm.write {
            let other = MixedHolder(2)
            realm.add(other)
            other.value = holder.value
            other.value.listValue?.append(.int(5))
        }
        #expect(try self.holder(2, realm).value.listValue?.count == 2 && holder.value.listValue?.count == 1)
        var (value, depth) = (holder.freeze().value, 0)
        while let inner = value.listValue?.first { (value, depth) = (inner, depth + 1) }
        #expect(depth == 100 && value == .int(1))
    }

    @Test("QU-03 PR-24 queries compare numbers across types")
    func queries() throws {
        let realm = try open()
        let values: [AnyRealmValue] = [
            .none, .int(3), .double(3), .float(4.5), .string("Rex"), .bool(true), .decimal128(10)
        ]
        try realm.write { for (id, value) in values.enumerated() { realm.add(MixedHolder(id, value)) } }
        let all = realm.objects(MixedHolder.self)
        func ids(_ results: Results<MixedHolder>) -> [Int] { results.sorted(by: \.id).map(\.id) }
        #expect(ids(all.where { $0.value == .int(3) }) == [1, 2])
        #expect(ids(all.where { $0.value > .int(3) }) == [3, 6])
        #expect(ids(all.where { $0.value == .string("Rex") }) == [4])
        #expect(ids(all.where { $0.value == .none }) == [0])
        #expect(ids(all.where { $0.value.in([.bool(true), .double(4.5)]) }) == [3, 5])
        #expect(ids(all.where { $0.value.starts(with: .string("R")) }) == [4])
        #expect(ids(all.filter("value == 3")) == [1, 2])
        #expect(ids(all.filter("value == %@", AnyRealmValue.string("Rex"))) == [4])
        #expect(all.sorted(byKeyPath: "value").map(\.id).first == 0)
        // Types have an order, too (Q-71).
        #expect(all.max(of: \.value) == .string("Rex"))
    }

    @Test("QU-26 PR-20 queries into nested collections, and through collections of mixed values")
    func nestedQueries() throws {
        let realm = try open()
        try realm.write {
            realm.add(
                MixedHolder(1, .fromArray([.int(1), .fromDictionary(["k": .fromArray([.int(3), .string("x")])])])))
            realm.add(MixedHolder(2, .fromDictionary(["k": .string("v")])))
            let third = MixedHolder(3)
            third.list.append(objectsIn: [.int(5), .string("five")])
            third.map["m"] = .int(6)
            realm.add(third)
        }
        let all = realm.objects(MixedHolder.self)
        #expect(all.where { $0.value[0] == .int(1) }.map(\.id) == [1])
        #expect(all.where { $0.value["k"] == .string("v") }.map(\.id) == [2])
        #expect(all.where { $0.value[1]["k"].any == .int(3) }.map(\.id) == [1])
        #expect(all.where { $0.value[1]["k"][1] == .string("x") }.map(\.id) == [1])
        #expect(all.where { $0.list.contains(.int(5)) }.map(\.id) == [3])
        #expect(all.where { $0.map["m"] == .int(6) }.map(\.id) == [3])
        #expect(all.filter("value[1]['k'][0] == 3").map(\.id) == [1])
    }

    @Test("LI-01 CO-17 lists of mixed values: positions, order, aggregates")
    func lists() throws {
        let (realm, holder) = try realm(.none)
        try realm.write {
            holder.list.append(objectsIn: [.string("b"), .int(2), .none, .double(1.5), .bool(true)])
        }
        #expect(holder.list.index(of: .int(2)) == 1 && holder.list.index(of: .int(9)) == nil)
        #expect(holder.list.sorted().map(text) == ["nil", "true", "1.5", "2", "'b'"])
        #expect(holder.list.first == .string("b") && holder.list.last == .bool(true))
        try realm.write {
            holder.list.swapAt(0, 4)
            holder.list.removeSubrange(1...2)
        }
        #expect(holder.list.map(text) == ["true", "1.5", "'b'"])
    }

    @Test("VA-18 changes inside count for the property; children can be observed")
    func observation() throws {
        let (realm, holder) = try realm(.fromDictionary(["l": .fromArray([.int(1)])]))
        let list = try #require(holder.value.dictionaryValue?["l"]?.listValue)
        let log = Log()
        let queue = DispatchQueue(label: "mixed")
        let tokens: [NotificationToken] = [
            holder.observe(on: queue) { (change: ObjectChange<MixedHolder>) in
                if case .change(_, let properties) = change { log.add("holder \(properties.map(\.name))") }
            },
            list.observe(on: queue) { change in
                if case .update(_, let deletions, let insertions, let modifications) = change {
                    log.add("list \(deletions) \(insertions) \(modifications)")
                }
            },
            try #require(holder.value.dictionaryValue).observe(on: queue) { change in
                if case .update(_, let deletions, let insertions, let modifications) = change {
                    log.add("map \(deletions) \(insertions) \(modifications)")
                }
            }
        ]
        queue.sync {}
        try realm.write { list.append(.int(2)) }
        #expect(eventually { log.all.count == 3 })
        #expect(Set(log.all) == [#"holder ["value"]"#, "list [] [1] []", #"map [] [] ["l"]"#])
        try realm.write { holder.list.append(.int(1)) }
        #expect(eventually { log.last == #"holder ["list"]"# })
        for token in tokens { token.invalidate() }
    }

    @Test("TH-02 frozen nested collections stay; references to them resolve")
    func confinement() throws {
        let (realm, holder) = try realm(.fromArray([.int(1)]))
        let list = try #require(holder.value.listValue)
        let frozen = list.freeze()
        try realm.write { list.append(.int(2)) }
        #expect(frozen.count == 1 && frozen.thaw()?.count == 2)
        #expect(realm.resolve(ThreadSafeReference(to: list))?.count == 2)
    }

    @Test("VA-11, XR-19, PR-03 Foundation's numbers are stored as what they become in a query")
    func foundationNumbers() throws {
        let (realm, _) = try realm(.none)
        let numbers: [NSNumber] = [
            NSNumber(value: UInt64.max), NSDecimalNumber(string: "1.25"), NSNumber(value: 3), NSNumber(value: true)
        ]
        for (index, number) in numbers.enumerated() {
            let values: [String: Any] = ["id": 10 + index, "value": number]
            let holder = try realm.write { realm.create(MixedHolder.self, value: values) }
            #expect(realm.objects(MixedHolder.self).filter("value == %@", number).count == 1, "\(number)")
            if number is NSDecimalNumber { #expect(holder.value == .decimal128("1.25")) }
        }
    }

    @Test("SV-10 an optional mixed value is refused")
    func optional() throws {
        try expectTrap("mixed-optional", "must not be marked as optional")
    }

    @Test(
        "MK-04, LM-03, MK-32 mistakes trap",
        arguments: [
            ("mixed-outside-write", "not in a write transaction"),
            ("mixed-nested-outside-write", "cannot modify managed List 'Slot.value' outside of a write transaction"),
            ("mixed-too-deep", "nested deeper than 100 levels"), ("mixed-replaced", "no longer valid"),
            ("mixed-query-list", "can't be constants of a query")
        ])
    func mistakes(scenario: String, says: String) throws {
        try expectTrap(scenario, says)
    }
}
