import Foundation
import Model
import TestSupport
import Testing

@testable import Wire

@Suite("Messages")
struct MessageTests {
    private func reread<Payload: WirePayload>(_ payload: Payload) throws -> Bool {
        try WireSamples.document(payload).withUnsafeBytes { bytes in
            let view = try UnsafeBSONView(validating: bytes)
            return try Payload(view) == payload
        }
    }

    @Test("every message survives the way there and back")
    func roundTrip() throws {
        for payload in WireSamples.payloads { #expect(try reread(payload), "\(payload)") }
    }

    @Test("there is a sample of every method's parameters and result")
    func samplesAreComplete() {
        let methods = WireSamples.payloads.compactMap { ($0 as? any WireRequest).map { type(of: $0).method } }
        #expect(Set(methods) == Set(Method.allCases))
        let events = WireSamples.payloads.compactMap { ($0 as? any WireEvent).map { type(of: $0).event } }
        #expect(Set(events) == Set(Event.allCases))
        let types = Set(WireSamples.payloads.map { ObjectIdentifier(type(of: $0)) })
        func replyType<Request: WireRequest>(_: Request) -> ObjectIdentifier { ObjectIdentifier(Request.Reply.self) }
        for case let request as any WireRequest in WireSamples.payloads {
            #expect(types.contains(replyType(request)), "\(type(of: request))")
        }
    }

    private func decode<Payload: WirePayload>(like payload: Payload, _ bytes: [UInt8]) -> WireDecodingError? {
        bytes.withUnsafeBytes { bytes in
            guard let view = try? UnsafeBSONView(validating: bytes) else { return nil }
            do throws(WireDecodingError) {
                _ = try Payload(view)
                return nil
            } catch {
                return error
            }
        }
    }

    @Test("any field may have any type, or be missing: an error names it, nothing dies, unknown fields don't matter")
    func wrongFields() throws {
        let intruders: [BSONValue] = [
            .double(1.5), .string("x"), .document([:]), .document(["$x": .null]), .array([.null]), .array([]),
            .binary(subtype: 0, Data([1])), .objectId(ObjectId()), .bool(true), .date(0), .null, .int32(-1),
            .int64(.min), .decimal128(Decimal128(low: 0, high: 0)), .double(.nan)
        ]
        for payload in WireSamples.payloads {
            let document = try BSONDocument(bytes: try WireSamples.document(payload))
            for (index, element) in document.elements.enumerated() {
                for intruder in intruders {
                    var changed = document
                    changed.elements[index].value = intruder
                    if let error = decode(like: payload, try changed.encoded()) {
                        // Of the two ways to name a realm the first is asked for.
                        #expect(error.field.hasPrefix(element.key) || element.key == "path", "\(payload): \(error)")
                        #expect(!error.expected.isEmpty)
                    }
                }
                var shorter = document
                shorter.elements.remove(at: index)
                if let error = decode(like: payload, try shorter.encoded()) {
                    #expect(error.field == element.key || element.key == "path", "\(payload): \(error)")
                    #expect(error.found == nil)
                }
            }
            var longer = document
            longer.elements.append(.init("fromTheFuture", .document(["x": .int32(1)])))
            if !(payload is WireError) { #expect(decode(like: payload, try longer.encoded()) == nil) }
        }
    }

    @Test("errors say where inside and what was expected")
    func errorTexts() throws {
        func error(_ document: BSONDocument) throws -> WireDecodingError? {
            decode(like: ReadQuery(realm: 1, query: QueryRequest("Dog")), try document.encoded())
        }
        let base: BSONDocument = ["realm": .int32(1), "class": .string("Dog")]
        func with(_ key: String, _ value: BSONValue) -> BSONDocument {
            var document = base
            document[key] = value
            return document
        }
        let table: [(BSONDocument, String)] = [
            (["class": .string("Dog")], "field \"realm\" is missing; expected int32"),
            (with("realm", .string("1")), "field \"realm\" is string; expected int32"),
            (with("realm", .int64(1 << 40)), "field \"realm\" is int64; expected int32"),
            (with("realm", .double(1.5)), "field \"realm\" is double; expected int32"),
            (with("sort", .array([.array([.int32(1)])])), "field \"sort.0.0\" is int32; expected string"),
            (with("sort", .string("x")), "field \"sort\" is string; expected array of [path, ascending]"),
            (with("limit", .int32(-1)), "field \"limit\" is -1; expected a number not below 0"),
            (with("batch", .int32(0)), "field \"batch\" is 0; expected a number above 0"),
            (
                with("arguments", .array([.null, .array([.document(["$x": .null])])])),
                "field \"arguments.1.0\" is a document with key \"$x\"; expected a value"
            ),
            (
                with("among", .binary(subtype: 0, Data(count: 7))),
                "field \"among\" is binary; expected binary of int64 values"
            )
        ]
        for (document, text) in table { #expect(try error(document)?.description == text) }
        #expect(try error(with("realm", .int64(7))) == nil)
        #expect(try error(with("realm", .double(7))) == nil)
        #expect(try error(with("limit", .null)) == nil)
    }

    @Test("bytes of representative messages")
    func golden() throws {
        let table: [([UInt8], String)] = [
            (
                try Hello(client: "app", pid: 42, version: "0.1", features: [.descriptors]).frame(id: 1),
                """
                8a00000012696400 0100000000000000 026d6574686f6400 06000000 68656c6c6f00 03706172616d7300 5f000000
                1070726f746f636f6c00 01000000 02636c69656e7400 04000000 61707000 1070696400 2a000000
                0276657273696f6e00 04000000 302e3100 04666561747572657300 18000000 023000 0c000000
                64657363726970746f727300 00 00 00
                """
            ),
            (
                try SnapshotRelease(realm: 1, pins: [2]).frame(id: nil),
                """
                50000000 026d6574686f6400 11000000 736e617073686f742e72656c6561736500 03706172616d7300 26000000
                107265616c6d00 01000000 0470696e7300 10000000 123000 0200000000000000 00 00 00
                """
            ),
            (
                try SnapshotRelease(realm: 1, pins: [], kept: [4]).frame(id: nil),
                """
                5b000000 026d6574686f6400 11000000 736e617073686f742e72656c6561736500 03706172616d7300 31000000
                107265616c6d00 01000000 0470696e7300 05000000 00 046b65707400 10000000 123000 0400000000000000 00 00 00
                """
            ),
            (
                try FrameEncoder().failure(WireError(.unknownMethod, "no"), id: 7) { Array($0) },
                """
                4f000000 12696400 0700000000000000 036572726f7200 37000000 10636f646500 67000000 026e616d6500 0e000000
                756e6b6e6f776e4d6574686f6400 026d65737361676500 03000000 6e6f00 00 00
                """
            )
        ]
        for (frame, expected) in table { #expect(hex(frame) == hex(bytes(hex: expected))) }
    }

    @Test("numbers and names of errors are unique and hold for ever")
    func errorCodes() {
        let all = WireError.Code.all
        #expect(Set(all.map(\.number)).count == all.count)
        #expect(Set(all.map(\.name)).count == all.count)
        let protocolFile = #filePath.replacing("Tests/WireTests/MessageTests.swift", with: "Sources/Wire/PROTOCOL.md")
        let text = (try? String(contentsOfFile: protocolFile, encoding: .utf8)) ?? ""
        for code in all { #expect(text.contains("| \(code.number) | `\(code.name)` |"), "\(code.name) in PROTOCOL.md") }
        for method in Method.allCases {
            #expect(text.contains("`\(method.rawValue)`"), "\(method.rawValue) in PROTOCOL.md")
        }
        for event in Event.allCases {
            #expect(text.contains("`\(event.rawValue)`"), "\(event.rawValue) in PROTOCOL.md")
        }
    }

    @Test("an append that isn't copied is the same message, and is read where it lies")
    func appendInPlace() throws {
        let changes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0) }
        let frame = try WriteAppend(realm: 1, transaction: 5, changes: Bytes(changes)).frame(id: nil)
        try changes.withUnsafeBytes { bytes in
            let append = UnsafeWriteAppend(realm: 1, transaction: 5, changes: UnsafeBytes(bytes))
            #expect(try append.frame(id: nil) == frame)
            try frame.withUnsafeBytes { frame in
                guard case .request(nil, "write.append", let params) = try UnsafeEnvelope(frame: frame) else {
                    Issue.record("not an append")
                    return
                }
                let read = try UnsafeWriteAppend(params: params)
                #expect(read == append)
                #expect(read.hashValue == append.hashValue)
                let start = try #require(read.changes.buffer.baseAddress)
                #expect(try start > #require(frame.baseAddress))
            }
        }
    }

    @Test("a frame beyond the limit isn't sent, and the encoder goes on")
    func encoderLimit() throws {
        let encoder = FrameEncoder(frameLimit: 200)
        let large = WriteAppend(realm: 1, transaction: 1, changes: Bytes([UInt8](repeating: 0, count: 300)))
        let error = #expect(throws: WireError.self) { try encoder.request(large, id: 1) { _ in } }
        #expect(error?.name == "frameTooLarge")
        #expect(try encoder.request(RealmClose(realm: 1), id: 2) { $0.count } < 200)
    }
}
