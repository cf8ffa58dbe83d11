import Model

/// The elements of one set at one snapshot, in the order of sets (Q-71; objects by their keys), read in place. Use it
/// only while the snapshot lives.
package struct SetView: @unchecked Sendable {
    package let elements: ListView
    private unowned let table: Table
    private let column: StoredColumn

    init(_ table: Table, _ column: StoredColumn, _ address: CollectionAddress) {
        elements = ListView(table, column, address)
        self.table = table
        self.column = column
    }

    package var count: Int { elements.count }

    /// Where the element equal to a value is (C-167): numbers are compared across types. Nil if there is none.
    package func index(of value: Value) -> Int? {
        guard case .link(let link) = value else { return value.withScalar { index(of: $0) } }
        guard let target = table.snapshot.table(named: link.className), let key = target.find(link.key) else {
            return nil
        }
        return index(of: target.stored.id, key)
    }

    /// Where the link to an object is.
    package func index(of table: TableId, _ key: ObjectKey) -> Int? {
        index(of: .link(table, key))
    }

    func index(of sought: UnsafeScalar) -> Int? {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if element(middle).totalOrder(sought) == .less { low = middle + 1 } else { high = middle }
        }
        return low < count && element(low).totalOrder(sought) == .equal ? low : nil
    }

    /// An element, links to absent objects too.
    private func element(_ index: Int) -> UnsafeScalar {
        let (chunk, row) = elements.locate(index)
        guard chunk.kind == .link else { return chunk.storedScalar(row) }
        return .link(table.targetTable(column)?.stored.id ?? TableId(0), chunk.link(row) ?? ObjectKey(-1))
    }
}
