import TestSupport
import Testing

@testable import Server

@Suite("JSON")
struct JSONTests {
    @Test("values are read and written")
    func values() throws {
        let text =
            #" { "a" : [ 1 , -0, -12.5e-1 , true , false , null, "" ] , "b" : { "é\n\u00e9\ud83d\ude00\/\"\\" : 9223372036854775807 } } "#
        let value = try JSONValue(parsing: text)
        #expect(
            value == [
                "a": [1, 0, .double(-1.25), true, false, .null, ""], "b": ["é\né😀/\"\\": .integer(.max)]
            ])
        #expect(value.text == #"{"a":[1,0,-1.25,true,false,null,""],"b":{"é\né😀/\"\\":9223372036854775807}}"#)
        #expect(try JSONValue(parsing: value.text) == value)
        #expect(JSONValue.string("\u{0}\u{1f}\t\r").text == #""\u0000\u001f\t\r""#)
        #expect(JSONValue.double(.infinity).text == "null")
    }

    @Test("of equal keys the last counts; numbers beyond 64 bits are doubles; integers come plain or extended (H-3)")
    func details() throws {
        #expect(try JSONValue(parsing: #"{"a":1,"a":2}"#)["a"] == 2)
        #expect(try JSONValue(parsing: "9223372036854775808") == .double(9_223_372_036_854_775_808))
        #expect(try JSONValue(parsing: #"{"$numberInt":"5"}"#).integer == 5)
        #expect(try JSONValue(parsing: #"{"$numberLong":"-6"}"#).integer == -6)
        #expect(try JSONValue(parsing: #"{"$numberLong":"x"}"#).integer == nil)
        #expect(JSONValue.double(1).integer == nil)
    }

    @Test(
        "what isn't JSON is refused",
        arguments: [
            "", " ", "{", "}", "[", "[1", "[1,]", "[,1]", "{,}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}",
            "{'a':1}",
            "01", "-", "-01", "1.", ".5", "1e", "1e+", "+1", "0x1", "1e999", "NaN", "nul", "truex", "tru", "\"",
            "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\u+123\"", "\"\\ud800\"", "\"\\ud800\\u0041\"",
            "\"\\udc00\"", "\"\n\"", "\"\u{1}\"", "1 2", "[1]]", "/**/1", "\u{feff}1"
        ])
    func malformed(text: String) {
        #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
    }

    @Test("deep nesting, broken UTF-8 and random bytes are refused without harm")
    func hostile() throws {
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: JSONError.self) { try JSONValue(parsing: deep) }
        let objects = String(repeating: #"{"a":"#, count: 100_000)
        #expect(throws: JSONError.self) { try JSONValue(parsing: objects) }
        let allowed = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        #expect(throws: Never.self) { try JSONValue(parsing: allowed) }
        #expect(throws: JSONError.self) { try JSONValue(parsing: [34, 0xff, 34]) }
        var random = SeededGenerator(seed: randomSeed)
        let pieces = ["{", "}", "[", "]", ",", ":", "\"", "\\", "u", "1", "-", ".", "e", "true", "null", " ", "a"]
        for _ in 0..<500 * soakFactor {
            let text = (0..<Int.random(in: 0..<20, using: &random)).map { _ in
                pieces[Int.random(in: pieces.indices, using: &random)]
            }.joined()
            if let value = try? JSONValue(parsing: text) { #expect(try JSONValue(parsing: value.text) == value) }
        }
    }
}
