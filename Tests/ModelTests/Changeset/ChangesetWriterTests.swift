import Foundation
import TestSupport
import Testing

@testable import Model

struct ChangesetWriterTests {
    @Test func `typed updates write what the general one does`() throws {
        let uuid = UUID(high: 1, low: 2)
        let objectId = ObjectId(high: 3, low: 4)
        let keys: [PrimaryKey] = [
            .null, .int(.min), .string("rex"), .objectId(objectId), .uuid(uuid), .global(high: .max, low: .max)
        ]
        for key in keys {
            for isDefault in [false, true] {
                var writer = ChangesetWriter()
                let target = writer.intern("Dog")
                let object = EncodedObject(target: target, key: writer.intern(key))
                let x = writer.intern("x")
                writer.createObject(object)
                writer.updateNull(object, x, isDefault: isDefault)
                writer.update(object, x, int: .min, isDefault: isDefault)
                writer.update(object, x, bool: true, isDefault: isDefault)
                writer.update(object, x, float: -0.0, isDefault: isDefault)
                writer.update(object, x, double: .pi, isDefault: isDefault)
                writer.update(
                    object, x, timestamp: Timestamp(seconds: .min, nanoseconds: .min), isDefault: isDefault)
                writer.update(object, x, objectId: objectId, isDefault: isDefault)
                writer.update(object, x, uuid: uuid, isDefault: isDefault)
                writer.update(object, x, string: String(repeating: "é", count: 10_000), isDefault: isDefault)
                writer.update(object, x, link: target, .global(high: .max, low: .max), isDefault: isDefault)
                writer.update(object, x, payload: .decimal(.infinity), isDefault: isDefault)
                writer.eraseObject(object)
                #expect(writer.instructionCount == 13)

                let values: [Value] = [
                    .null, .int(.min), .bool(true), .float(-0.0), .double(.pi),
                    .timestamp(Timestamp(seconds: .min, nanoseconds: .min)), .objectId(objectId), .uuid(uuid),
                    .string(String(repeating: "é", count: 10_000)),
                    .link(Link(className: "Dog", key: .global(high: .max, low: .max))), .decimal(.infinity)
                ]
                let path = InstructionPath("Dog", key, "x")
                let expected =
                    [.createObject(className: "Dog", key: key)]
                    + values.map { Instruction.update(path, .value($0), isDefault: isDefault) }
                    + [.eraseObject(className: "Dog", key: key)]
                #expect(try Changeset.decode(writer.finished()) == expected, "\(key)")
            }
        }
    }

    @Test func `fields encoded before write what the typed updates do`() {
        let uuid = UUID(high: 1, low: 2)
        let objectId = ObjectId(high: 3, low: 4)
        let text = Array(String(repeating: "é", count: 10_000).utf8)
        let times = [Timestamp(seconds: .min, nanoseconds: .min), Timestamp(seconds: 1, nanoseconds: 63)]
        // Names whose index takes one byte, and five.
        for name in [UInt32(0), 63, 64, .max] {
            var expected = ChangesetWriter()
            var writer = ChangesetWriter()
            let object = EncodedObject(target: expected.intern("Dog"), key: .objectId(objectId))
            #expect(writer.intern("Dog") == 0)
            func field(_ type: PayloadType) -> EncodedField { EncodedField(property: name, type: type) }
            for number in [Int64.min, -1, 0, 63, 64, .max] {
                expected.update(object, name, int: number)
                writer.update(object, field(.int), int: number)
            }
            for isTrue in [false, true] {
                expected.update(object, name, bool: isTrue)
                writer.update(object, field(.bool), int: isTrue ? 1 : 0)
            }
            expected.update(object, name, float: -0.0)
            writer.update(object, field(.float), float: -0.0)
            expected.update(object, name, double: .pi)
            writer.update(object, field(.double), double: .pi)
            for time in times {
                expected.update(object, name, timestamp: time)
                writer.update(object, field(.timestamp), timestamp: time)
            }
            expected.update(object, name, objectId: objectId)
            writer.update(object, field(.objectId), objectId: objectId)
            expected.update(object, name, uuid: uuid)
            writer.update(object, field(.uuid), uuid: uuid)
            text.withUnsafeBytes { bytes in
                for count in [0, 1, 63, 64, text.count] {
                    let bytes = UnsafeRawBufferPointer(rebasing: bytes[..<count])
                    expected.update(object, name, utf8: bytes)
                    writer.update(object, field(.string), bytes: bytes)
                    expected.update(object, name, payload: .binary(bytes))
                    writer.update(object, field(.binary), bytes: bytes)
                }
            }
            #expect(writer.finished() == expected.finished())
            #expect(writer.instructionCount == expected.instructionCount)
        }
        #expect(EncodedField().isEmpty)
        #expect(!EncodedField(property: 0, type: .null).isEmpty)
    }

    @Test func `large indices and keys fit the encoded object`() throws {
        let object = EncodedObject(target: .max, key: .global(high: .max, low: .max))
        #expect(object.count == 26)
        var writer = ChangesetWriter()
        for number in 0..<200 { #expect(writer.intern("s\(number)") == UInt32(number)) }
        let last = EncodedObject(target: 199, key: .global(high: .max, low: .max))
        writer.update(last, 198, int: 1)
        let expected = Instruction.update(
            InstructionPath("s199", .global(high: .max, low: .max), "s198"), .value(.int(1)), isDefault: false)
        #expect(try Changeset.decode(writer.finished()) == [expected])
    }

    @Test func `without instructions a strings-first changeset is empty (C-66)`() throws {
        var writer = ChangesetWriter(layout: .stringsFirst)
        _ = writer.intern("T")
        #expect(writer.finished().isEmpty)
        #expect(try Changeset.encode([]).isEmpty)
        #expect(try Changeset.decode([]).isEmpty)
    }

    @Test func `a string is interned once, by its bytes (C-29)`() throws {
        var writer = ChangesetWriter()
        let composed = writer.intern("\u{e9}")
        #expect(writer.intern("e\u{301}") != composed)
        #expect(writer.intern("\u{e9}") == composed)
        let empty = writer.intern("")
        #expect(writer.intern("") == empty)
        #expect(try Changeset.decode(writer.finished()).isEmpty)
    }

    @Test func `after a whole new start indices begin at 0 again`() throws {
        for layout in [ChangesetWriter.Layout.streaming, .stringsFirst] {
            var writer = ChangesetWriter(layout: layout)
            for round in 0..<3 {
                #expect(writer.intern("T\(round)") == 0)
                writer.eraseTable(0)
                #expect(try Changeset.decode(writer.finished()) == [.eraseTable(className: "T\(round)")])
                writer.removeAll(keepingStrings: false)
                #expect(writer.instructionCount == 0)
            }
        }
    }

    @Test func `taken bytes and the rest make one stream`() throws {
        var writer = ChangesetWriter()
        writer.append(.createObject(className: "T", key: .string("a")))
        var bytes = [UInt8](writer.streamedBytes)
        writer.removeAll(keepingStrings: true)
        #expect(writer.count == 0)
        writer.append(.eraseObject(className: "T", key: .string("a")))
        #expect([UInt8](writer.streamedBytes).hex == "03000301")
        bytes += [UInt8](writer.streamedBytes)
        #expect(
            try Changeset.decode(bytes) == [
                .createObject(className: "T", key: .string("a")), .eraseObject(className: "T", key: .string("a"))
            ])
    }

    @Test func `words that are no decimals travel as zeros`() throws {
        let word = Decimal128(low: .max, high: 0x3041_ffff_ffff_ffff)
        let path = InstructionPath("T", .int(1), "f")
        let bytes = try Changeset.encode([.update(path, .value(.decimal(word)), isDefault: false)])
        guard case .update(_, .value(.decimal(let read)), _)? = try Changeset.decode(bytes).first else {
            Issue.record("no decimal")
            return
        }
        #expect(read.isZero)
    }
}
