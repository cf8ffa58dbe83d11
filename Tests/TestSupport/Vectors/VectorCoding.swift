import Foundation
import Model

/// Reads values and instructions in the JSON form of the golden data, see `format` in its files.
package enum VectorCoding {
    package struct Unreadable: Error, CustomStringConvertible {
        package var what: String
        package init(_ what: String) { self.what = what }
        package var description: String { "can't read \(what)" }
    }

    /// Named by `REEVE_VECTORS`, by default `../shared/vectors` beside the package.
    package static let directory: URL = {
        if let named = ProcessInfo.processInfo.environment["REEVE_VECTORS"] { return URL(fileURLWithPath: named) }
        var root = URL(fileURLWithPath: #filePath)
        while root.path != "/",
            !FileManager.default.fileExists(atPath: root.appendingPathComponent("Package.swift").path)
        {
            root.deleteLastPathComponent()
        }
        return root.deletingLastPathComponent().appendingPathComponent("shared/vectors")
    }()

    // MARK: Instructions

    package static func instruction(_ fields: [String: Any]) throws -> Instruction {
        let className = try string(fields["table"], "table")
        let op = try string(fields["op"], "op")
        switch op {
        case "AddTable":
            let kinds: [String: ClassKind] = ["topLevel": .topLevel, "embedded": .embedded, "asymmetric": .asymmetric]
            guard let kind = kinds[try string(fields["kind"], "kind")] else { throw Unreadable("kind") }
            if kind == .embedded { return .addTable(className: className, kind: kind, key: nil) }
            let type = try string(fields["pk_type"], "pk_type")
            let key = KeyColumn(
                name: try string(fields["pk_field"], "pk_field"),
                type: type == "globalKey" ? nil : ValueType(rawValue: try typeNumber(type)),
                isNullable: try bool(fields["pk_nullable"]))
            return .addTable(className: className, kind: kind, key: key)
        case "EraseTable": return .eraseTable(className: className)
        case "CreateObject": return .createObject(className: className, key: try key(fields["object"]))
        case "EraseObject": return .eraseObject(className: className, key: try key(fields["object"]))
        case "AddColumn":
            return .addColumn(
                className: className, property: try string(fields["field"], "field"),
                ColumnDeclaration(
                    type: try typeNumber(try string(fields["type"], "type")),
                    isNullable: try bool(fields["nullable"]),
                    collection: try collection(fields["collection"]),
                    target: fields["link_target"] as? String,
                    keyType: try (fields["key_type"] as? String).map(typeNumber)))
        case "EraseColumn": return .eraseColumn(className: className, property: try string(fields["field"], "field"))
        default: break
        }
        let path = InstructionPath(
            className, try key(fields["object"]), try string(fields["field"], "field"),
            try (fields["path"] as? [Any] ?? []).map { step in
                if let name = step as? String { return .name(name) }
                return .index(UInt32(try int(step)))
            })
        switch op {
        case "Update":
            let value = try payload(fields["value"])
            if let size = fields["prior_size"] { return .updateElement(path, value, priorSize: UInt32(try int(size))) }
            return .update(path, value, isDefault: try bool(fields["is_default"]))
        case "AddInteger":
            guard case .value(.int(let amount)) = try payload(fields["value"]) else { throw Unreadable(op) }
            return .addInteger(path, amount)
        case "ArrayInsert":
            return .arrayInsert(path, try payload(fields["value"]), priorSize: UInt32(try int(fields["prior_size"])))
        case "ArrayMove":
            return .arrayMove(
                path, to: UInt32(try int(fields["ndx_2"])), priorSize: UInt32(try int(fields["prior_size"])))
        case "ArrayErase": return .arrayErase(path, priorSize: UInt32(try int(fields["prior_size"])))
        case "Clear": return .clear(path, try collection(fields["collection"]))
        case "SetInsert": return .setInsert(path, try payload(fields["value"]))
        case "SetErase": return .setErase(path, try payload(fields["value"]))
        default: throw Unreadable(op)
        }
    }

    private static func typeNumber(_ name: String) throws -> Int8 {
        let numbers: [String: Int8] = [
            "mixed": 0, "int": 1, "bool": 2, "string": 3, "binary": 4, "timestamp": 5, "float": 6, "double": 7,
            "decimal": 8, "link": 9, "objectId": 10, "uuid": 11, "globalKey": -1, "erased": -4
        ]
        guard let number = numbers[name] else { throw Unreadable("type \(name)") }
        return number
    }

    private static func collection(_ json: Any?) throws -> CollectionKind {
        let kinds: [String: CollectionKind] = [
            "single": .single, "list": .list, "dictionary": .dictionary, "set": .set
        ]
        guard let kind = kinds[try string(json, "collection")] else { throw Unreadable("collection") }
        return kind
    }

    // MARK: Values

    package static func key(_ json: Any?) throws -> PrimaryKey {
        switch try payload(json) {
        case .value(.null): .null
        case .value(.int(let value)): .int(value)
        case .value(.string(let value)): .string(value)
        case .value(.objectId(let value)): .objectId(value)
        case .value(.uuid(let value)): .uuid(value)
        case .value(.link(let link)): link.key
        default: throw Unreadable("key")
        }
    }

    package static func payload(_ json: Any?) throws -> Payload {
        guard let fields = json as? [String: Any] else { return .value(.null) }
        if let bits = fields["bits"] as? String, let pattern = UInt64(bits, radix: 16) {
            return fields["float"] != nil
                ? .value(.float(Float(bitPattern: UInt32(pattern)))) : .value(.double(Double(bitPattern: pattern)))
        }
        guard let (kind, data) = fields.first else { throw Unreadable("value") }
        switch kind {
        case "int": return .value(.int(try int(data)))
        case "bool": return .value(.bool(try bool(data)))
        case "float": return .value(.float(Float(try double(data))))
        case "double": return .value(.double(try double(data)))
        case "string": return .value(.string(try string(data, kind)))
        case "stringHex": return .value(.malformedString(try bytes(data)))
        case "binary": return .value(.binary(Data(try bytes(data))))
        case "timestamp":
            guard let parts = data as? [Any], parts.count == 2 else { throw Unreadable(kind) }
            return .value(.timestamp(Timestamp(seconds: try int(parts[0]), nanoseconds: Int32(try int(parts[1])))))
        case "decimal":
            guard let decimal = Decimal128(try string(data, kind)) else { throw Unreadable(kind) }
            return .value(.decimal(decimal))
        case "objectId":
            guard let id = ObjectId(try string(data, kind)) else { throw Unreadable(kind) }
            return .value(.objectId(id))
        case "uuid":
            guard let uuid = UUID(uuidString: try string(data, kind)) else { throw Unreadable(kind) }
            return .value(.uuid(uuid))
        case "link":
            guard let link = data as? [String: Any] else { throw Unreadable(kind) }
            return .value(.link(Link(className: try string(link["table"], "table"), key: try key(link["pk"]))))
        case "globalKey":
            guard let words = data as? [String: Any], let high = UInt64(try string(words["hi"], "hi")),
                let low = UInt64(try string(words["lo"], "lo"))
            else { throw Unreadable(kind) }
            // Not a value; carried to `key` inside a link.
            return .value(.link(Link(className: "", key: .global(high: high, low: low))))
        case "object": return .embeddedObject
        case "list": return .list
        case "dictionary": return .dictionary
        case "set": return .set
        case "erased": return .erased
        default: throw Unreadable("value of kind \(kind)")
        }
    }

    // MARK: JSON

    package static func string(_ json: Any?, _ what: String) throws -> String {
        guard let string = json as? String else { throw Unreadable(what) }
        return string
    }

    private static func bool(_ json: Any?) throws -> Bool {
        guard let bool = json as? Bool else { throw Unreadable("boolean") }
        return bool
    }

    private static func double(_ json: Any?) throws -> Double {
        if let text = json as? String, let number = Double(text) { return number }
        guard let number = json as? NSNumber else { throw Unreadable("number") }
        return number.doubleValue
    }

    private static func int(_ json: Any?) throws -> Int64 {
        guard let number = json as? NSNumber else { throw Unreadable("integer") }
        return number.int64Value
    }

    package static func bytes(_ json: Any?) throws -> [UInt8] {
        guard let text = json as? String, let bytes = [UInt8](hex: text) else { throw Unreadable("hex") }
        return bytes
    }
}

extension [UInt8] {
    /// Bytes from hexadecimal digits; spaces are passed over.
    package init?(hex: String) {
        let digits = hex.filter { !$0.isWhitespace }.map { $0.hexDigitValue }
        guard digits.count % 2 == 0, !digits.contains(nil) else { return nil }
        let values = digits.compactMap { $0 }
        self = stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] * 16 + values[$0 + 1]) }
    }

    package var hex: String { map { String(format: "%02x", $0) }.joined() }
}
