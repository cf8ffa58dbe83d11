import Foundation

/// Values of documents as canonical extended JSON, in which they travel to and from servers (H-3).
enum ExtendedJSON {
    static func text(_ value: AnyBSON?) -> String {
        var out = ""
        write(value ?? .null, to: &out)
        return out
    }

    static func text(_ document: Document) -> String { text(.document(document)) }

    private static func write(_ value: AnyBSON, to out: inout String) {
        func wrap(_ name: String, _ text: String) { out += "{\"\(name)\":\(quoted(text))}" }
        switch value {
        case .null: out += "null"
        case .bool(let value): out += value ? "true" : "false"
        case .string(let value): out += quoted(value)
        case .int32(let value): wrap("$numberInt", String(value))
        case .int64(let value): wrap("$numberLong", String(value))
        case .double(let value): wrap("$numberDouble", number(value))
        case .decimal128(let value): wrap("$numberDecimal", value.stringValue)
        case .objectId(let value): wrap("$oid", value.stringValue)
        case .datetime(let value):
            let milliseconds = Int64(exactly: (value.timeIntervalSince1970 * 1000).rounded()) ?? 0
            out += "{\"$date\":{\"$numberLong\":\"\(milliseconds)\"}}"
        case .timestamp(let value):
            let seconds = UInt32(exactly: value.timeIntervalSince1970.rounded(.down)) ?? 0
            out += "{\"$timestamp\":{\"t\":\(seconds),\"i\":1}}"
        case .binary(let value): binary(value, subtype: "00", to: &out)
        case .uuid(let value):
            binary(withUnsafeBytes(of: value.uuid) { Data($0) }, subtype: "04", to: &out)
        case .regex(let value):
            out += "{\"$regularExpression\":{\"pattern\":\(quoted(value.pattern)),\"options\":"
            out += "\"\(value.options.contains(.caseInsensitive) ? "i" : "")\"}}"
        case .minKey: out += "{\"$minKey\":1}"
        case .maxKey: out += "{\"$maxKey\":1}"
        case .array(let values):
            out += "["
            for (index, value) in values.enumerated() {
                if index > 0 { out += "," }
                write(value ?? .null, to: &out)
            }
            out += "]"
        case .document(let members):
            out += "{"
            for (index, name) in members.keys.sorted().enumerated() {
                if index > 0 { out += "," }
                out += quoted(name) + ":"
                write((members[name] ?? nil) ?? .null, to: &out)
            }
            out += "}"
        }
    }

    private static func binary(_ data: Data, subtype: String, to out: inout String) {
        out += "{\"$binary\":{\"base64\":\"\(data.base64EncodedString())\",\"subType\":\"\(subtype)\"}}"
    }

    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Infinity" : "Infinity" }
        return "\(value)"
    }

    static func quoted(_ text: String) -> String {
        var out = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case "\n": out += "\\n"
            case "\r": out += "\\r"
            case "\t": out += "\\t"
            case _ where scalar.value < 0x20:
                let hex = String(scalar.value, radix: 16)
                out += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }
}
