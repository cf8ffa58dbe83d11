import Model
import Query
import Store
import Wire

/// Turns objects given as documents into the instructions that an app would have recorded.
struct ObjectEdit: ~Copyable {
    let snapshot: Snapshot
    let table: Table
    private var writer = ChangesetWriter()
    private var nextGlobalKey: UInt64
    /// Keys that the edit has created; the snapshot doesn't know them.
    private var createdKeys: Set<PrimaryKey> = []
    private(set) var created = 0
    private(set) var deleted = 0

    /// Throws `unknownClass`.
    init(_ snapshot: Snapshot, className: String) throws(WireError) {
        guard let table = snapshot.table(named: className) else {
            throw WireError(.unknownClass, "the realm has no class \(className)", facts: ["class": .string(className)])
        }
        guard table.stored.kind != .embedded else {
            throw WireError(
                .badParams, "objects of the embedded class \(className) can only be written as part of another",
                facts: ["class": .string(className)])
        }
        self.snapshot = snapshot
        self.table = table
        nextGlobalKey = table.nextGlobalKey
    }

    var isEmpty: Bool { writer.instructionCount == 0 }
    func changes() -> [UInt8] { writer.finished() }

    private var className: String { table.stored.name }

    private func exists(_ key: PrimaryKey) -> Bool { createdKeys.contains(key) || table.find(key) != nil }

    /// Creates or changes one object. Returns its key. Throws `objectExists`, `objectMissing`, `unknownProperty`,
    /// `typeMismatch`.
    mutating func put(_ document: BSONDocument, mode: PutMode) throws(WireError) -> PrimaryKey {
        if let key = document.duplicateKey {
            throw WireError(.badParams, "property \(key) occurs twice in an object", facts: ["property": .string(key)])
        }
        let key = try primaryKey(of: document, mode: mode)
        let isThere = exists(key)
        if isThere, mode == .create {
            throw WireError(
                .objectExists, "\(className) has an object with that primary key",
                facts: ["class": .string(className), "key": BSONValue(key)])
        }
        if !isThere {
            if mode == .update {
                throw WireError(
                    .objectMissing, "\(className) has no object with that primary key",
                    facts: ["class": .string(className), "key": BSONValue(key)])
            }
            writer.append(.createObject(className: className, key: key))
            createdKeys.insert(key)
            created += 1
        }
        for element in document.elements where element.key != "$key" {
            try assign(element, to: key)
        }
        return key
    }

    private mutating func assign(_ element: BSONDocument.Element, to key: PrimaryKey) throws(WireError) {
        guard let column = table.stored.column(named: element.key) else {
            throw WireError(
                .unknownProperty, "class \(className) has no property \(element.key)",
                facts: ["class": .string(className), "property": .string(element.key)])
        }
        guard column.id != table.stored.primaryKey?.id else { return }
        let path = InstructionPath(className, key, column.property.name)
        let value = try column.property.fit(element.value, className: className, in: snapshot.schema.realmSchema)
        clearNested(column, key, path, unlessFor: value)
        assign(value, to: path, isNew: false)
    }

    /// C-169: what a collection inside a Mixed held goes before anything else takes its place.
    private mutating func clearNested(
        _ column: StoredColumn, _ key: PrimaryKey, _ path: InstructionPath, unlessFor value: FittedValue
    ) {
        guard column.property.type == .mixed, column.property.collection == .single, let object = table.find(key) else {
            return
        }
        switch (table.mixed(object, column), value) {
        case (.list, .nestedList), (.dictionary, .nestedDictionary): break
        case (.list, _): writer.append(.clear(path, .list))
        case (.dictionary, _): writer.append(.clear(path, .dictionary))
        default: break
        }
    }

    /// `isNew`: the slot holds nothing yet that would have to go.
    private mutating func assign(_ value: FittedValue, to path: InstructionPath, isNew: Bool) {
        switch value {
        case .single(let value): writer.append(.update(path, .value(value), isDefault: false))
        case .object(let members):
            if !isNew { writer.append(.update(path, .value(.null), isDefault: false)) }
            writer.append(.update(path, .embeddedObject, isDefault: false))
            assign(members, below: path)
        case .list(let values):
            if !isNew { writer.append(.clear(path, .list)) }
            for (index, value) in values.enumerated() { insert(value, path, UInt32(index)) }
        case .set(let values):
            if !isNew { writer.append(.clear(path, .set)) }
            for value in values { writer.append(.setInsert(path, .value(value))) }
        case .dictionary(let entries):
            if !isNew { writer.append(.clear(path, .dictionary)) }
            assign(entries, in: path)
        case .nestedList(let values):
            writer.append(.update(path, .list, isDefault: false))
            if !isNew { writer.append(.clear(path, .list)) }
            for (index, value) in values.enumerated() { insert(value, path, UInt32(index)) }
        case .nestedDictionary(let entries):
            writer.append(.update(path, .dictionary, isDefault: false))
            if !isNew { writer.append(.clear(path, .dictionary)) }
            assign(entries, in: path)
        }
    }

    private mutating func insert(_ value: FittedValue, _ list: InstructionPath, _ index: UInt32) {
        let place = list.appending(.index(index))
        switch value {
        case .object(let members):
            writer.append(.arrayInsert(place, .embeddedObject, priorSize: index))
            assign(members, below: place)
        case .single(let value): writer.append(.arrayInsert(place, .value(value), priorSize: index))
        case .nestedList(let values):
            writer.append(.arrayInsert(place, .list, priorSize: index))
            for (index, value) in values.enumerated() { insert(value, place, UInt32(index)) }
        case .nestedDictionary(let entries):
            writer.append(.arrayInsert(place, .dictionary, priorSize: index))
            assign(entries, in: place)
        case .list, .set, .dictionary: preconditionFailure("\(value) as an element of a list")
        }
    }

    private mutating func assign(_ entries: [FittedMember], in dictionary: InstructionPath) {
        for entry in entries {
            let place = dictionary.appending(.name(entry.name))
            // C-116: whoever merges this sees that the object is another one.
            if case .object = entry.value { writer.append(.update(place, .erased, isDefault: false)) }
            // A key given twice may hold a collection already.
            let isObject = if case .object = entry.value { true } else { false }
            assign(entry.value, to: place, isNew: isObject)
        }
    }

    private mutating func assign(_ members: [FittedMember], below path: InstructionPath) {
        for member in members { assign(member.value, to: path.appending(.name(member.name)), isNew: true) }
    }

    private mutating func primaryKey(of document: BSONDocument, mode: PutMode) throws(WireError) -> PrimaryKey {
        guard let column = table.stored.primaryKey else {
            // Without primary key an object is named by its internal key, as replies give it.
            if let given = document["$key"] {
                guard case .int(let raw)? = try? Value(given), let key = table.primaryKey(of: ObjectKey(raw)) else {
                    throw WireError(
                        .objectMissing, "\(className) has no object with that $key",
                        facts: ["class": .string(className)])
                }
                return key
            }
            // The store refuses the first key that has none after it.
            defer { nextGlobalKey &+= 1 }
            return .global(high: 0, low: nextGlobalKey)
        }
        guard let given = document[column.property.name] else {
            throw WireError(
                .badParams, "an object of \(className) has no value for the primary key \(column.property.name)",
                facts: ["class": .string(className), "property": .string(column.property.name)])
        }
        let schema = snapshot.schema.realmSchema
        guard case .single(let value) = try column.property.fit(given, className: className, in: schema),
            let key = value.primaryKey
        else {
            throw WireError(
                .typeMismatch, "\(className).\(column.property.name) can't be that",
                facts: ["class": .string(className)])
        }
        return key
    }

    /// Deletes the objects that exist, and what links to them.
    mutating func delete(_ keys: [ObjectKey]) {
        let keys = keys.filter { table.contains($0) }
        for instruction in snapshot.deletion(of: keys, in: table) { writer.append(instruction) }
        deleted += Set(keys).count
    }
}

extension BSONValue {
    /// A primary key as a fact of an error.
    init(_ key: PrimaryKey) {
        switch key {
        case .null: self = .null
        case .int(let value): self = .int64(value)
        case .string(let value): self = .string(value)
        case .objectId(let value): self = .objectId(value)
        case .uuid(let value): self = .string(value.uuidString)
        case .global(let high, let low): self = .string("\(high)-\(low)")
        }
    }
}
