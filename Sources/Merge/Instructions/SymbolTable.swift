/// A name of a class, property, dictionary key or embedded property, as a number: two are equal if their bytes are.
typealias Symbol = Int32

/// A string that is compared by its bytes. Unicode's canonical equivalence would take two names for one.
struct Name: Hashable, Sendable {
    var text: String

    static func == (a: Name, b: Name) -> Bool {
        // Equivalence is the cheaper test, and what isn't equivalent isn't equal.
        a.text == b.text && a.text.utf8.count == b.text.utf8.count && a.text.utf8.elementsEqual(b.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        var copy = text
        copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// Gives each name its number.
protocol SymbolSource {
    mutating func symbol(_ name: String) -> Symbol
}

/// Numbers for names, so that comparing instructions compares integers (M-129).
struct SymbolTable: SymbolSource, Sendable {
    private var symbols: [Name: Symbol] = [:]
    private var names: [String] = []

    var count: Int { names.count }

    mutating func symbol(_ name: String) -> Symbol {
        if let known = symbols[Name(text: name)] { return known }
        let symbol = Symbol(names.count)
        symbols[Name(text: name)] = symbol
        names.append(name)
        return symbol
    }

    /// The symbol of a name that has one.
    func known(_ name: String) -> Symbol? { symbols[Name(text: name)] }

    func name(_ symbol: Symbol) -> String { names[Int(symbol)] }
}

/// Names of a history and, above them, those that only the instructions now being merged have. A merge that fails
/// leaves nothing behind.
struct SymbolScope: SymbolSource, Sendable {
    private let history: SymbolTable
    private var more = SymbolTable()

    init(_ history: SymbolTable) { self.history = history }

    mutating func symbol(_ name: String) -> Symbol {
        history.known(name) ?? Symbol(history.count) + more.symbol(name)
    }

    func name(_ symbol: Symbol) -> String {
        isNew(symbol) ? more.name(symbol - Symbol(history.count)) : history.name(symbol)
    }

    /// Whether the history didn't have it.
    func isNew(_ symbol: Symbol) -> Bool { Int(symbol) >= history.count }
}
