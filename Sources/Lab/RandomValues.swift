import Foundation
import Model

/// Values of any type, among them those at the edges.
extension SeededRandom {
    private static let words = [
        "", "a", "rex", "Ärmel", "🐶🐕", "quote ' and \" and \\", String(repeating: "long ", count: 60)
    ]
    private static let integers: [Int64] = [0, 1, -1, 7, .max, .min]
    private static let numbers: [Double] = [0, -0.0, 1.5, -1e300, .leastNonzeroMagnitude, .infinity, -.infinity]
    private static let decimals = ["0", "-1.50", "1E+10", "9.999999999999999999999999999999999E+6144"]
    private static let times = [
        Timestamp(seconds: 0, nanoseconds: 0), Timestamp(seconds: -1, nanoseconds: -500_000_000),
        Timestamp(seconds: 253_402_300_799, nanoseconds: 999_999_999), Timestamp(seconds: 1_700_000_000, nanoseconds: 1)
    ]

    mutating func word() -> String { any(of: Self.words) }

    /// A value of a type that isn't a link; of `mixed`, one of any such type.
    mutating func value(of type: ValueType) -> Value {
        switch type {
        case .mixed: return value(of: any(of: [.int, .bool, .string, .binary, .timestamp, .double, .objectId, .uuid]))
        case .int: return .int(oneIn(3) ? any(of: Self.integers) : Int64(below(1_000)))
        case .bool: return .bool(oneIn(2))
        case .string: return .string(word())
        case .binary: return .binary(Data((0..<below(20)).map { _ in UInt8(below(256)) }))
        case .timestamp: return .timestamp(any(of: Self.times))
        case .float: return .float(Float(any(of: Self.numbers)))
        case .double: return .double(any(of: Self.numbers))
        case .decimal: return Decimal128(any(of: Self.decimals)).map { .decimal($0) } ?? .null
        case .objectId: return .objectId(ObjectId(high: UInt64(below(9)), low: 1))
        case .uuid: return .uuid(UUID(high: UInt64(below(9)), low: 1))
        case .link: return .null
        }
    }
}

extension PrimaryKey {
    /// The key with a number in a class with keys of a type; nil for a type that keys can't have.
    init?(_ number: Int, of type: ValueType) {
        switch type {
        case .int: self = .int(Int64(number))
        case .string: self = .string("key \(number)")
        case .objectId: self = .objectId(ObjectId(high: UInt64(number), low: 2))
        case .uuid: self = .uuid(UUID(high: UInt64(number), low: 2))
        default: return nil
        }
    }
}
