import Foundation
import Testing

@testable import Model

struct StateDigestTests {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (String(repeating: "a", count: 1_000), "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3")
    ])
    func `SHA-256 of known texts`(text: String, digest: String) {
        let words = SHA256.digest([UInt8](text.utf8))
        #expect((0..<4).map { String(format: "%016lx", words[$0]) }.joined() == digest)
    }

    private static let key = KeyColumn(name: "_id", type: .int, isNullable: false)

    private typealias Fact = @Sendable (inout StateDigest) -> Void

    /// A digest of some facts, in one order or another.
    private static func digest(_ facts: [Fact]) -> String {
        var digest = StateDigest()
        for fact in facts { fact(&digest) }
        return digest.value
    }

    private static let facts: [Fact] = [
        { $0.add(class: "Dog", .topLevel, key: key) },
        { $0.add(property: "name", of: "Dog", .string, isNullable: true, .single, target: nil) },
        { $0.add(object: .int(1), of: "Dog", [("name", .value(.string("Rex"))), ("tags", .set([.int(1), .null]))]) },
        { $0.add(object: .int(2), of: "Dog", [("name", .value(.null)), ("tags", .set([]))]) }
    ]

    @Test func `order doesn't matter where a realm has none`() {
        let all = Self.digest(Self.facts)
        #expect(all == Self.digest(Self.facts.reversed()))
        #expect(all != Self.digest(Array(Self.facts.dropLast())))
        #expect(all != Self.digest(Self.facts + Self.facts.suffix(1)))
        func object(_ value: StateValue) -> String {
            Self.digest([{ $0.add(object: .int(1), of: "Dog", [("a", value), ("b", .value(.null))]) }])
        }
        #expect(object(.set([.int(1), .string("x")])) == object(.set([.string("x"), .int(1)])))
        let (one, two) = (StateValue.value(.int(1)), StateValue.value(.int(2)))
        #expect(
            object(.dictionary([(key: "x", value: one), (key: "y", value: two)]))
                == object(.dictionary([(key: "y", value: two), (key: "x", value: one)])))
        #expect(object(.list([one, two])) != object(.list([two, one])))
    }

    @Test func `whatever is different has another digest`() {
        let values: [StateValue] = [
            .value(.null), .value(.int(0)), .value(.bool(false)), .value(.string("")), .value(.string("\u{0}")),
            .value(.string("é")), .value(.string("e\u{301}")), .value(.binary(Data())), .value(.binary(Data([0]))),
            .value(.timestamp(Timestamp(seconds: 0))), .value(.timestamp(Timestamp(seconds: 0, nanoseconds: 1))),
            .value(.float(0)), .value(.float(-0.0)), .value(.double(0)), .value(.double(-0.0)), .value(.double(.nan)),
            .value(.decimal(.zero)), .value(.objectId(ObjectId())), .value(.uuid(UUID(high: 0, low: 0))),
            .value(.link(Link(className: "Dog", key: .int(1)))), .value(.link(Link(className: "Dog", key: .null))),
            .value(.link(Link(className: "Dog", key: .global(high: 1, low: 0)))),
            .value(.link(Link(className: "Do", key: .string("g")))), .list([]), .dictionary([]), .set([]), .object([]),
            .list([.value(.null)]), .list([.list([])]), .set([.null]), .dictionary([(key: "", value: .value(.null))]),
            .object([(name: "", value: .value(.null))]), .list([.value(.int(1)), .value(.int(2))]),
            .list([.value(.int(2)), .value(.int(1))]), .list([.list([.value(.int(1))]), .value(.int(2))])
        ]
        let digests = values.map { value in
            Self.digest([{ $0.add(object: .int(1), of: "Dog", [("a", value)]) }])
        }
        #expect(Set(digests).count == values.count)
        let others = [
            Self.digest([{ $0.add(object: .int(2), of: "Dog", [("a", .value(.null))]) }]),
            Self.digest([{ $0.add(object: .int(1), of: "Cat", [("a", .value(.null))]) }]),
            Self.digest([{ $0.add(object: .int(1), of: "Dog", [("b", .value(.null))]) }]),
            Self.digest([{ $0.add(class: "Dog", .topLevel, key: Self.key) }]),
            Self.digest([{ $0.add(class: "Dog", .asymmetric, key: Self.key) }]),
            Self.digest([{ $0.add(class: "Dog", .embedded, key: nil) }]),
            Self.digest([{ $0.add(property: "a", of: "Dog", .link, isNullable: true, .single, target: "Dog") }]),
            Self.digest([{ $0.add(property: "a", of: "Dog", .link, isNullable: true, .dictionary, target: "Dog") }]),
            Self.digest([])
        ]
        #expect(Set(digests + others).count == values.count + others.count)
    }

    /// The digest is compared between programs and versions: it must stay what it is.
    @Test func `the digest of a realm is always the same`() {
        #expect(Self.digest([]) == "9e1736c43d19118e6ce4302118af337109491ecc52757dfb949bad6a7940b0c2")
        #expect(Self.digest(Self.facts) == "8e9434d01e3a774f07df366a1eed0aed19c60240f2c7300d5270307ed75ff828")
    }
}
