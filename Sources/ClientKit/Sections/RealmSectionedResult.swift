import Dispatch

/// What sections and what consists of sections have in common.
public protocol RealmSectionedResult: RandomAccessCollection, Equatable, ThreadConfined, CustomStringConvertible
where Index == Int {
    /// By what elements are divided.
    associatedtype Key: _Persistable & Hashable
    /// What is divided.
    associatedtype SectionElement: RealmCollectionValue

    /// Calls `block` once with the sections, then after each transaction that changed them or their objects, until the
    /// token is released.
    ///
    /// - Parameters:
    ///   - keyPaths: properties whose changes count; nil for all.
    ///   - queue: the serial queue to be called on; nil: where the realm lives.
    func observe(
        keyPaths: [String]?, on queue: DispatchQueue?, _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken
}

extension RealmSectionedResult {
    public var startIndex: Int { 0 }
    public var endIndex: Int { count }
    public func index(after index: Int) -> Int { index + 1 }
    public func index(before index: Int) -> Int { index - 1 }
}
