import Model
import Store

/// What an app might do in a realm of some schema: random transactions that fit what the realm holds.
struct RandomWork {
    private let schema: RealmSchema
    /// Those whose objects have keys.
    private let classes: [ClassSchema]
    private var random: SeededRandom

    /// Objects of a class that there are at most, but for those that are kept.
    private static let objects = 8
    /// How deep embedded objects are filled.
    private static let depth = 3

    init(_ schema: RealmSchema, seed: UInt64) {
        self.schema = schema
        classes = schema.classes.filter { $0.kind == .topLevel }
        random = SeededRandom(seed: seed)
    }

    /// One to four changes, each of another object, so that each fits the state before the transaction; or one deletion.
    mutating func transaction(_ snapshot: Snapshot) -> [Instruction] {
        if random.oneIn(10), let deletion = deletion(snapshot) { return deletion }
        var instructions: [Instruction] = []
        var seen: Set<InstructionPath> = []
        for _ in 0..<1 + random.below(4) {
            let item = random.any(of: classes)
            guard let key = key(in: item), let table = snapshot.table(named: item.name),
                seen.insert(InstructionPath(item.name, key, "")).inserted
            else { continue }
            if let object = table.find(key) {
                instructions += change(item, key, table, object, snapshot)
            } else {
                instructions.append(.createObject(className: item.name, key: key))
                for property in item.properties where property.name != item.primaryKey && random.oneIn(2) {
                    instructions += fill(property, InstructionPath(item.name, key, property.name), snapshot, depth: 0)
                }
            }
        }
        return instructions
    }

    private mutating func key(in item: ClassSchema) -> PrimaryKey? {
        guard let type = item.keyType else { return nil }
        return PrimaryKey(random.below(Self.objects), of: type)
    }

    private mutating func deletion(_ snapshot: Snapshot) -> [Instruction]? {
        let item = random.any(of: classes)
        guard let key = key(in: item), let table = snapshot.table(named: item.name), let object = table.find(key) else {
            return nil
        }
        return snapshot.deletion(of: [object], in: table)
    }

    /// Something to link to, or nil.
    private mutating func link(to target: String?, _ snapshot: Snapshot) -> Value? {
        guard let item = target.flatMap({ schema.classSchema($0) }), item.kind == .topLevel, let key = key(in: item),
            snapshot.table(named: item.name)?.find(key) != nil
        else { return nil }
        return .link(Link(className: item.name, key: key))
    }

    private func isEmbedded(_ property: PropertySchema) -> Bool {
        property.type == .link && property.target.flatMap { schema.classSchema($0) }?.kind == .embedded
    }

    /// A value for a property or an element; nil if there is none at the moment.
    private mutating func value(_ property: PropertySchema, _ snapshot: Snapshot) -> Value? {
        let isCollectionOfLinks = property.type == .link && property.collection != .single
        if property.isNullable, !isCollectionOfLinks, random.oneIn(5) { return .null }
        return property.type == .link ? link(to: property.target, snapshot) : random.value(of: property.type)
    }
}

// MARK: - New values
extension RandomWork {
    /// Gives a property that is empty or has its default a value.
    private mutating func fill(
        _ property: PropertySchema, _ path: InstructionPath, _ snapshot: Snapshot, depth: Int
    ) -> [Instruction] {
        switch property.collection {
        case .single:
            if isEmbedded(property) {
                return embed(property, at: path, snapshot, depth) { .update(path, $0, isDefault: false) }
            }
            return value(property, snapshot).map { [.update(path, .value($0), isDefault: false)] } ?? []
        case .list: return insert(property, path, count: 0, snapshot, depth)
        case .set: return value(property, snapshot).map { [.setInsert(path, .value($0))] } ?? []
        case .dictionary: return put(property, path, snapshot, depth)
        }
    }

    /// An embedded object in a slot, and what is in it.
    private mutating func embed(
        _ property: PropertySchema, at path: InstructionPath, _ snapshot: Snapshot, _ depth: Int,
        _ instruction: (Payload) -> Instruction
    ) -> [Instruction] {
        guard depth < Self.depth, let item = property.target.flatMap({ schema.classSchema($0) }) else { return [] }
        var instructions = [instruction(.embeddedObject)]
        for inner in item.properties where random.oneIn(2) {
            instructions += fill(inner, path.appending(.name(inner.name)), snapshot, depth: depth + 1)
        }
        return instructions
    }

    private mutating func insert(
        _ property: PropertySchema, _ path: InstructionPath, count: Int, _ snapshot: Snapshot, _ depth: Int
    ) -> [Instruction] {
        let place = path.appending(.index(UInt32(random.below(count + 1))))
        let size = UInt32(count)
        if isEmbedded(property) {
            return embed(property, at: place, snapshot, depth) { .arrayInsert(place, $0, priorSize: size) }
        }
        return value(property, snapshot).map { [.arrayInsert(place, .value($0), priorSize: size)] } ?? []
    }

    private mutating func put(
        _ property: PropertySchema, _ path: InstructionPath, _ snapshot: Snapshot, _ depth: Int
    ) -> [Instruction] {
        let place = path.appending(.name("entry \(random.below(4))"))
        if isEmbedded(property) {
            // What was there goes first, so that others see that it is another one (C-116).
            return [.update(place, .erased, isDefault: false)]
                + embed(property, at: place, snapshot, depth) { .update(place, $0, isDefault: false) }
        }
        return value(property, snapshot).map { [.update(place, .value($0), isDefault: false)] } ?? []
    }
}

// MARK: - Changes
extension RandomWork {
    private mutating func change(
        _ item: ClassSchema, _ key: PrimaryKey, _ table: Table, _ object: ObjectKey, _ snapshot: Snapshot
    ) -> [Instruction] {
        let properties = item.properties.filter { $0.name != item.primaryKey }
        guard !properties.isEmpty else { return [] }
        let property = random.any(of: properties)
        guard let column = table.stored.column(named: property.name) else { return [] }
        let path = InstructionPath(item.name, key, property.name)
        switch property.collection {
        case .single: return changeSingle(property, path, isNull: table.value(object, column) == .null, snapshot)
        case .list: return changeList(property, path, count: table.list(object, column).count, snapshot)
        case .set:
            guard let value = value(property, snapshot) else { return [] }
            return [random.oneIn(3) ? .setErase(path, .value(value)) : .setInsert(path, .value(value))]
        case .dictionary:
            if random.oneIn(3) {
                return [.update(path.appending(.name("entry \(random.below(4))")), .erased, isDefault: false)]
            }
            return put(property, path, snapshot, 0)
        }
    }

    private mutating func changeSingle(
        _ property: PropertySchema, _ path: InstructionPath, isNull: Bool, _ snapshot: Snapshot
    ) -> [Instruction] {
        if property.type == .int, !isNull, random.oneIn(3) { return [.addInteger(path, Int64(random.below(5)) - 2)] }
        guard isEmbedded(property) else { return fill(property, path, snapshot, depth: 0) }
        if isNull { return fill(property, path, snapshot, depth: 0) }
        // Into it, away with it, or another one in its place.
        if !random.oneIn(3), let item = property.target.flatMap({ schema.classSchema($0) }), !item.properties.isEmpty {
            let inner = random.any(of: item.properties)
            let place = path.appending(.name(inner.name))
            guard inner.collection == .single, !isEmbedded(inner) else { return [] }
            return fill(inner, place, snapshot, depth: 1)
        }
        let removal = Instruction.update(path, .value(.null), isDefault: false)
        return random.oneIn(2) ? [removal] : [removal] + fill(property, path, snapshot, depth: 0)
    }

    private mutating func changeList(
        _ property: PropertySchema, _ path: InstructionPath, count: Int, _ snapshot: Snapshot
    ) -> [Instruction] {
        guard count > 0, random.below(5) > 1 else { return insert(property, path, count: count, snapshot, 0) }
        let (index, size) = (random.below(count), UInt32(count))
        let place = path.appending(.index(UInt32(index)))
        switch random.below(5) {
        case 0, 1:
            guard !isEmbedded(property), let value = value(property, snapshot) else { break }
            return [.updateElement(place, .value(value), priorSize: size)]
        case 2 where count > 1:
            let to = UInt32((index + 1 + random.below(count - 1)) % count)
            return [.arrayMove(place, to: to, priorSize: size)]
        case 3 where random.oneIn(3): return [.clear(path, .list)]
        default: break
        }
        return [.arrayErase(place, priorSize: size)]
    }
}

extension ClassSchema {
    /// The type of its keys.
    var keyType: ValueType? { primaryKey.flatMap { property($0) }?.type }
}
