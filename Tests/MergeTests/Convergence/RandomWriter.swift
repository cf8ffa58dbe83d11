import Foundation
import Model
import TestSupport

@testable import Merge

/// Makes random changes to a replica and records the instructions that a client writes for them (section 9 of the
/// changeset specification).
struct RandomWriter {
    private(set) var state: ReplicaState
    private(set) var recorded: [Instruction] = []
    var generator: SeededGenerator
    /// The properties of top-level classes that are changed in this run: few, so that replicas get in each other's way.
    let focus: Set<String>
    /// How many objects of a class there are at most.
    let keys: Int
    let fileIdent: UInt64

    init(_ state: ReplicaState, fileIdent: UInt64, focus: Set<String>, keys: Int, seed: UInt64) {
        self.state = state
        self.fileIdent = fileIdent
        self.focus = focus
        self.keys = keys
        generator = SeededGenerator(seed: seed)
    }

    mutating func roll(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

    mutating func pick<T>(_ choices: [T]) -> T? { choices.randomElement(using: &generator) }

    mutating func emit(_ instruction: Instruction) throws(ApplyError) {
        try state.apply(instruction)
        recorded.append(instruction)
    }

    // MARK: What to do

    mutating func change() throws(ApplyError) {
        switch roll(40) {
        case 0: try addSchema()
        case 1...3: try delete()
        case 4...7: try create()
        default: try changeObject()
        }
    }

    private mutating func addSchema() throws(ApplyError) {
        guard let addition = pick(TestSchema.late) else { return }
        for instruction in addition {
            switch instruction {
            case .addTable(let name, _, _) where state.schema[Name(text: name)] != nil: continue
            case .addColumn(let name, let property, _)
            where state.schema[Name(text: name)]?.columns[Name(text: property)] != nil:
                continue
            default: try emit(instruction)
            }
        }
    }

    /// Sorted, so that a seed gives the same run every time.
    var classNames: [Name] { state.objects.keys.sorted { $0.text < $1.text } }

    func keys(of className: Name) -> [PrimaryKey] {
        (state.objects[className] ?? [:]).keys.sorted { $0.compareForSort($1) == .orderedAscending }
    }

    func properties(of className: Name) -> [Name] {
        let all = state.schema[className]?.columns.keys.sorted { $0.text < $1.text } ?? []
        return className.text == "Item" ? all.filter { focus.contains($0.text) } : all
    }

    private mutating func changeObject() throws(ApplyError) {
        let className = roll(4) > 0 ? Name(text: "Item") : pick(classNames) ?? Name(text: "Item")
        guard let key = pick(keys(of: className)) else { return try create() }
        guard let property = pick(properties(of: className)) else { return }
        try change(
            InstructionPath(className.text, key, property.text), state.schema.column(property, of: className), depth: 0)
    }

    // MARK: Objects

    private mutating func create() throws(ApplyError) {
        let className = roll(4) > 0 ? Name(text: "Item") : pick(classNames) ?? Name(text: "Item")
        let number = Int64(roll(keys))
        let key: PrimaryKey =
            switch state.schema[className]?.key?.type {
            case .string: number == 0 ? .null : .string("k\(number)")
            case .objectId: .objectId(ObjectId(high: 7, low: UInt32(number)))
            case nil: .global(high: fileIdent, low: UInt64(state.objects[className]?.count ?? 0))
            default: .int(number)
            }
        guard state.objects[className]?[key] == nil else { return }
        try emit(.createObject(className: className.text, key: key))
        for property in properties(of: className) {
            try fill(
                InstructionPath(className.text, key, property.text), state.schema.column(property, of: className),
                depth: 0)
        }
    }

    /// A property of a new object: supplied, a default, or left alone (C-76).
    mutating func fill(_ path: InstructionPath, _ type: SlotType, depth: Int) throws(ApplyError) {
        if roll(3) == 0 { return try change(path, type, depth: depth) }
        guard type.collection == .single, type.type != .link else { return }
        guard case .value(let initial) = type.initial else { return }
        try emit(.update(path, .value(initial), isDefault: true))
    }

    /// Links to the object go first (C-120), then itself.
    private mutating func delete() throws(ApplyError) {
        let className = roll(4) > 0 ? Name(text: "Item") : pick(classNames) ?? Name(text: "Item")
        guard let key = pick(keys(of: className)) else { return }
        let target = Link(className: className.text, key: key)
        while let (path, container) = state.place(ofLinkTo: target) {
            switch container {
            case .list(let elements):
                try emit(.arrayErase(path, priorSize: UInt32(elements.count)))
            case .set: try emit(.setErase(path, .value(.link(target))))
            default: try emit(.update(path, .value(.null), isDefault: false))
            }
        }
        try emit(.eraseObject(className: className.text, key: key))
    }
}

extension ReplicaState {
    /// What a path leads to.
    func slot(at path: InstructionPath) -> Slot? {
        var slot = objects[Name(text: path.className)]?[path.key]?[Name(text: path.property)]
        for step in path.rest {
            switch (slot, step) {
            case (.list(let elements), .index(let index)) where index < elements.count: slot = elements[Int(index)]
            case (.dictionary(let entries), .name(let name)): slot = entries[Name(text: name)]
            case (.object(_, let fields), .name(let name)): slot = fields[Name(text: name)]
            default: return nil
            }
        }
        return slot
    }

    /// A link to an object from another one: where, and what holds it.
    func place(ofLinkTo target: Link) -> (InstructionPath, container: Slot)? {
        for (className, instances) in objects.sorted(by: { $0.key.text < $1.key.text }) {
            for (key, fields) in instances.sorted(by: { $0.key.compareForSort($1.key) == .orderedAscending }) {
                if className.text == target.className, key == target.key { continue }
                for (name, slot) in fields.sorted(by: { $0.key.text < $1.key.text }) {
                    let path = InstructionPath(className.text, key, name.text)
                    if let found = Self.place(ofLinkTo: target, in: slot, at: path, container: .null) { return found }
                }
            }
        }
        return nil
    }

    private static func place(
        ofLinkTo target: Link, in slot: Slot, at path: InstructionPath, container: Slot
    ) -> (InstructionPath, container: Slot)? {
        func below(_ step: PathElement, _ inner: Slot) -> (InstructionPath, container: Slot)? {
            var path = path
            path.rest.append(step)
            return place(ofLinkTo: target, in: inner, at: path, container: slot)
        }
        switch slot {
        case .value(.link(target)): return (path, container)
        case .value: return nil
        case .set(let elements): return elements.contains(.link(target)) ? (path, slot) : nil
        case .list(let elements):
            for (index, element) in elements.enumerated() {
                if let found = below(.index(UInt32(index)), element) { return found }
            }
        case .object(_, let entries), .dictionary(let entries):
            for (name, value) in entries.sorted(by: { $0.key.text < $1.key.text }) {
                if let found = below(.name(name.text), value) { return found }
            }
        }
        return nil
    }
}
