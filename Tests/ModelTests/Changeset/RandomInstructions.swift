import Foundation

@testable import Model

/// Random instruction lists of all kinds, values and paths.
struct RandomInstructions<Generator: RandomNumberGenerator> {
    var generator: Generator

    mutating func list(maximum: Int) -> [Instruction] {
        (0..<Int.random(in: 0...maximum, using: &generator)).map { _ in instruction() }
    }

    private mutating func roll(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

    private mutating func name() -> String {
        let names = ["", "T", "Person", "_id", "a", "é", "e\u{301}", String(repeating: "n", count: 57), "\u{0}", "日本"]
        if roll(4) == 0 { return "n\(roll(200))" }
        return names[roll(names.count)]
    }

    private mutating func integer() -> Int64 {
        let bits = UInt64.random(in: 0...UInt64.max, using: &generator) >> UInt64(roll(64))
        return Int64(bitPattern: roll(2) == 0 ? bits : ~bits)
    }

    private mutating func size() -> UInt32 { UInt32.random(in: 0...UInt32.max, using: &generator) >> UInt32(roll(32)) }

    private mutating func bytes() -> [UInt8] {
        (0..<(roll(10) == 0 ? roll(5_000) : roll(12))).map { _ in .random(in: 0...255, using: &generator) }
    }

    private mutating func objectId() -> ObjectId {
        ObjectId(high: generator.next(), low: UInt32(truncatingIfNeeded: generator.next()))
    }

    mutating func key() -> PrimaryKey {
        switch roll(6) {
        case 0: .null
        case 1: .int(integer())
        case 2: .string(name())
        case 3: .objectId(objectId())
        case 4: .uuid(UUID(high: generator.next(), low: generator.next()))
        default: .global(high: generator.next() >> UInt64(roll(64)), low: generator.next() >> UInt64(roll(64)))
        }
    }

    mutating func value() -> Value {
        switch roll(12) {
        case 0: return .null
        case 1: return .int(integer())
        case 2: return .bool(roll(2) == 0)
        case 3: return .string(name())
        case 4:
            let bytes = bytes()
            return bytes.withUnsafeBytes { Value(utf8: $0) }
        case 5: return .binary(Data(bytes()))
        case 6:
            let nanoseconds = Int32(truncatingIfNeeded: integer())
            return .timestamp(Timestamp(seconds: integer(), nanoseconds: nanoseconds))
        case 7: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: generator.next())))
        case 8: return .double(Double(bitPattern: generator.next()))
        case 9: return .decimal(decimal())
        case 10: return .link(Link(className: name(), key: key()))
        default:
            return roll(2) == 0 ? .objectId(objectId()) : .uuid(UUID(high: generator.next(), low: generator.next()))
        }
    }

    private mutating func decimal() -> Decimal128 {
        let wide = UInt128(generator.next()) << 64 | UInt128(generator.next())
        let coefficient = (wide >> UInt128(roll(128))) % (Decimal128.maximumCoefficient + 1)
        let exponent = Int64(roll(16_384)) - Decimal128.exponentBias
        // Exponent fields from 24,576 / 2 on would be special values, which travel as the bits they are.
        return Decimal128(joining: coefficient, exponent: exponent, isNegative: roll(2) == 0)?.canonical ?? .zero
    }

    private mutating func payload() -> Payload {
        switch roll(12) {
        case 0: .embeddedObject
        case 1: .list
        case 2: .dictionary
        case 3: .erased
        case 4: .set
        default: .value(value())
        }
    }

    private mutating func path(endsInIndex: Bool?) -> InstructionPath {
        var rest: [PathElement] = (0..<(roll(3) == 0 ? roll(6) : 0)).map { _ in
            roll(2) == 0 ? .index(size()) : .name(name())
        }
        switch endsInIndex {
        case true?: rest.append(.index(size()))
        case false?: if case .index = rest.last { rest.append(.name(name())) }
        case nil: break
        }
        return InstructionPath(name(), key(), name(), rest)
    }

    mutating func instruction() -> Instruction {
        switch roll(15) {
        case 0:
            let kind = ClassKind(rawValue: UInt8(roll(3))) ?? .topLevel
            let types: [ValueType?] = [.int, .string, .objectId, .uuid, nil]
            let key = KeyColumn(name: name(), type: types[roll(types.count)], isNullable: roll(2) == 0)
            return .addTable(className: name(), kind: kind, key: kind == .embedded ? nil : key)
        case 1: return .eraseTable(className: name())
        case 2: return .createObject(className: name(), key: key())
        case 3: return .eraseObject(className: name(), key: key())
        case 4, 5: return .update(path(endsInIndex: false), payload(), isDefault: roll(2) == 0)
        case 6: return .updateElement(path(endsInIndex: true), payload(), priorSize: size())
        case 7: return .addInteger(path(endsInIndex: nil), integer())
        case 8:
            let type = PayloadType.allCases[roll(PayloadType.allCases.count)]
            let collection = CollectionKind.allCases[roll(4)]
            let column = ColumnDeclaration(
                type: type.rawValue, isNullable: roll(2) == 0, collection: collection,
                target: type == .link ? name() : nil, keyType: collection == .dictionary ? Int8(roll(12)) : nil)
            return .addColumn(className: name(), property: name(), column)
        case 9: return .eraseColumn(className: name(), property: name())
        case 10: return .arrayInsert(path(endsInIndex: true), payload(), priorSize: size())
        case 11: return .arrayMove(path(endsInIndex: true), to: size(), priorSize: size())
        case 12: return .arrayErase(path(endsInIndex: true), priorSize: size())
        case 13: return .clear(path(endsInIndex: nil), CollectionKind.allCases[roll(4)])
        default:
            let path = path(endsInIndex: nil)
            return roll(2) == 0 ? .setInsert(path, .value(value())) : .setErase(path, .value(value()))
        }
    }
}
