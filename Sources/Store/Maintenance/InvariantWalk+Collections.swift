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
            if numbers != expectedRecords(address) {
                note("\(place): object \(object.raw) has records of elements that don't belong to it")
            }
            if address.isKeys {
                checkKeys(list, address, column, place)
            } else {
                if column.property.collection == .dictionary, records[address.keys] == nil {
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
        if column.property.collection != .dictionary || count != keys.count {
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
                    ? .link(target ?? TableId(0), chunk.link(row) ?? ObjectKey(-1)) : chunk.scalar(row)
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
                if chunk.kind != .link {
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
