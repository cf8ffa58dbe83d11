import Store

/// What objects are called that a transaction creates before it has the write lock: their real keys are known only
/// when the lock is had, or when the agent has committed.
enum ProvisionalKeys {
    /// No object of a file has a key from here on.
    static let first: Int64 = 1 << 60
    /// Keys set aside for the new objects of one class in one transaction.
    static let perClass = 1 << 20

    private static let last = Lock<Int64>(0)

    /// The first key for a class in a transaction. Never given out twice, so that a key that outlives its transaction
    /// finds nothing.
    static func begin() -> Int64 {
        let number = last.withLock { last in
            last += 1
            return last
        }
        return first + number * Int64(perClass)
    }
}

extension ObjectKey {
    /// Whether it stands for an object that has no key of the file yet.
    @inline(__always)
    var isProvisional: Bool { raw >= ProvisionalKeys.first }
}
