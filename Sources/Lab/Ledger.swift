import Model
import Store

/// What devices were told is safe: objects that nobody deletes, and counters in them that everybody adds to.
struct Ledger {
    /// Classes whose objects can be counted on.
    private let classes: [ClassSchema]
    /// By object: what must be in the counter; nil if its class has none.
    private var kept: [Item: Int64?] = [:]
    /// What each reader saw last in a counter.
    private var seen: [Reader: Int64] = [:]
    private var last = 1_000

    fileprivate struct Item: Hashable {
        var className: String
        var key: PrimaryKey
    }

    private struct Reader: Hashable {
        var number: Int
        var item: Item
    }

    /// A transaction that counts once it is acknowledged.
    struct Entry {
        var instructions: [Instruction]
        fileprivate var item: Item
        fileprivate var amount: Int64?
    }

    init(_ schema: RealmSchema) {
        classes = schema.classes.filter { $0.kind == .topLevel && $0.keyType != nil }
    }

    /// A new object, or more for one that the writer knows.
    mutating func entry(_ snapshot: Snapshot, _ random: inout SeededRandom) -> Entry? {
        if random.oneIn(2), let item = kept.keys.sorted(by: { "\($0)" < "\($1)" }).randomElement(using: &random),
            let counter = counter(of: item), snapshot.table(named: item.className)?.find(item.key) != nil
        {
            let amount = Int64(random.below(5)) + 1
            return Entry(
                instructions: [.addInteger(InstructionPath(item.className, item.key, counter), amount)], item: item,
                amount: amount)
        }
        let schema = random.any(of: classes)
        guard let type = schema.keyType, let key = PrimaryKey(last, of: type) else { return nil }
        last += 1
        let item = Item(className: schema.name, key: key)
        var instructions = [Instruction.createObject(className: schema.name, key: key)]
        let counter = counter(of: item)
        if let counter {
            instructions.append(.update(InstructionPath(schema.name, key, counter), .value(.int(0)), isDefault: false))
        }
        return Entry(instructions: instructions, item: item, amount: counter == nil ? nil : 0)
    }

    mutating func acknowledged(_ entry: Entry) {
        guard let amount = entry.amount else {
            kept[entry.item] = .some(nil)
            return
        }
        kept[entry.item] = (kept[entry.item] ?? 0).map { $0 + amount } ?? amount
    }

    private func counter(of item: Item) -> String? {
        guard let schema = classes.first(where: { $0.name == item.className }) else { return nil }
        return schema.properties.first {
            $0.type == .int && $0.collection == .single && !$0.isNullable && $0.name != schema.primaryKey
        }?.name
    }

    private func value(_ item: Item, _ snapshot: Snapshot) -> Int64? {
        guard let name = counter(of: item), let table = snapshot.table(named: item.className),
            let object = table.find(item.key), let column = table.stored.column(named: name),
            case .int(let value) = table.value(object, column)
        else { return nil }
        return value
    }

    /// What a reader sees that it can't have seen before: counters only grow.
    mutating func look(_ snapshot: Snapshot, reader: Int) -> [String] {
        var findings: [String] = []
        for item in kept.keys {
            let place = Reader(number: reader, item: item)
            guard let before = seen[place] ?? value(item, snapshot) else { continue }
            let now = value(item, snapshot)
            if let now, now >= before {
                seen[place] = now
            } else {
                findings.append(
                    "a counter of \(item.className) \(item.key) was \(before) and is \(now.map { "\($0)" } ?? "gone")")
            }
        }
        return findings.sorted()
    }

    /// What isn't there though it was acknowledged, or is there twice.
    func missing(in snapshot: Snapshot) -> [String] {
        kept.compactMap { item, amount in
            guard let table = snapshot.table(named: item.className), table.find(item.key) != nil else {
                return "\(item.className) \(item.key) is lost"
            }
            guard let amount, let value = value(item, snapshot), value != amount else { return nil }
            return "\(item.className) \(item.key) counts \(value) instead of \(amount)"
        }.sorted()
    }
}
