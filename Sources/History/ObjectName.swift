import Foundation
import Model

/// An object of a top-level class, as histories name it.
package struct ObjectName: Hashable, Sendable {
    package var className: String
    package var key: PrimaryKey

    init(_ className: String, _ key: PrimaryKey) {
        self.className = className
        self.key = key
    }

    /// The key as bytes, with a letter for its type; nil for one that no synced class has (F-84).
    private var keyBytes: [UInt8] {
        switch key {
        case .null: return [0x6E]
        case .int(let value): return [0x69] + withUnsafeBytes(of: value.bigEndian, Array.init)
        case .string(let value): return [0x73] + Array(value.utf8)
        case .objectId(let value):
            return [0x6F] + withUnsafeBytes(of: value.high.bigEndian, Array.init)
                + withUnsafeBytes(of: value.low.bigEndian, Array.init)
        case .uuid(let value): return [0x75] + withUnsafeBytes(of: value.uuid, Array.init)
        case .global(let high, let low):
            return [0x67] + withUnsafeBytes(of: high.bigEndian, Array.init)
                + withUnsafeBytes(of: low.bigEndian, Array.init)
        }
    }

    /// Longer names are kept by their digest.
    private static let limit = 400

    /// The end of a record's key: different for different objects, in the order of their classes.
    var recordKey: [UInt8] {
        let bytes = ObjectName.prefix(className) + keyBytes
        guard bytes.count > ObjectName.limit else { return bytes }
        let digest = SHA256.digest(bytes)
        var result = ObjectName.prefix(className) + [0xFF]
        for index in 0..<4 { withUnsafeBytes(of: digest[index].bigEndian) { result.append(contentsOf: $0) } }
        return result
    }

    /// What the keys of a class's objects begin with.
    static func prefix(_ className: String) -> [UInt8] { Array(className.utf8) + [0] }

    /// The name as a record's value.
    var encoded: [UInt8] {
        var writer = RecordWriter()
        writer.append(counted: className.utf8)
        writer.append(counted: keyBytes)
        return writer.bytes
    }

    init(_ bytes: UnsafeRawBufferPointer) throws {
        var reader = RecordReader(bytes)
        className = try reader.text()
        let key = try reader.counted()
        let rest = key.dropFirst()
        func number<T: FixedWidthInteger>(_ type: T.Type, from offset: Int) -> T {
            rest.dropFirst(offset).prefix(MemoryLayout<T>.size).reduce(0) { $0 << 8 | T(truncatingIfNeeded: $1) }
        }
        switch (key.first, rest.count) {
        case (0x6E, 0): self.key = .null
        case (0x69, 8): self.key = .int(number(Int64.self, from: 0))
        case (0x73, _): self.key = .string(String(decoding: rest, as: UTF8.self))
        case (0x6F, 12):
            self.key = .objectId(ObjectId(high: number(UInt64.self, from: 0), low: number(UInt32.self, from: 8)))
        case (0x75, 16):
            var bytes = UUID().uuid
            withUnsafeMutableBytes(of: &bytes) { $0.copyBytes(from: rest) }
            self.key = .uuid(UUID(uuid: bytes))
        case (0x67, 16): self.key = .global(high: number(UInt64.self, from: 0), low: number(UInt64.self, from: 8))
        default: throw HistoryError.damaged
        }
    }

    /// As applications are told of it (F-61).
    var text: String {
        switch key {
        case .null: "null"
        case .int(let value): "\(value)"
        case .string(let value): "\"\(value)\""
        case .objectId(let value): "ObjectID(\"\(value.description)\")"
        case .uuid(let value): "UUID(\(value.uuidString.lowercased()))"
        case .global(let high, let low): "\(high)-\(low)"
        }
    }
}

extension Instruction {
    /// The object that it changes, embedded ones by the one that holds them; nil for a change of the schema.
    var object: ObjectName? {
        switch self {
        case .addTable, .eraseTable, .addColumn, .eraseColumn: nil
        case .createObject(let className, let key), .eraseObject(let className, let key): ObjectName(className, key)
        case .update(let path, _, _), .updateElement(let path, _, _), .addInteger(let path, _),
            .arrayInsert(let path, _, _), .arrayMove(let path, _, _), .arrayErase(let path, _), .clear(let path, _),
            .setInsert(let path, _), .setErase(let path, _):
            ObjectName(path.className, path.key)
        }
    }

    /// The property of that object which it changes; nil if it makes or erases the object.
    var field: String? {
        switch self {
        case .addTable, .eraseTable, .addColumn, .eraseColumn, .createObject, .eraseObject: nil
        case .update(let path, _, _), .updateElement(let path, _, _), .addInteger(let path, _),
            .arrayInsert(let path, _, _), .arrayMove(let path, _, _), .arrayErase(let path, _), .clear(let path, _),
            .setInsert(let path, _), .setErase(let path, _):
            path.property
        }
    }
}
