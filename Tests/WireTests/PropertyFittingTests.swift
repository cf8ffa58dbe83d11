import Foundation
import Model
import Testing

@testable import Wire

@Suite("Fitting values to properties")
struct PropertyFittingTests {
    private static let schema = RealmSchema([
        ClassSchema("Dog", [PropertySchema("tag", .link, nullable: true, target: "Tag")]),
        ClassSchema(
            "Tag", kind: .embedded,
            [PropertySchema("text", .string), PropertySchema("codes", .int, collection: .list)])
    ])

    private func fit(_ property: PropertySchema, _ value: BSONValue) -> Result<FittedValue, WireError> {
        do throws(WireError) {
            return .success(try property.fit(value, className: "Dog", in: Self.schema))
        } catch {
            return .failure(error)
        }
    }

    @Test("values of the type itself, of any type")
    func own() {
        let samples: [(ValueType, Value)] = [
            (.int, .int(.min)), (.bool, .bool(true)), (.string, .string("x")), (.binary, .binary(Data([1]))),
            (.timestamp, .timestamp(Timestamp(seconds: 1, nanoseconds: 5_000_000))), (.double, .double(0.1)),
            (.decimal, .decimal(Decimal128(low: 1, high: 2))), (.objectId, .objectId(WireSamples.objectId)),
            (.uuid, .uuid(WireSamples.uuid))
        ]
        for (type, value) in samples {
            for (other, raw) in samples {
                let writer = BSONWriter()
                raw.write("v", to: writer)
                guard let bytes = try? writer.finish(), let document = try? BSONDocument(bytes: bytes) else { continue }
                let result = fit(PropertySchema("p", type), document["v"] ?? .null)
                // An int of 64 bits and 0.1 have no place in each other's type.
                if type == other { #expect(result == .success(.single(value))) }
                if type != other, !(type == .double && other == .int) {
                    guard case .failure(let error) = result else {
                        Issue.record("\(other) passed for \(type)")
                        continue
                    }
                    #expect(error.name == "typeMismatch")
                    #expect(error.facts["property"] == .string("p"))
                }
                #expect(
                    (try? PropertySchema("p", .mixed).fit(document["v"] ?? .null, className: "Dog", in: Self.schema))
                        == .single(raw))
            }
        }
    }

    @Test("numbers move between types only where they are kept exactly, and null only where it may")
    func table() {
        let link = PropertySchema("p", .link, nullable: true, target: "Person")
        let key = BSONValue.document(["$global": .array([.int64(1), .int32(2)])])
        let links = PropertySchema("p", .link, collection: .list, target: "Person")
        let table: [(PropertySchema, BSONValue, FittedValue?)] = [
            (PropertySchema("p", .int), .double(3), .single(.int(3))), (PropertySchema("p", .int), .double(3.5), nil),
            (PropertySchema("p", .int), .double(.nan), nil), (PropertySchema("p", .int), .double(0x1p60), nil),
            (PropertySchema("p", .double), .int32(3), .single(.double(3))),
            (PropertySchema("p", .double), .int64((1 << 53) + 1), nil),
            (PropertySchema("p", .float), .int32(3), .single(.float(3))),
            (PropertySchema("p", .float), .int32((1 << 24) + 1), nil),
            (PropertySchema("p", .float), .double(0.5), .single(.float(0.5))),
            (PropertySchema("p", .float), .double(0.1), nil),
            (PropertySchema("p", .float), .document(["$float": .double(0.5)]), .single(.float(0.5))),
            (PropertySchema("p", .double), .document(["$float": .double(0.5)]), .single(.double(0.5))),
            (PropertySchema("p", .string), .null, nil),
            (PropertySchema("p", .string, nullable: true), .null, .single(.null)),
            (PropertySchema("p", .string), .document(["$bytes": .binary(subtype: 0, Data([0xFF]))]), nil),
            (
                PropertySchema("p", .timestamp), .document(["$ts": .array([.int32(1), .int32(-1)])]), nil
            ),
            (link, .null, .single(.null)), (link, .int32(3), .single(.link(Link(className: "Person", key: .int(3))))),
            (link, key, .single(.link(Link(className: "Person", key: .global(high: 1, low: 2))))),
            (
                link, .document(["$link": .string("Person"), "key": .string("a")]),
                .single(.link(Link(className: "Person", key: .string("a"))))
            ),
            (link, .document(["$link": .string("Dog"), "key": .string("a")]), nil), (link, .bool(true), nil),
            (links, .array([.int32(1)]), .list([.single(.link(Link(className: "Person", key: .int(1))))])),
            (links, .array([.null]), nil), (links, .int32(1), nil), (links, .array([]), .list([])),
            (PropertySchema("p", .int, nullable: true, collection: .list), .array([.null]), .list([.single(.null)])),
            (PropertySchema("p", .int, collection: .set), .array([.int32(1), .double(2)]), .set([.int(1), .int(2)])),
            (PropertySchema("p", .int, collection: .set), .array([.null]), nil),
            (
                PropertySchema("p", .int, collection: .dictionary), .document(["a": .int32(1), "b": .double(2)]),
                .dictionary([FittedMember("a", .single(.int(1))), FittedMember("b", .single(.int(2)))])
            ),
            (
                PropertySchema("p", .int, collection: .dictionary),
                .document(["$entries": .array([.array([.string("$\0"), .int32(1)])])]),
                .dictionary([FittedMember("$\0", .single(.int(1)))])
            ),
            (PropertySchema("p", .int, collection: .dictionary), .document(["a": .null]), nil),
            (PropertySchema("p", .int, collection: .dictionary), .document(["$a": .int32(1)]), nil),
            (PropertySchema("p", .int, collection: .dictionary), .array([]), nil),
            (PropertySchema("p", .int), .array([]), nil)
        ]
        for (property, value, expected) in table {
            #expect((try? fit(property, value).get()) == expected, "\(property) \(value)")
        }
        let error = #expect(throws: WireError.self) { try fit(links, .int32(1)).get() }
        #expect(error?.message == "Dog.p takes list of link to Person, not int32")
    }

    @Test("embedded objects come as documents of their properties")
    func embedded() throws {
        let tag = PropertySchema("p", .link, nullable: true, target: "Tag")
        let document = BSONValue.document(["text": .string("x"), "codes": .array([.int32(1)])])
        let object = FittedValue.object([
            FittedMember("text", .single(.string("x"))), FittedMember("codes", .list([.single(.int(1))]))
        ])
        #expect(try fit(tag, document).get() == object && fit(tag, .null).get() == .single(.null))
        var tags = tag
        (tags.collection, tags.isNullable) = (.list, false)
        #expect(try fit(tags, .array([document])).get() == .list([object]))
        #expect(throws: WireError.self) { try fit(tags, .array([.null])).get() }
        (tags.collection, tags.isNullable) = (.dictionary, true)
        #expect(
            try fit(tags, .document(["a": document, "b": .null])).get()
                == .dictionary([FittedMember("a", object), FittedMember("b", .single(.null))]))
        let unknown = #expect(throws: WireError.self) { try fit(tag, .document(["size": .int32(1)])).get() }
        #expect(unknown?.name == "unknownProperty" && unknown?.facts["class"] == .string("Tag"))
    }

    @Test("arrays and documents become collections inside a Mixed")
    func mixed() throws {
        let any = PropertySchema("p", .mixed, nullable: true)
        #expect(
            try fit(any, .array([.int32(1), .document(["a": .null])])).get()
                == .nestedList([.single(.int(1)), .nestedDictionary([FittedMember("a", .single(.null))])]))
        #expect(try fit(any, .document(["$float": .double(1)])).get() == .single(.float(1)))
        #expect(try fit(any, .document([:])).get() == .nestedDictionary([]))
        var list = any
        list.collection = .list
        #expect(try fit(list, .array([.array([]), .int32(1)])).get() == .list([.nestedList([]), .single(.int(1))]))
        list.collection = .set
        #expect(throws: WireError.self) { try fit(list, .array([.array([])])).get() }
        var deep = BSONValue.array([])
        for _ in 0..<100 { deep = .array([deep]) }
        #expect(throws: WireError.self) { try fit(any, deep).get() }
    }
}
