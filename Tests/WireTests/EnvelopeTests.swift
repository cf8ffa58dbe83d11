import Foundation
import Testing

@testable import Wire

@Suite("Envelopes")
struct EnvelopeTests {
    private func describe(_ document: BSONDocument) throws -> String {
        try document.encoded().withUnsafeBytes { bytes in
            do throws(WireError) {
                switch try UnsafeEnvelope(frame: bytes) {
                case .request(let id, let method, let params):
                    return "request \(id ?? 0) \(method) \(BSONDocument(params).elements.count)"
                case .result(let id, let view): return "result \(id) \(BSONDocument(view).elements.count)"
                case .failure(let id, let error):
                    return "failure \(id ?? 0) \(error.name) \(error.facts.elements.count)"
                }
            } catch {
                return "\(error.name) \(error.facts["field"].map { "\($0)" } ?? "")"
            }
        }
    }

    @Test("what is a message, and of what kind")
    func table() throws {
        let failure: BSONValue = .document(["code": .int32(1), "name": .string("x"), "path": .string("/")])
        let table: [(BSONDocument, String)] = [
            (["id": .int64(1), "method": .string("hello"), "params": .document(["a": .null])], "request 1 hello 1"),
            (["id": .int64(1), "method": .string("hello"), "params": .null], "request 1 hello 0"),
            (["id": .int32(1), "method": .string("hello")], "request 1 hello 0"),
            (["method": .string("x.y")], "request 0 x.y 0"),
            (["id": .null, "method": .string("x.y")], "request 0 x.y 0"),
            (["id": .int64(2), "result": .document([:])], "result 2 0"),
            (["id": .int64(2), "error": failure], "failure 2 x 1"),
            (["error": failure], "failure 0 x 1"),
            (["id": .int64(.max), "method": .string("x"), "extra": .array([])], "request \(Int64.max) x 0"),
            ([:], "badMessage string(\"method\")"),
            (["id": .int64(1)], "badMessage string(\"method\")"),
            (["id": .int64(0), "method": .string("x")], "badMessage string(\"id\")"),
            (["id": .int64(-1), "method": .string("x")], "badMessage string(\"id\")"),
            (["id": .string("1"), "method": .string("x")], "badMessage string(\"id\")"),
            (["id": .double(1.5), "method": .string("x")], "badMessage string(\"id\")"),
            (["id": .int64(1), "method": .int32(1)], "badMessage string(\"method\")"),
            (["id": .int64(1), "method": .string(String(repeating: "x", count: 65))], "badMessage string(\"method\")"),
            (["id": .int64(1), "method": .string("x"), "params": .array([])], "badMessage string(\"params\")"),
            (["result": .document([:])], "badMessage string(\"id\")"),
            (["id": .int64(1), "result": .null], "badMessage string(\"result\")"),
            (["id": .int64(1), "error": .string("no")], "badMessage string(\"error\")"),
            (["id": .int64(1), "error": .document([:])], "badMessage string(\"name\")")
        ]
        for (document, expected) in table { #expect(try describe(document) == expected, "\(document)") }
    }
}
