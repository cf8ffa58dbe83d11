import Model

extension InvariantWalk {
    /// The records of collections make whole lists, sets and dictionaries of objects that exist.
    mutating func checkCollections(_ column: StoredColumn, _ state: TableWalk) throws {
        let place = "\(state.stored.name).\(column.property.name)"
        var records: [CollectionAddress: Set<UInt32>] = [:]
        var stray = 0
        try each(databases.lists, .index(state.stored.id, column.id)) { key, _ in
            var number: UInt32 = 0
            guard let address = CollectionAddress(key, number: &number) else {
                stray += 1
                return
            }
            records[address, default: []].insert(number)
        }
        if stray > 0 { note("\(place): \(stray) records belong to no collection") }
        for (address, numbers) in records {
            let object = address.object
            guard state.objects.contains(object) else {
                note("\(place): elements of object \(object.raw), which doesn't exist")
                continue
            }
            let damage = snapshot.damage.count
            let list = ListView(snapshot.table(state.stored.id), column, address)
            if snapshot.damage.count > damage || list.count == 0 {
                note("\(place): the elements of object \(object.raw) can't be read or are an empty record")
            }
            if address.nested != nil { nestedRecords.insert(address) }
            if numbers != expectedRecords(address) {
                note("\(place): object \(object.raw) has records of elements that don't belong to it")
            }
            if address.isKeys {
                checkKeys(list, address, column, place)
            } else {
                if address.nested == nil, column.property.collection == .dictionary, records[address.keys] == nil {
                    note("\(place): the values of object \(object.raw) have no keys")
                }
                checkElements(list, address, column, place)
            }
        }
    }

    /// Numbers of the records that a collection's root names, its own included.
    private func expectedRecords(_ address: CollectionAddress) -> Set<UInt32> {
        var expected: Set<UInt32> = [0]
        if let root = transaction.get(databases.lists, address.recordKey(0)), ListRoot.isInline(root) == false,
            let directory = ListRoot(root)
        {
            for piece in directory.pieces { expected.insert(piece.number) }
        }
        return expected
    }

    private mutating func checkKeys(
        _ keys: ListView, _ address: CollectionAddress, _ column: StoredColumn, _ place: String
    ) {
        var values = address
        values.isKeys = false
        let count = ListView(snapshot.table(address.table), column, values).count
        if address.nested == nil && column.property.collection != .dictionary || count != keys.count {
            note("\(place): object \(address.object.raw) has \(keys.count) keys for \(count) values")
        }
        var previous: UnsafeRawBufferPointer?
        var isAscending = true
        var isText = true
        keys.eachChunk { chunk in
            for row in 0..<chunk.count {
                let key = chunk.bytes(row)
                if let previous, previous.order(key) != .less { isAscending = false }
                if String(validating: key, as: UTF8.self) == nil { isText = false }
                previous = key
            }
        }
        if !isAscending { note("\(place): the keys of object \(address.object.raw) are out of order") }
        if !isText { note("\(place): a key of object \(address.object.raw) isn't UTF-8") }
    }

    /// What a cell of mixed values holds on to. `address`: that of any collection of the property.
    mutating func checkCell(_ bytes: UnsafeRawBufferPointer, _ address: CollectionAddress, _ place: String) {
        var address = address
        let kind: CollectionKind
        switch MixedCoding.checked(bytes) {
        case nil: return note("\(place): a mixed value of object \(address.object.raw) can't be read")
        case .string(let text)?:
            if String(validating: text, as: UTF8.self) == nil {
                note("\(place): a mixed value of object \(address.object.raw) isn't UTF-8")
            }
            return
        case .link(let table, let key)?:
            // Links into classes that are gone aren't noted anywhere.
            guard snapshot.schema[table] != nil else { return }
            let record = RecordKey.backlinks(to: table, key, from: address.table, address.column, address.object)
            links[record, default: 0] += 1
            return
        case .list(let id)?: (address.nested, kind) = (id, .list)
        case .dictionary(let id)?: (address.nested, kind) = (id, .dictionary)
        default: return
        }
        if nested.updateValue(kind, forKey: address) != nil {
            note("\(place): a collection of object \(address.object.raw) is in two places")
        }
    }

    /// Every collection inside a Mixed is held by one slot, and dictionaries have keys.
    mutating func checkNested() {
        let next = transaction.get(databases.meta, .meta(MetaKey.nextNested))?.loadNumber() ?? 1
        var stray = 0
        for address in nestedRecords {
            var values = address
            values.isKeys = false
            let kind = nested[values]
            if kind == nil || address.isKeys && kind != .dictionary { stray += 1 }
            if !address.isKeys, kind == .dictionary, !nestedRecords.contains(address.keys) { stray += 1 }
        }
        if stray > 0 { note("\(stray) collections inside mixed values are held by no slot, or not whole") }
        if let greatest = nested.keys.compactMap(\.nested).max(), greatest.raw >= next {
            note("collection \(greatest.raw) isn't below the next number \(next)")
        }
    }

    /// The elements of a set ascend.
    private mutating func checkOrder(
        _ list: ListView, _ address: CollectionAddress, _ target: TableId?, _ place: String
    ) {
        var previous: UnsafeScalar?
        var isAscending = true
        list.eachChunk { chunk in
            for row in 0..<chunk.count {
                let element: UnsafeScalar =
                    chunk.kind == .link
                    ? .link(target ?? TableId(0), chunk.link(row) ?? ObjectKey(-1)) : chunk.storedScalar(row)
                if let previous, previous.totalOrder(element) != .less { isAscending = false }
                previous = element
            }
        }
        if !isAscending { note("\(place): the set of object \(address.object.raw) is out of order") }
    }

    private mutating func checkElements(
        _ list: ListView, _ address: CollectionAddress, _ column: StoredColumn, _ place: String
    ) {
        let property = column.property
        let target = property.target.flatMap { snapshot.schema.table(named: $0) }
        let takesNull =
            property.isNullable || property.type == .mixed
            || property.type == .link && property.collection == .dictionary
        var hasNull = false
        list.eachChunk { chunk in
            for row in 0..<chunk.count {
                if chunk.kind == .mixed, !chunk.isNull(row) {
                    checkCell(chunk.bytes(row), address, place)
                } else if chunk.kind != .link {
                    if chunk.isNull(row) { hasNull = true }
                } else if let key = chunk.link(row), let target {
                    let record = RecordKey.backlinks(
                        to: target.id, key, from: address.table, column.id, address.object)
                    links[record, default: 0] += 1
                } else {
                    hasNull = true
                }
            }
        }
        if property.collection == .set { checkOrder(list, address, target?.id, place) }
        if hasNull, !takesNull { note("\(place): null among the elements of object \(address.object.raw)") }
    }
}
