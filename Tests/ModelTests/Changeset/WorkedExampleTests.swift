import Foundation
import TestSupport
import Testing

@testable import Model

/// The examples of section 12: bytes against instructions, both ways.
struct WorkedExampleTests {
    /// Definitions of interned strings, in order.
    private static func strings(_ strings: String...) -> String {
        strings.enumerated().map { place, string in
            [0x3f, UInt8(place), UInt8(string.utf8.count)].hex + [UInt8](string.utf8).hex
        }.joined()
    }

    /// Instructions are these bytes after `strings`, and these bytes are the instructions.
    private func expect(
        _ instructions: [Instruction], _ strings: String, _ hex: String, location: SourceLocation = #_sourceLocation
    ) throws {
        let bytes = strings + hex.filter { !$0.isWhitespace }
        #expect(try Changeset.encode(instructions).hex == bytes, sourceLocation: location)
        #expect(try Changeset.decode([UInt8](hex: bytes) ?? []) == instructions, sourceLocation: location)
    }

    @Test func `AddTable (W-1, W-2)`() throws {
        let key = KeyColumn(name: "_id", type: .string, isNullable: false)
        try expect(
            [.addTable(className: "Dog", kind: .topLevel, key: key)], "3f0003446f67 3f01035f6964".filter { $0 != " " },
            "00 00 00 01 03 00")
        try expect([.addTable(className: "E", kind: .embedded, key: nil)], Self.strings("E"), "00 00 01")
        try expect(
            [.addTable(className: "Log", kind: .asymmetric, key: KeyColumn(name: "_id", type: .int, isNullable: true))],
            Self.strings("Log", "_id"), "00 00 02 01 01 01")
        try expect(
            [.addTable(className: "NoPk", kind: .topLevel, key: KeyColumn(name: "", type: nil, isNullable: false))],
            Self.strings("NoPk", ""), "00 00 00 01 40 00")
    }

    @Test func `AddColumn (W-3)`() throws {
        func column(
            _ type: Int8, nullable: Bool = false, _ collection: CollectionKind = .single, target: String? = nil,
            keyType: Int8? = nil
        ) -> [Instruction] {
            [
                .addColumn(
                    className: "Person", property: "p",
                    ColumnDeclaration(
                        type: type, isNullable: nullable, collection: collection, target: target, keyType: keyType))
            ]
        }
        let two = Self.strings("Person", "p")
        try expect(column(1, nullable: true), two, "06 00 01 01 01 00")
        try expect(column(9, nullable: true, target: "Person"), two, "06 00 01 09 01 00 00")
        try expect(column(9, .list, target: "Person"), two, "06 00 01 09 00 01 00")
        try expect(
            column(9, nullable: true, .dictionary, target: "Addr", keyType: 3), Self.strings("Person", "p", "Addr"),
            "06 00 01 09 01 02 02 03")
        try expect(column(0, nullable: true), two, "06 00 01 00 01 00")
        try expect(column(3, .set), two, "06 00 01 03 00 03")
        try expect(column(1, .dictionary, keyType: 3), two, "06 00 01 01 00 02 03")
    }

    @Test func `a writing client interns an empty string for a column without target (W-4, C-64)`() throws {
        let column = ColumnDeclaration(type: 1, isNullable: false, collection: .single, target: nil, keyType: nil)
        let instructions = [Instruction.addColumn(className: "Dog", property: "i", column)]
        let bytes = try Changeset.encode(instructions, layout: .writingClient)
        #expect(bytes.hex == "3f0003446f67" + "3f010169" + "3f0200" + "060001010000")
        #expect(try Changeset.decode(bytes) == instructions)
    }

    @Test func `objects come and go (W-5, W-16)`() throws {
        try expect([.createObject(className: "Dog", key: .string("rex"))], Self.strings("Dog", "rex"), "02 00 03 01")
        try expect([.createObject(className: "Dog", key: .null)], Self.strings("Dog"), "02 00 00")
        try expect([.createObject(className: "Dog", key: .int(1))], Self.strings("Dog"), "02 00 01 01")
        let id = try #require(ObjectId(String(repeating: "aa", count: 12)))
        try expect(
            [.createObject(className: "Dog", key: .objectId(id))], Self.strings("Dog"), "02 00 0a" + id.description)
        try expect([.eraseObject(className: "T", key: .int(-5))], Self.strings("T"), "03 00 01 44")
        try expect([.createObject(className: "T", key: .global(high: 42, low: 0))], Self.strings("T"), "02 00 40 2a 00")
    }

    @Test func `Update of a property (W-6)`() throws {
        let path = InstructionPath("Dog", .string("rex"), "x")
        let uuid = try #require(UUID(uuidString: "3b241101-e2bb-4255-8caf-4136c566a962"))
        let objectId = try #require(ObjectId("0123456789abcdef01234567"))
        func decimal(_ text: String) throws -> Value { .decimal(try #require(Decimal128(text))) }
        let values: [(Value, String)] = [
            (.int(5), "01 05"), (.int(-1), "01 40"), (.int(300), "01 ac 02"), (.bool(true), "02 01"),
            (.string("héj"), "03 04 68 c3 a9 6a"), (.string(""), "03 00"), (.null, "00"),
            (.binary(Data([0, 1, 255])), "04 03 00 01 ff"),
            (.timestamp(Timestamp(seconds: 1_700_000_000, nanoseconds: 500)), "05 80 e2 cf aa 06 f4 03"),
            (.timestamp(Timestamp(seconds: -1, nanoseconds: -500)), "05 40 f3 43"),
            (.float(1.5), "06 00 00 c0 3f"), (.double(-2), "07 00 00 00 00 00 00 00 c0"),
            (try decimal("10.50"), "08 9a 08 41 00"), (try decimal("-3E5"), "08 03 05 01"),
            (try decimal("NaN"), "08 00 e0 cb 00 00"), (try decimal("Inf"), "08 00 e0 c7 00 00"),
            (try decimal("-Inf"), "08 00 e0 c7 00 01"),
            (
                try decimal("12345678901234567890123456789012.34"),
                "08 f2 df da f4 87 9a 97 c1 de e5 dc fc ff cd b7 1e 41 00"
            ),
            (.objectId(objectId), "0a 01 23 45 67 89 ab cd ef 01 23 45 67"),
            (.uuid(uuid), "0b 3b 24 11 01 e2 bb 42 55 8c af 41 36 c5 66 a9 62"),
            (.link(Link(className: "Dog", key: .int(2))), "09 00 01 02")
        ]
        for (value, hex) in values {
            try expect(
                [.update(path, .value(value), isDefault: false)], Self.strings("Dog", "rex", "x"),
                "04 00 03 01 02 00 \(hex) 00")
        }
        try expect(
            [.update(path, .value(.int(9)), isDefault: true)], Self.strings("Dog", "rex", "x"),
            "04 00 03 01 02 00 01 09 01")
    }

    @Test func `AddInteger (W-7)`() throws {
        try expect(
            [.addInteger(InstructionPath("T", .int(1), "n"), -3)], Self.strings("T", "n"), "05 00 01 01 01 00 42")
        try expect([.addInteger(InstructionPath("T", .int(1), "n"), 7)], Self.strings("T", "n"), "05 00 01 01 01 00 07")
    }

    @Test func `lists (W-8, W-17)`() throws {
        let strings = Self.strings("T", "l")
        func path(_ rest: PathElement...) -> InstructionPath { InstructionPath("T", .int(1), "l", rest) }
        try expect(
            [.arrayInsert(path(.index(0)), .value(.string("hi")), priorSize: 0)], strings,
            "08 00 01 01 01 01 00 03 02 68 69 00")
        try expect(
            [.updateElement(path(.index(0)), .value(.int(9)), priorSize: 3)], strings, "04 00 01 01 01 01 00 01 09 03")
        try expect(
            [.arrayMove(path(.index(5)), to: 70, priorSize: 100)], strings, "09 00 01 01 01 01 05 c6 00 e4 00")
        try expect([.arrayErase(path(.index(5)), priorSize: 6)], strings, "0a 00 01 01 01 01 05 06")
        try expect([.clear(path(), .list)], strings, "0b 00 01 01 01 00 01")
    }

    @Test func `embedded object on an empty slot, streamed (W-9, C-65)`() throws {
        let key = try #require(ObjectId(String(repeating: "aa", count: 12)))
        var writer = ChangesetWriter(layout: .writingClient)
        let person = EncodedObject(target: writer.intern("Person"), key: .objectId(key))
        let address = writer.intern("addr")
        writer.update(person, address, payload: .embeddedObject)
        _ = writer.intern("Addr")
        let street = writer.intern("street")
        var main = "Main"
        main.withUTF8 { bytes in
            writer.update(
                person, address, path: [.name(street)], payload: .string(UnsafeRawBufferPointer(bytes)))
        }
        let numbers = writer.intern("nums")
        writer.arrayInsert(person, address, path: [.name(numbers), .index(0)], payload: .int(1), priorSize: 0)
        let id = key.description
        let expected = """
            3f 00 06 50 65 72 73 6f 6e
            3f 01 04 61 64 64 72
            04 00 0a \(id) 01 00 41 00
            3f 02 04 41 64 64 72
            3f 03 06 73 74 72 65 65 74
            04 00 0a \(id) 01 01 40 03 03 04 4d 61 69 6e 00
            3f 04 04 6e 75 6d 73
            08 00 0a \(id) 01 02 40 04 00 01 01 00
            """
        #expect(writer.finished().hex == expected.filter { !$0.isWhitespace })
    }

    @Test func `replacing an element, dictionaries, sets (W-10, W-11, W-12)`() throws {
        func path(_ rest: PathElement...) -> InstructionPath { InstructionPath("T", .int(1), "f", rest) }
        let two = Self.strings("T", "f")
        let three = Self.strings("T", "f", "a")
        try expect(
            [
                .arrayErase(path(.index(0)), priorSize: 2),
                .arrayInsert(path(.index(0)), .embeddedObject, priorSize: 1),
                .update(path(.index(0), .name("a")), .value(.string("z")), isDefault: false)
            ], three, "0a 00 01 01 01 01 00 02  08 00 01 01 01 01 00 41 01  04 00 01 01 01 02 00 40 02 03 01 7a 00")
        try expect(
            [.update(path(.name("a")), .value(.int(1)), isDefault: false)], three, "04 00 01 01 01 01 40 02 01 01 00")
        try expect([.update(path(.name("a")), .erased, isDefault: false)], three, "04 00 01 01 01 01 40 02 43 00")
        try expect([.clear(path(), .dictionary)], two, "0b 00 01 01 01 00 02")
        try expect([.setInsert(path(), .value(.string("a")))], two, "0c 00 01 01 01 00 03 01 61")
        try expect([.setErase(path(), .value(.null))], two, "0d 00 01 01 01 00 00")
        try expect([.clear(path(), .set)], two, "0b 00 01 01 01 00 03")
    }

    @Test func `collections in Mixed (W-13, W-14)`() throws {
        func path(_ rest: PathElement...) -> InstructionPath { InstructionPath("T", .int(1), "f", rest) }
        try expect(
            [
                .update(path(), .dictionary, isDefault: false),
                .update(path(.name("l")), .list, isDefault: false),
                .arrayInsert(path(.name("l"), .index(0)), .value(.int(1)), priorSize: 0),
                .arrayInsert(path(.name("l"), .index(1)), .dictionary, priorSize: 1),
                .clear(path(.name("l")), .list)
            ], Self.strings("T", "f", "l"),
            """
            04 00 01 01 01 00 42 00  04 00 01 01 01 01 40 02 44 00  08 00 01 01 01 02 40 02 00 01 01 00
            08 00 01 01 01 02 40 02 01 42 01  0b 00 01 01 01 01 40 02 01
            """)
        try expect(
            [.updateElement(path(.name("k"), .index(2)), .value(.int(7)), priorSize: 3)], Self.strings("T", "f", "k"),
            "04 00 01 01 01 02 40 02 02 01 07 03")
    }

    @Test func `schema parts go (W-15)`() throws {
        try expect([.eraseTable(className: "T")], Self.strings("T"), "01 00")
        try expect([.eraseColumn(className: "T", property: "f")], Self.strings("T", "f"), "07 00 01")
    }
}
