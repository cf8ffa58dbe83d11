import Model

/// A constant as a query text gives it, where more than its value counts until types are checked.
package struct SourceConstant: Hashable, Sendable {
    package var value: Value
    /// Supplied as `$n`: what doesn't fit the other side is an argument error, not a query error.
    package var isArgument: Bool
    /// Text of a number that `value` doesn't hold in full; it counts against a Decimal.
    package var digits: String?

    package init(_ value: Value, isArgument: Bool = false, digits: String? = nil) {
        self.value = value
        self.isArgument = isArgument
        self.digits = digits
    }

    /// Whether the value says it all, so that `Operand.constant` does.
    var isPlain: Bool { !isArgument && digits == nil }
}

extension Operand {
    /// The shortest form of a constant from a text.
    static func from(_ constant: SourceConstant) -> Operand {
        constant.isPlain ? .constant(constant.value) : .source(constant)
    }

    /// The shortest form of a list from a text.
    static func from(_ constants: [SourceConstant], quantifier: Quantifier?) -> Operand {
        constants.allSatisfy(\.isPlain)
            ? .list(constants.map(\.value), quantifier: quantifier) : .sourceList(constants, quantifier: quantifier)
    }
}
