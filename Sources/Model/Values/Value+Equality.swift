extension Value {
    /// Whether two values are the same element of a set (C-167): numbers by value across types, all else by type and
    /// data. Unlike `==`, 1 equals 1.0 and 1.00.
    public func isSameElement(as other: Value) -> Bool {
        guard isNumber, other.isNumber else { return self == other }
        guard isNaN || other.isNaN else { return compareNumerically(other) == .orderedSame }
        guard isNaN, other.isNaN else { return false }
        guard let a = widened, let b = other.widened else { return true }
        return a.bitPattern == b.bitPattern
    }
}
