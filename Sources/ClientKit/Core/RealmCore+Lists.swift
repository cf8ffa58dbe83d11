import Model
import Store

extension RealmCore {
    package func listCount(_ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn) -> Int {
        if let list = transaction?.recorder.list(info, key, column) { return list.count }
        return info.reader.list(key, column).count
    }

    package func listValue(_ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn, at index: Int) -> Value {
        if let list = transaction?.recorder.list(info, key, column) {
            if case .value(let value) = list[index] { return value }
            preconditionFailure("element \(index) of '\(info.name).\(column.property.name)' is a link")
        }
        return info.reader.list(key, column).value(at: index)
    }

    package func listLinkKey(_ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn, at index: Int) -> ObjectKey? {
        if let list = transaction?.recorder.list(info, key, column) {
            if case .link(let key) = list[index] { return key }
            return nil
        }
        return info.reader.list(key, column).linkKey(at: index)
    }

    /// All elements.
    package func listCells(_ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn) -> [ListElement] {
        transaction?.recorder.list(info, key, column) ?? info.reader.list(key, column).elements(of: column)
    }

    package func listInsert(
        _ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn, at index: Int, _ element: ListElement
    ) {
        if column.property.type == .mixed {
            return changeMixed(info, key, column, [], .insert(at: index, element))
        }
        change(info, key, column, .insert(at: index, element))
    }

    package func listSet(
        _ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn, at index: Int, _ element: ListElement
    ) {
        if column.property.type == .mixed { return changeMixed(info, key, column, [], .set(at: index, element)) }
        change(info, key, column, .set(at: index, element))
    }

    package func listErase(_ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn, at index: Int) {
        if column.property.type == .mixed { return changeMixed(info, key, column, [], .erase(at: index)) }
        if let target = info.embedded(column), case .link(let old) = listCells(info, key, column)[index] {
            forget(target, old)
        }
        change(info, key, column, .erase(at: index))
    }

    package func listMove(_ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn, from: Int, to: Int) {
        if column.property.type == .mixed {
            return changeMixed(info, key, column, [], .move(from: from, to: to))
        }
        change(info, key, column, .move(from: from, to: to))
    }

    package func listClear(_ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn) {
        if let target = info.embedded(column) {
            for part in parts(info, key, column) { forget(target, part) }
        }
        if column.property.type == .mixed { return changeMixed(info, key, column, [], .clear) }
        change(info, key, column, .clear)
    }

    private func change(
        _ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn, _ change: ChangeRecorder.ListChange
    ) {
        let transaction = openTransaction("change the list '\(info.name).\(column.property.name)'")
        if !key.isProvisional { settle() }
        transaction.recorder.change(info, key, column, settled(change, info, column)) {
            info.reader.list(key, column).elements(of: column)
        }
        if transaction.recorder.hasFullPart { sendFullPart(transaction) }
    }

    /// The change with the key that an object it links to will have.
    private func settled(
        _ change: ChangeRecorder.ListChange, _ info: ClassInfo, _ column: StoredColumn
    ) -> ChangeRecorder.ListChange {
        func settled(_ element: ListElement) -> ListElement {
            guard case .link(let key) = element, let transaction else { return element }
            if !key.isProvisional { settle() }
            return .link(transaction.recorder.settled(info.target(of: column), key))
        }
        return switch change {
        case .insert(let index, let element): .insert(at: index, settled(element))
        case .set(let index, let element): .set(at: index, settled(element))
        case .erase, .move, .clear: change
        }
    }
}

extension ListView {
    func elements(of column: StoredColumn) -> [ListElement] {
        (0..<count).map { element(at: $0, of: column) }
    }

    func element(at index: Int, of column: StoredColumn) -> ListElement {
        if column.property.type == .mixed { return MixedNode(mixed(at: index)).element }
        if column.property.type == .link { return linkKey(at: index).map { .link($0) } ?? .null }
        return .value(value(at: index))
    }
}
