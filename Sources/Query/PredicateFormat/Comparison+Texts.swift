import Foundation
import Model

extension Comparison {
    /// The comparison of a Mixed with strings or binaries, which stand for each other: it matches either of the same bytes,
    /// and differs from both.
    var withOtherTexts: Condition {
        switch (op, right) {
        case (.isIn, .list(let values, let quantifier)):
            var both = self
            both.right = .list(values + values.compactMap(\.otherText), quantifier: quantifier)
            return .comparison(both)
        case (.equal, .constant(let value)), (.notEqual, .constant(let value)), (.beginsWith, .constant(let value)),
            (.endsWith, .constant(let value)), (.contains, .constant(let value)), (.like, .constant(let value)):
            guard let text = value.otherText else { return .comparison(self) }
            var other = self
            other.right = .constant(text)
            let parts = [Condition.comparison(self), .comparison(other)]
            return op == .notEqual ? .and(parts) : .or(parts)
        default: return .comparison(self)
        }
    }
}

extension Value {
    /// The binary with a string's bytes, or the string with a binary's, if it is one.
    fileprivate var otherText: Value? {
        switch self {
        case .string(let text): .binary(Data(text.utf8))
        case .binary(let data): String(validating: data, as: UTF8.self).map { .string($0) }
        default: nil
        }
    }
}
