import Foundation
import Model
import Store

// Set properties. Their elements are read like those of lists, in the order in which the file keeps sets.
extension RealmCore {
    /// Where an element is, or would have to be inserted.
    package func setPlace(
        _ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn, of element: ListElement
    ) -> (index: Int, isThere: Bool) {
        if let elements = transaction?.recorder.list(info, key, column) {
            return Self.place(of: element, among: elements.count) { elements[$0] }
        }
        let stored = info.reader.list(key, column)
        return Self.place(of: element, among: stored.count) { stored.element(at: $0, of: column) }
    }

    static func place(
        of element: ListElement, among count: Int, _ at: (Int) -> ListElement
    ) -> (index: Int, isThere: Bool) {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            switch at(middle).orderInSet(element) {
            case .orderedSame: return (middle, true)
            case .orderedAscending: low = middle + 1
            case .orderedDescending: high = middle
            }
        }
        return (low, false)
    }

    package func setInsert(_ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn, _ element: ListElement) {
        change(info, key, column, .insert(element))
    }

    package func setErase(_ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn, _ element: ListElement) {
        change(info, key, column, .erase(element))
    }

    package func setClear(_ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn) {
        change(info, key, column, .clear)
    }

    private func change(
        _ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn, _ change: ChangeRecorder.SetChange
    ) {
        let transaction = openTransaction("change the set '\(info.name).\(column.property.name)'")
        // What an element equals, and where it belongs, depends on keys that only the file gives.
        settle()
        func settled(_ element: ListElement) -> ListElement {
            guard case .link(let target) = element else { return element }
            return .link(transaction.recorder.settled(info.target(of: column), target))
        }
        let change: ChangeRecorder.SetChange =
            switch change {
            case .insert(let element): .insert(settled(element))
            case .erase(let element): .erase(settled(element))
            case .clear: .clear
            }
        transaction.recorder.change(info, transaction.recorder.settled(info, key), column, change) {
            info.reader.list(key, column).elements(of: column)
        }
        if transaction.recorder.hasFullPart { sendFullPart(transaction) }
    }
}

extension ListElement {
    /// The order in which the file keeps sets; what is the same here is one element. Objects are ordered by their keys.
    func orderInSet(_ other: ListElement) -> ComparisonResult {
        switch (self, other) {
        case (.value(let a), .value(let b)): a.compareForSort(b)
        case (.link(let a), .link(let b)): a == b ? .orderedSame : a < b ? .orderedAscending : .orderedDescending
        case (.object(let tableA, let a), .object(let tableB, let b)):
            tableA != tableB
                ? (tableA.raw < tableB.raw ? .orderedAscending : .orderedDescending)
                : a == b ? .orderedSame : a < b ? .orderedAscending : .orderedDescending
        // Links come after all values.
        case (.value, _): .orderedAscending
        default: .orderedDescending
        }
    }
}
