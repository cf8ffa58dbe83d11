import TestSupport
import Testing

@testable import Model

/// Malformed bytes: each is refused with the rule broken and the place.
struct ChangesetRefusalTests {
    /// Strings T, f; an object T[1]; bytes 0 … 7 of each input below that begins with it.
    private static let strings = "3f000154 3f010166"

    struct Refusal: Sendable {
        var hex: String
        var code: ChangesetError.Code
        var rule: String
        var offset: Int

        init(_ hex: String, _ code: ChangesetError.Code, _ rule: String, at offset: Int) {
            self.hex = ChangesetRefusalTests.strings + hex
            self.code = code
            self.rule = rule
            self.offset = offset
        }
    }

    @Test(arguments: [
        // Opcodes and types count in full width (C-21): 514 = 0x202, 65536 + 2.
        Refusal("82 04 00 01 01", .unknownOpcode, "C-51", at: 8),
        Refusal("82 80 04 00 01 01", .unknownOpcode, "C-51", at: 8),
        Refusal("40", .unknownOpcode, "C-51", at: 8),
        Refusal("0e 00", .unknownOpcode, "C-51", at: 8),
        Refusal("02 00 81 04 01", .unknownPayloadType, "C-37", at: 10),
        Refusal("04 00 01 01 01 00 81 04 01 00", .unknownPayloadType, "C-33", at: 14),
        Refusal("04 00 01 01 01 00 0c 00", .unknownPayloadType, "C-33", at: 14),
        Refusal("04 00 01 01 01 00 46 00", .unknownPayloadType, "C-33", at: 14),
        Refusal("04 00 01 01 01 00 40 01 02 00", .unknownPayloadType, "C-32", at: 14),
        Refusal("06 00 01 0c 00 00", .unknownPayloadType, "C-33", at: 11),
        Refusal("06 00 01 01 00 02 0c", .unknownPayloadType, "C-33", at: 14),
        Refusal("00 00 03 01 01 00", .unknownKind, "C-59", at: 10),
        Refusal("06 00 01 01 00 04", .unknownKind, "C-59", at: 13),
        Refusal("0b 00 01 01 01 00 04", .unknownKind, "C-59", at: 14),
        // Interned strings.
        Refusal("3f 03 01 67", .internedIndexOutOfOrder, "C-29", at: 9),
        Refusal("3f 01 01 67", .internedIndexOutOfOrder, "C-29", at: 9),
        Refusal("3f 02 01 54", .internedStringRepeated, "C-29", at: 9),
        Refusal("02 02 01 01", .internedIndexUndefined, "C-29", at: 9),
        Refusal("02 00 03 02", .internedIndexUndefined, "C-29", at: 11),
        Refusal("04 00 01 01 02 00 00 00", .internedIndexUndefined, "C-29", at: 12),
        Refusal("04 00 01 01 01 01 40 02 00 00", .internedIndexUndefined, "C-29", at: 15),
        Refusal("04 00 01 01 01 00 09 02 00 00", .internedIndexUndefined, "C-29", at: 15),
        Refusal("04 00 01 01 01 00 09 00 03 02 00", .internedIndexUndefined, "C-29", at: 17),
        Refusal("06 00 01 09 01 00 02", .internedIndexUndefined, "C-29", at: 14),
        // Keys.
        Refusal("02 00 02 01", .badPrimaryKeyType, "C-37", at: 10),
        Refusal("02 00 09 00 01 01", .badPrimaryKeyType, "C-37", at: 10),
        Refusal("02 00 41", .badPrimaryKeyType, "C-37", at: 10),
        Refusal("00 00 00 01 02 00", .badPrimaryKeyType, "C-52", at: 12),
        Refusal("00 00 02 01 00 00", .badPrimaryKeyType, "C-52", at: 12),
        Refusal("00 00 00 01 0c 00", .unknownPayloadType, "C-52", at: 12),
        // Global keys with the negative words that the reference takes.
        Refusal("02 00 40 41 00", .malformedInteger, "C-20", at: 11),
        Refusal("02 00 40 00 41", .malformedInteger, "C-20", at: 12),
        // Paths.
        Refusal("08 00 01 01 01 00 00 00", .pathWithoutIndex, "C-59", at: 8),
        Refusal("08 00 01 01 01 01 40 01 00 00", .pathWithoutIndex, "C-59", at: 8),
        Refusal("09 00 01 01 01 00 00 01", .pathWithoutIndex, "C-59", at: 8),
        Refusal("0a 00 01 01 01 00 01", .pathWithoutIndex, "C-59", at: 8),
        Refusal("0a 00 01 01 01 02 00 40 01 01", .pathWithoutIndex, "C-59", at: 8),
        Refusal("0a 00 01 01 01 01 80 80 80 80 10 01", .indexTooLarge, "C-60", at: 14),
        // Values.
        Refusal("04 00 01 01 01 00 03 f0 ff ff 07", .valueTooLong, "C-16", at: 15),
        Refusal("04 00 01 01 01 00 04 f1 ff ff 07", .valueTooLong, "C-16", at: 15),
        Refusal("04 00 01 01 01 00 03 40", .malformedInteger, "C-20", at: 15),
        Refusal("04 00 01 01 01 00 05 00 80 80 80 80 08 00", .timestampOutOfRange, "C-59", at: 16),
        Refusal("04 00 01 01 01 00 05 00 80 80 80 80 48 00", .timestampOutOfRange, "C-59", at: 16),
        // 10^34, and exponents just out of range on both sides.
        Refusal(
            "04 00 01 01 01 00 08 80 80 80 80 c0 cc e3 c6 b7 80 9f ec ea b7 c2 f6 01 00 00 00", .decimalOutOfRange,
            "C-60", at: 15),
        Refusal("04 00 01 01 01 00 08 01 a0 70 00 00", .decimalOutOfRange, "C-60", at: 15),
        Refusal("04 00 01 01 01 00 08 01 e0 cf 00 00 00", .decimalOutOfRange, "C-60", at: 15),
        // Collections and embedded objects in sets.
        Refusal("0c 00 01 01 01 00 41", .badSetElement, "C-60", at: 14),
        Refusal("0c 00 01 01 01 00 42", .badSetElement, "C-60", at: 14),
        Refusal("0d 00 01 01 01 00 43", .badSetElement, "C-60", at: 14),
        Refusal("0d 00 01 01 01 00 44", .badSetElement, "C-60", at: 14),
        Refusal("0c 00 01 01 01 00 45", .badSetElement, "C-60", at: 14),
        // Booleans.
        Refusal("04 00 01 01 01 00 02 40 00", .malformedInteger, "C-20", at: 15),
        Refusal("04 00 01 01 01 00 02 80 02 00", .malformedInteger, "C-21", at: 15),
        Refusal("04 00 01 01 01 00 00 41", .malformedInteger, "C-20", at: 15),
        // Ends of input.
        Refusal("04 00 01 01 01 00 00", .truncated, "C-21", at: 15),
        Refusal("04 00 01 01 01 00 06 00 00 00", .truncated, "C-59", at: 15),
        Refusal("04 00 01 01 01 00 03 02 61", .truncated, "C-59", at: 16),
        Refusal("04 00 01 01 01 ff ff ff ff 0f", .truncated, "C-21", at: 18),
        // What is no UTF-8 may be a value, but no name and no key.
        Refusal("3f 02 01 ff 02 02 00", .internedStringNotUTF8, "C-26", at: 12),
        Refusal("3f 02 01 ff 02 00 03 02", .internedStringNotUTF8, "C-26", at: 12)
    ])
    func `malformed input names its fault, rule and place`(refusal: Refusal) throws {
        let bytes = try #require([UInt8](hex: refusal.hex))
        let error = #expect(throws: ChangesetError.self) { try Changeset.decode(bytes) }
        #expect(error?.code == refusal.code, "\(refusal.hex)")
        #expect(error?.rule == refusal.rule, "\(refusal.hex)")
        #expect(error?.offset == refusal.offset, "\(refusal.hex): \(error?.description ?? "")")
    }

    @Test(arguments: [
        "04 00 01 01 01 00 05 01 40 00",  // mixed signs (C-60)
        "04 00 01 01 01 00 05 00 ff ff ff ff 07 00",  // 2^31 − 1 nanoseconds
        "04 00 01 01 01 00 05 00 ff ff ff ff 47 00",  // −2^31
        "04 00 01 01 01 00 08 01 9f 70 00 00",  // smallest exponent
        "04 00 01 01 01 00 08 01 df cf 00 00 00",  // largest
        "04 00 01 01 01 00 08 e5 09 a5 3f 00 00",  // a decimal that IEEE 754 calls non-canonical
        "04 00 01 01 01 00 45 00",  // a set, which never applies
        "0a 00 01 01 01 01 ff ff ff ff 0f 01",  // largest index
        "06 00 01 45 00 00", "06 00 01 40 00 00",  // types that no column has
        "3f 02 01 ff",  // a string that nobody uses
        "0b 00 01 01 01 00 00"  // Clear of an older client (C-56)
    ])
    func `odd input that passes the parser`(hex: String) throws {
        let bytes = try #require([UInt8](hex: Self.strings + hex))
        let instructions = try Changeset.decode(bytes)
        #expect(try Changeset.decode(Changeset.encode(instructions)) == instructions)
    }

    @Test func `offsets count from the start of the stream`() throws {
        let strings = InternTable()
        let pieces = ["3f000154", "02000101", "02010101"].compactMap { [UInt8](hex: $0) }
        var base = 0
        var count = 0
        let error = #expect(throws: ChangesetError.self) {
            for piece in pieces {
                try piece.withUnsafeBytes { bytes in
                    var reader = ChangesetReader(bytes, strings: strings, base: base)
                    while try reader.next() != nil { count += 1 }
                    base = reader.offset
                }
            }
        }
        #expect(count == 1)
        #expect(error?.offset == 9)
    }

    @Test func `instructions that could not be read back have no bytes`() throws {
        let path = InstructionPath("T", .int(1), "f")
        let element = InstructionPath("T", .int(1), "f", [.index(0)])
        let long = String(repeating: "x", count: ChangesetLimit.stringLength + 1)
        let longest = String(repeating: "x", count: ChangesetLimit.stringLength)
        func column(_ type: Int8, _ collection: CollectionKind, _ target: String?, _ keyType: Int8?) -> Instruction {
            .addColumn(
                className: "T", property: "f",
                ColumnDeclaration(
                    type: type, isNullable: false, collection: collection, target: target, keyType: keyType))
        }
        let refused: [(Instruction, ChangesetError.Code)] = [
            (.arrayInsert(path, .value(.null), priorSize: 0), .pathWithoutIndex),
            (.arrayMove(path, to: 1, priorSize: 2), .pathWithoutIndex),
            (.arrayErase(path, priorSize: 1), .pathWithoutIndex),
            (.updateElement(path, .value(.null), priorSize: 1), .pathWithoutIndex),
            (.update(element, .value(.null), isDefault: false), .pathEndsInIndex),
            (.setInsert(path, .list), .badSetElement),
            (.setErase(path, .erased), .badSetElement),
            (.update(path, .value(.string(long)), isDefault: false), .valueTooLong),
            (.createObject(className: "T", key: .string(long)), .valueTooLong),
            (.addTable(className: "T", kind: .topLevel, key: nil), .badPrimaryKeyType),
            (
                .addTable(
                    className: "T", kind: .topLevel, key: KeyColumn(name: "k", type: .bool, isNullable: false)),
                .badPrimaryKeyType
            ),
            (
                .addTable(className: "T", kind: .embedded, key: KeyColumn(name: "k", type: .int, isNullable: false)),
                .badPrimaryKeyType
            ),
            (column(12, .single, nil, nil), .unknownPayloadType),
            (column(9, .single, nil, nil), .unknownPayloadType),
            (column(1, .single, "T", nil), .unknownPayloadType),
            (column(1, .dictionary, nil, nil), .unknownKind),
            (column(1, .list, nil, 3), .unknownKind)
        ]
        for (instruction, code) in refused {
            let error = #expect(throws: ChangesetError.self) {
                try Changeset.encode([.eraseTable(className: "T"), instruction])
            }
            #expect(error?.code == code)
            #expect(error?.offset == 1)
        }
        let largest = [Instruction.update(path, .value(.string(longest)), isDefault: false)]
        #expect(try Changeset.decode(Changeset.encode(largest)) == largest)
    }

    @Test func `a long path costs no memory before its bytes are there`() throws {
        // Says 2^32 − 1 steps and holds three.
        let bytes = try #require([UInt8](hex: Self.strings + "0a 00 01 01 01 ff ff ff ff 0f 00 00 00"))
        #expect(throws: ChangesetError.self) { try Changeset.decode(bytes) }
    }
}
