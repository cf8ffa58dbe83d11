/// One step of a path below a property: a list index, or the symbol of a name. Names and indexes never equal each other
/// (M-33).
struct PathStep: Hashable, Sendable {
    /// Indexes as they are, symbols by their complement.
    private let number: Int

    static func index(_ index: Int) -> PathStep { PathStep(number: index) }
    static func name(_ symbol: Symbol) -> PathStep { PathStep(number: ~Int(symbol)) }

    /// The list index; nil if this is a name.
    var index: Int? { number >= 0 ? number : nil }
    /// The symbol of the name; nil if this is an index.
    var name: Symbol? { number < 0 ? Symbol(~number) : nil }
}
