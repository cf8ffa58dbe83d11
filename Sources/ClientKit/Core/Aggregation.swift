import Foundation
import Model
import Query

/// One figure over values, for what isn't in the file yet. The store has its own, over columns.
struct Aggregation {
    let result: Value

    /// Nulls don't count. Without values min, max and average are null, a sum is 0.
    init(_ function: AggregateFunction, _ values: some Sequence<Value>) {
        let values = values.filter { $0 != .null }
        switch function {
        case .min: result = values.min(by: Self.precedes) ?? .null
        case .max: result = values.max(by: Self.precedes) ?? .null
        case .sum: result = Self.sum(values)
        case .average:
            result = values.isEmpty ? .null : .double(values.reduce(0) { $0 + Self.number($1) } / Double(values.count))
        }
    }

    private static func sum(_ values: [Value]) -> Value {
        if case .int = values.first {
            return .int(
                values.reduce(0) { sum, value in if case .int(let value) = value { sum &+ value } else { sum } })
        }
        return values.isEmpty ? .int(0) : .double(values.reduce(0) { $0 + number($1) })
    }

    private static func number(_ value: Value) -> Double {
        switch value {
        case .int(let value): Double(value)
        case .float(let value): Double(value)
        case .double(let value): value
        case .decimal(let value): Double("\(value)") ?? .nan
        default: 0
        }
    }

    private static func precedes(_ a: Value, _ b: Value) -> Bool {
        switch (a, b) {
        case (.int(let a), .int(let b)): a < b
        case (.timestamp(let a), .timestamp(let b)): a < b
        default: number(a) < number(b)
        }
    }
}
