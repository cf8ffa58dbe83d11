import Foundation

/// Turns raw instructions into self-contained ones.
///
/// Class and property names and string keys that are not UTF-8 are refused: C-26 makes UTF-8 a contract, and a
/// repaired name could collide with another.
public struct InstructionResolver {
    private let strings: InternTable
    /// Strings made so far, so that each is made once.
    private var cache: [String?] = []

    public init(_ strings: InternTable) {
        self.strings = strings
    }

    public mutating func resolve(_ raw: RawInstruction, offset: Int) throws(ChangesetError) -> Instruction {
        switch raw {
        case .addTable(let target, let kind, let key):
            let className = try string(target, offset)
            guard let key else { return .addTable(className: className, kind: kind, key: nil) }
            let column = KeyColumn(name: try string(key.name, offset), type: key.type, isNullable: key.isNullable)
            return .addTable(className: className, kind: kind, key: column)
        case .eraseTable(let target): return .eraseTable(className: try string(target, offset))
        case .createObject(let target, let key):
            return .createObject(className: try string(target, offset), key: try self.key(key, offset))
        case .eraseObject(let target, let key):
            return .eraseObject(className: try string(target, offset), key: try self.key(key, offset))
        case .update(let path, let payload, let isDefault):
            return .update(try self.path(path, offset), try self.payload(payload, offset), isDefault: isDefault)
        case .updateElement(let path, let payload, let priorSize):
            return .updateElement(try self.path(path, offset), try self.payload(payload, offset), priorSize: priorSize)
        case .addInteger(let path, let amount): return .addInteger(try self.path(path, offset), amount)
        case .addColumn(let target, let property, let column):
            return .addColumn(
                className: try string(target, offset), property: try string(property, offset),
                ColumnDeclaration(
                    type: column.type.rawValue, isNullable: column.isNullable, collection: column.collection,
                    target: try optionalString(column.target, offset), keyType: column.keyType?.rawValue))
        case .eraseColumn(let target, let property):
            return .eraseColumn(className: try string(target, offset), property: try string(property, offset))
        case .arrayInsert(let path, let payload, let priorSize):
            return .arrayInsert(try self.path(path, offset), try self.payload(payload, offset), priorSize: priorSize)
        case .arrayMove(let path, let to, let priorSize):
            return .arrayMove(try self.path(path, offset), to: to, priorSize: priorSize)
        case .arrayErase(let path, let priorSize):
            return .arrayErase(try self.path(path, offset), priorSize: priorSize)
        case .clear(let path, let kind): return .clear(try self.path(path, offset), kind)
        case .setInsert(let path, let payload):
            return .setInsert(try self.path(path, offset), try self.payload(payload, offset))
        case .setErase(let path, let payload):
            return .setErase(try self.path(path, offset), try self.payload(payload, offset))
        }
    }

    public mutating func key(_ raw: RawKey, _ offset: Int) throws(ChangesetError) -> PrimaryKey {
        switch raw {
        case .null: .null
        case .int(let value): .int(value)
        case .string(let index): .string(try string(index, offset))
        case .objectId(let value): .objectId(value)
        case .uuid(let value): .uuid(value)
        case .global(let high, let low): .global(high: high, low: low)
        }
    }

    private mutating func path(_ raw: RawPath, _ offset: Int) throws(ChangesetError) -> InstructionPath {
        var rest: [PathElement] = []
        rest.reserveCapacity(raw.rest.count)
        for step in raw.rest {
            switch step {
            case .index(let index): rest.append(.index(index))
            case .name(let index): rest.append(.name(try string(index, offset)))
            }
        }
        return InstructionPath(
            try string(raw.target, offset), try key(raw.key, offset), try string(raw.property, offset), rest)
    }

    private mutating func payload(_ raw: RawPayload, _ offset: Int) throws(ChangesetError) -> Payload {
        switch raw {
        case .null: .value(.null)
        case .int(let value): .value(.int(value))
        case .bool(let value): .value(.bool(value))
        case .string(let bytes): .value(Value(utf8: bytes))
        case .binary(let bytes): .value(.binary(Data(bytes)))
        case .timestamp(let value): .value(.timestamp(value))
        case .float(let value): .value(.float(value))
        case .double(let value): .value(.double(value))
        case .decimal(let value): .value(.decimal(value))
        case .link(let target, let key):
            .value(.link(Link(className: try string(target, offset), key: try self.key(key, offset))))
        case .objectId(let value): .value(.objectId(value))
        case .uuid(let value): .value(.uuid(value))
        case .embeddedObject: .embeddedObject
        case .list: .list
        case .dictionary: .dictionary
        case .erased: .erased
        case .set: .set
        }
    }

    private mutating func optionalString(_ index: UInt32?, _ offset: Int) throws(ChangesetError) -> String? {
        guard let index else { return nil }
        return try string(index, offset)
    }

    private mutating func string(_ index: UInt32, _ offset: Int) throws(ChangesetError) -> String {
        let place = Int(index)
        while cache.count <= place { cache.append(nil) }
        if let known = cache[place] { return known }
        guard let string = strings.string(index) else {
            throw ChangesetError(
                .internedStringNotUTF8, rule: "C-26", offset: offset, "interned string \(index) is not UTF-8")
        }
        cache[place] = string
        return string
    }
}

extension Value {
    /// A string value from its bytes, whether or not they are UTF-8.
    public init(utf8 bytes: UnsafeRawBufferPointer) {
        self = String(validating: bytes, as: UTF8.self).map(Value.string) ?? .malformedString([UInt8](bytes))
    }
}
