/// A property to sort by, and in which direction.
public struct SortDescriptor: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// Name of the property, or path to it through links.
    public let keyPath: String
    public let ascending: Bool

    public init(keyPath: String, ascending: Bool = true) {
        self.keyPath = keyPath
        self.ascending = ascending
    }

    /// Sorts by a persisted property.
    public init<Element: _KeyPathRoot>(keyPath: PartialKeyPath<Element>, ascending: Bool = true) {
        self.init(keyPath: _KeyPathTracer.names(keyPath).joined(separator: "."), ascending: ascending)
    }

    public init(stringLiteral value: String) {
        self.init(keyPath: value)
    }

    /// The same property in the other direction.
    public func reversed() -> SortDescriptor {
        SortDescriptor(keyPath: keyPath, ascending: !ascending)
    }

    public var description: String {
        "SortDescriptor(keyPath: \(keyPath), direction: \(ascending ? "ascending" : "descending"))"
    }
}
