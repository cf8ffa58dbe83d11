import Foundation
import Model

@testable import Store

/// What a slot of a plain realm holds.
indirect enum Node: Hashable, Sendable {
    case value(Value)
    case list([Node])
    /// In no order.
    case set([Value])
    case dictionary([Entry])
    /// An embedded object.
    case object([String: Node])

    /// Swift's dictionaries take strings for equal that aren't the same bytes.
    struct Entry: Hashable, Sendable {
        var key: [UInt8]
        var node: Node
    }

    static let null = Node.value(.null)
}

/// What a realm must hold, as nested Swift values: applies the same instructions as the file under test.
struct PlainRealm {
    let schema: RealmSchema
    var objects: [String: [PrimaryKey: [String: Node]]] = [:]

    init(_ schema: RealmSchema) {
        self.schema = schema
    }

    func exists(_ link: Link) -> Bool { objects[link.className]?[link.key] != nil }

    /// The properties of a new object.
    func blank(_ name: String) -> [String: Node] {
        var object: [String: Node] = [:]
        for property in schema.classSchema(name)?.properties ?? [] {
            switch property.collection {
            case .list: object[property.name] = .list([])
            case .set: object[property.name] = .set([])
            case .dictionary: object[property.name] = .dictionary([])
            case .single:
                let isNull = property.isNullable || property.type == .link || property.type == .mixed
                object[property.name] = .value(isNull ? .null : Oracle.zero(property.type))
            }
        }
        return object
    }

    mutating func apply(_ instruction: Instruction) {
        switch instruction {
        case .createObject(let name, let key):
            guard objects[name]?[key] == nil, let stored = schema.classSchema(name) else { return }
            var object = blank(name)
            if let primaryKey = stored.primaryKey { object[primaryKey] = .value(Value(key)) }
            objects[name, default: [:]][key] = object
        case .eraseObject(let name, let key): objects[name]?[key] = nil
        case .update(let path, .erased, _):
            onContainer(path) { container, step in
                if case .name(let name) = step { container.removeEntry(name) }
            }
        case .update(let path, let payload, _), .updateElement(let path, let payload, _):
            let isKey = path.rest.isEmpty ? false : isDictionary(path)
            onSlot(path) { [self] node in node = assigned(payload, to: node, at: path, isKey: isKey) }
        case .addInteger(let path, let amount):
            onSlot(path) { if case .value(.int(let value)) = $0 { $0 = .value(.int(value &+ amount)) } }
        case .arrayInsert(let path, let payload, _):
            let node = assigned(payload, to: .null, at: path, isKey: false)
            onList(path) { $0.insert(node, at: $1) }
        case .arrayErase(let path, _): onList(path) { $0.remove(at: $1) }
        case .arrayMove(let path, let to, _):
            onList(path) { list, from in
                let node = list.remove(at: from)
                list.insert(node, at: Int(to))
            }
        case .clear(let path, let kind):
            onSlot(path) { node in
                switch node {
                case .set: node = .set([])
                case .list where kind == .single: node = .list([])
                case .dictionary where kind == .single: node = .dictionary([])
                default: node = kind == .list ? .list([]) : .dictionary([])
                }
            }
        case .setInsert(let path, .value(let value)):
            onSlot(path) { node in
                guard case .set(var elements) = node else { return }
                elements.removeAll { $0.isSameElement(as: value) }
                node = .set(elements + [value])
            }
        case .setErase(let path, .value(let value)):
            onSlot(path) { node in
                guard case .set(var elements) = node else { return }
                elements.removeAll { $0.isSameElement(as: value) }
                node = .set(elements)
            }
        default: break
        }
    }

    /// C-149 … C-151.
    private func assigned(_ payload: Payload, to node: Node, at path: InstructionPath, isKey: Bool) -> Node {
        switch payload {
        case .value(let value): return .value(value)
        case .list: if case .list = node { return node } else { return .list([]) }
        case .dictionary: if case .dictionary = node { return node } else { return .dictionary([]) }
        case .embeddedObject:
            if !isKey, case .object = node { return node }
            return .object(blank(target(of: path) ?? ""))
        case .erased, .set: return node
        }
    }

    // MARK: Paths

    /// The property whose slot, or element, a path leads to.
    func property(_ path: InstructionPath) -> PropertySchema? {
        var property = schema.classSchema(path.className)?.property(path.property)
        var rest = path.rest[...]
        while let current = property, !rest.isEmpty {
            if current.collection != .single { rest = rest.dropFirst() }
            guard current.type == .link, case .name(let name)? = rest.first else { break }
            rest = rest.dropFirst()
            property = current.target.flatMap { schema.classSchema($0) }?.property(name)
        }
        return property
    }

    private func target(of path: InstructionPath) -> String? { property(path)?.target }

    private func isDictionary(_ path: InstructionPath) -> Bool {
        var copy = self
        var result = false
        copy.onContainer(path) { container, _ in if case .dictionary = container { result = true } }
        return result
    }

    /// What a path leads to; nil if there is nothing.
    func node(_ path: InstructionPath) -> Node? {
        var copy = self
        var found: Node?
        copy.onSlot(path) { found = $0 }
        return found
    }

    private mutating func onSlot(_ path: InstructionPath, _ body: (inout Node) -> Void) {
        Self.descend(
            &objects[path.className, default: [:]][path.key, default: [:]][path.property, default: .null],
            path.rest[...], body)
    }

    /// What holds the slot that a path leads to, and the last step.
    private mutating func onContainer(_ path: InstructionPath, _ body: (inout Node, PathElement) -> Void) {
        guard let last = path.rest.last else { return }
        Self.descend(
            &objects[path.className, default: [:]][path.key, default: [:]][path.property, default: .null],
            path.rest.dropLast()
        ) { body(&$0, last) }
    }

    private mutating func onList(_ path: InstructionPath, _ body: (inout [Node], Int) -> Void) {
        onContainer(path) { container, step in
            guard case .list(var elements) = container, case .index(let index) = step else { return }
            container = .null
            body(&elements, Int(index))
            container = .list(elements)
        }
    }

    private static func descend(_ node: inout Node, _ rest: ArraySlice<PathElement>, _ body: (inout Node) -> Void) {
        guard let step = rest.first else { return body(&node) }
        switch (node, step) {
        case (.list(var elements), .index(let index)) where index < elements.count:
            node = .null
            descend(&elements[Int(index)], rest.dropFirst(), body)
            node = .list(elements)
        case (.dictionary(var entries), .name(let name)):
            let key = Array(name.utf8)
            node = .null
            if let place = entries.firstIndex(where: { $0.key == key }) {
                descend(&entries[place].node, rest.dropFirst(), body)
            } else if rest.count == 1 {
                var new = Node.null
                body(&new)
                let place = entries.firstIndex { key.lexicographicallyPrecedes($0.key) } ?? entries.count
                entries.insert(Node.Entry(key: key, node: new), at: place)
            }
            node = .dictionary(entries)
        case (.object(var properties), .name(let name)):
            node = .null
            descend(&properties[name, default: .null], rest.dropFirst(), body)
            node = .object(properties)
        default: break
        }
    }
}

extension Node {
    fileprivate mutating func removeEntry(_ name: String) {
        guard case .dictionary(var entries) = self else { return }
        entries.removeAll { $0.key == Array(name.utf8) }
        self = .dictionary(entries)
    }
}
