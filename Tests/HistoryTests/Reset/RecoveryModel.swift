import Model

@testable import Merge

/// What the rules of recovery make of unsynced changes, found in another way than by the engine: on trees in memory, where
/// an element that the recovery puts into a list has the same number on the device and in the fresh realm, and indexes are
/// looked up by it. Lists that must be copied are copied once, at the end.
final class RecoveryModel {
    enum Node {
        case value(Value)
        case object(Object)
        case list(List)
        case dictionary(Entries)
        case set([Value])
    }

    final class Object {
        let className: Name
        var fields: [Name: Node]

        init(_ className: Name, _ fields: [Name: Node]) {
            self.className = className
            self.fields = fields
        }
    }

    final class List {
        /// Elements that the recovery put there have numbers.
        var elements: [(number: Int?, node: Node)]
        var mustBeCopied = false

        init(_ nodes: [Node]) { elements = nodes.map { (nil, $0) } }
    }

    final class Entries {
        var values: [Name: Node]

        init(_ values: [Name: Node]) { self.values = values }
    }

    /// Somewhere a node can be.
    enum Spot {
        case field(Object, Name)
        case element(List, Int)
        case entry(Entries, Name)

        var node: Node? {
            get {
                switch self {
                case .field(let object, let name): object.fields[name]
                case .element(let list, let index): list.elements[index].node
                case .entry(let entries, let name): entries.values[name]
                }
            }
            nonmutating set {
                switch self {
                case .field(let object, let name): object.fields[name] = newValue
                case .element(let list, let index): list.elements[index].node = newValue ?? .value(.null)
                case .entry(let entries, let name): entries.values[name] = newValue
                }
            }
        }
    }

    typealias Objects = [Name: [PrimaryKey: Object]]

    /// As both agreed before the changes.
    var device: Objects
    var fresh: Objects
    /// Has the classes of the fresh realm, and no objects.
    private(set) var classes: ReplicaState
    private var lastNumber = 0

    init(agreed: ReplicaState, fresh: ReplicaState) {
        device = Self.objects(agreed)
        self.fresh = Self.objects(fresh)
        classes = fresh
        classes.objects = [:]
    }

    func replay(_ instructions: [Instruction]) throws {
        for instruction in instructions { try replay(instruction) }
    }

    private func replay(_ instruction: Instruction) throws {
        switch instruction {
        case .addTable, .addColumn, .eraseTable, .eraseColumn: try classes.apply(instruction)
        case .createObject(let name, let key):
            for path in [\RecoveryModel.device, \.fresh] where self[keyPath: path][Name(text: name)]?[key] == nil {
                self[keyPath: path][Name(text: name), default: [:]][key] = newObject(Name(text: name))
            }
        case .eraseObject(let name, let key):
            device[Name(text: name)]?[key] = nil
            fresh[Name(text: name)]?[key] = nil
        case .update(let path, let payload, _): update(path, payload)
        case .addInteger(let path, let amount):
            let (here, there, _) = resolve(path)
            for spot in [here, there].compactMap(\.self) {
                if case .value(.int(let value))? = spot.node { spot.node = .value(.int(value &+ amount)) }
            }
        case .clear(let path, let kind): clear(path, kind)
        case .setInsert(let path, .value(let value)):
            let (here, there, _) = resolve(path)
            insert(value, into: here)
            if !isDead(.value(value)) { insert(value, into: there) }
        case .setErase(let path, .value(let value)):
            let (here, there, _) = resolve(path)
            for spot in [here, there].compactMap(\.self) {
                guard case .set(let elements)? = spot.node else { continue }
                spot.node = .set(elements.filter { !$0.isSameElement(as: value) })
            }
        case .updateElement(let path, _, _), .arrayInsert(let path, _, _), .arrayMove(let path, _, _),
            .arrayErase(let path, _):
            changeList(instruction, path)
        case .setInsert, .setErase: break
        }
    }

    // MARK: Paths

    /// Where a path leads on the device and, if it leads there, in the fresh realm; and the outermost list it goes through
    /// there.
    private func resolve(_ path: InstructionPath) -> (here: Spot?, there: Spot?, outermost: List?) {
        var here = device[Name(text: path.className)]?[path.key].map { field($0, path.property) }
        var there = fresh[Name(text: path.className)]?[path.key].map { field($0, path.property) }
        var outermost: List?
        for (place, step) in path.rest.enumerated() {
            let isLast = place == path.rest.count - 1
            let inside = here?.node
            if case .list(let list)? = there?.node, case .index(let index) = step {
                var found: Int?
                if case .list(let own)? = inside, !list.mustBeCopied, Int(index) < own.elements.count,
                    let number = own.elements[Int(index)].number
                {
                    found = list.elements.firstIndex { $0.number == number }
                }
                if found == nil { (outermost ?? list).mustBeCopied = true }
                there = found.map { .element(list, $0) }
                outermost = outermost ?? list
            } else {
                there = there?.node.flatMap { follow(step, $0, mayBeAbsent: isLast) }
            }
            if case .list(let own)? = inside, case .index(let index) = step {
                here = .element(own, Int(index))
            } else {
                here = inside.flatMap { follow(step, $0, mayBeAbsent: isLast) }
            }
        }
        return (here, there, outermost)
    }

    private func follow(_ step: PathElement, _ node: Node, mayBeAbsent: Bool) -> Spot? {
        guard case .name(let name) = step else { return nil }
        switch node {
        case .object(let object): return field(object, name)
        case .dictionary(let entries):
            return mayBeAbsent || entries.values[Name(text: name)] != nil ? .entry(entries, Name(text: name)) : nil
        default: return nil
        }
    }

    /// A property, with what it has from the beginning if it was added after the object.
    private func field(_ object: Object, _ property: String) -> Spot {
        let name = Name(text: property)
        if object.fields[name] == nil, let column = classes.schema[object.className]?.columns[name] {
            object.fields[name] = Self.node(column.initial)
        }
        return .field(object, name)
    }

    // MARK: Values

    private func update(_ path: InstructionPath, _ payload: Payload) {
        let (here, there, _) = resolve(path)
        assign(payload, to: here, path)
        guard let there else { return }
        assign(isDead(payload) ? .value(.null) : payload, to: there, path)
    }

    private func assign(_ payload: Payload, to spot: Spot?, _ path: InstructionPath) {
        guard let spot else { return }
        switch (payload, spot.node) {
        case (.list, .list), (.dictionary, .dictionary), (.embeddedObject, .object): break
        case (.erased, _): spot.node = nil
        case (.list, _): spot.node = .list(List([]))
        case (.dictionary, _): spot.node = .dictionary(Entries([:]))
        case (.value(let value), _): spot.node = .value(value)
        case (.embeddedObject, _): spot.node = embeddedClass(path).map { .object(newObject($0)) }
        case (.set, _): break
        }
    }

    private func clear(_ path: InstructionPath, _ kind: CollectionKind) {
        let (here, there, _) = resolve(path)
        for spot in [here, there].compactMap(\.self) {
            switch (spot.node, kind) {
            case (.list(let list), .list), (.list(let list), .single):
                list.elements = []
                list.mustBeCopied = false
            case (.dictionary(let entries), .dictionary), (.dictionary(let entries), .single): entries.values = [:]
            case (.set, _): spot.node = .set([])
            case (_, .list): spot.node = .list(List([]))
            case (_, .dictionary): spot.node = .dictionary(Entries([:]))
            default: break
            }
        }
    }

    private func insert(_ value: Value, into spot: Spot?) {
        guard case .set(let elements)? = spot?.node, !elements.contains(where: { $0.isSameElement(as: value) }) else {
            return
        }
        spot?.node = .set(elements + [value])
    }

    private func isDead(_ payload: Payload) -> Bool {
        guard case .value(.link(let link)) = payload else { return false }
        return fresh[Name(text: link.className)]?[link.key] == nil
    }

    // MARK: Lists

    private func changeList(_ instruction: Instruction, _ path: InstructionPath) {
        let prefix = InstructionPath(path.className, path.key, path.property, path.rest.dropLast())
        let (here, there, outermost) = resolve(prefix)
        guard case .list(let own)? = here?.node, case .index(let step)? = path.rest.last else { return }
        let index = Int(step)
        var list: List?
        if case .list(let found)? = there?.node, !found.mustBeCopied { list = found }
        func number(_ index: Int) -> Int? { own.elements[index].number }
        func place(_ number: Int?) -> Int? {
            number.flatMap { number in list?.elements.firstIndex { $0.number == number } }
        }
        func requireCopy() { (outermost ?? list)?.mustBeCopied = true }
        switch instruction {
        case .arrayInsert(_, let payload, _):
            var fresh: Int?
            if let list, !isDead(payload) {
                lastNumber += 1
                fresh = lastNumber
                let following = own.elements[index...].lazy.compactMap { place($0.number) }.min()
                let goal = min(index, list.elements.count, following ?? .max)
                list.elements.insert((fresh, newNode(payload, prefix)), at: goal)
            }
            own.elements.insert((fresh, newNode(payload, prefix)), at: index)
        case .updateElement(_, let payload, _):
            let found = place(number(index))
            if let list, let found {
                if !isDead(payload) {
                    assign(payload, to: .element(list, found), prefix)
                } else if isMixed(prefix) {
                    list.elements[found].node = .value(.null)
                }
            } else if list != nil {
                requireCopy()
            }
            assign(payload, to: .element(own, index), prefix)
        case .arrayErase:
            if let list, let found = place(number(index)) {
                list.elements.remove(at: found)
            } else if list != nil {
                requireCopy()
            }
            own.elements.remove(at: index)
        case .arrayMove(_, let goal, _):
            if let list, let from = place(number(index)), let to = place(number(Int(goal))) {
                let element = list.elements.remove(at: from)
                list.elements.insert(element, at: to)
            } else if list != nil {
                requireCopy()
            }
            let element = own.elements.remove(at: index)
            own.elements.insert(element, at: Int(goal))
        default: break
        }
    }

    private func newNode(_ payload: Payload, _ path: InstructionPath) -> Node {
        switch payload {
        case .value(let value): .value(value)
        case .list: .list(List([]))
        case .dictionary: .dictionary(Entries([:]))
        case .embeddedObject: embeddedClass(path).map { .object(newObject($0)) } ?? .value(.null)
        case .erased, .set: .value(.null)
        }
    }

    // MARK: Classes

    private func newObject(_ className: Name) -> Object {
        Object(className, classes.schema[className]?.columns.mapValues { Self.node($0.initial) } ?? [:])
    }

    /// The type of the property in which a path ends.
    private func column(_ path: InstructionPath) -> SlotType? {
        var column = classes.schema[Name(text: path.className)]?.columns[Name(text: path.property)]
        for step in path.rest {
            guard let known = column, classes.schema.isEmbedded(known), case .name(let name) = step,
                let target = known.target, let next = classes.schema[target]?.columns[Name(text: name)]
            else { continue }
            // The name may be a dictionary's key: its values are such objects.
            column = next
        }
        return column
    }

    private func embeddedClass(_ path: InstructionPath) -> Name? {
        // Whatever the path takes for names of properties: keys of the tests are none.
        column(path).flatMap { classes.schema.isEmbedded($0) ? $0.target : nil }
    }

    private func isMixed(_ path: InstructionPath) -> Bool { column(path)?.type == .mixed }
}
