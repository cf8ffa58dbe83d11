import Foundation
import Model

/// A realm as plain values in memory, made by instructions. It knows every type of the language, shares nothing with the
/// store, and is never fast.
final class NaiveRealm {
    let schema: RealmSchema
    /// Objects of each class in the order of their creation.
    private(set) var objects: [String: [NaiveObject]] = [:]
    private var embeddedCount = 0
    private var byLink: [Link: NaiveObject] = [:]

    init(_ schema: RealmSchema, _ instructions: [Instruction]) throws {
        self.schema = schema
        for instruction in instructions { try apply(instruction) }
    }

    struct Refused: Error {
        var instruction: Instruction
    }

    func object(_ link: Link) -> NaiveObject? {
        byLink[link]
    }

    /// The order of a set's values; links by the creation of what they lead to.
    private func precedes(_ a: Value, _ b: Value) -> Bool {
        if case .link(let a) = a, case .link(let b) = b, a.className == b.className {
            return (object(a)?.number ?? -1) < (object(b)?.number ?? -1)
        }
        return a.compareForSort(b) == .orderedAscending
    }

    private func apply(_ instruction: Instruction) throws {
        switch instruction {
        case .addTable, .addColumn: return
        case .createObject(let name, let key):
            guard let owner = schema.classSchema(name) else { throw Refused(instruction: instruction) }
            let number = objects[name]?.count ?? 0
            let object = NaiveObject(owner, key, number)
            if let primaryKey = owner.primaryKey, let value = key.value { object.fields[primaryKey] = .value(value) }
            objects[name, default: []].append(object)
            byLink[Link(className: name, key: key)] = object
        case .update(let path, let payload, _), .updateElement(let path, let payload, _):
            try change(path, instruction) { self.assign(&$0, payload, self.embedded(path)) }
        case .arrayInsert(let path, let payload, _):
            var list = path
            guard case .index(let index)? = list.rest.popLast() else { throw Refused(instruction: instruction) }
            try change(list, instruction) { value in
                guard case .list(var elements) = value, index <= elements.count else { return false }
                var element = NaiveValue.value(.null)
                guard self.assign(&element, payload, self.embedded(path)) else { return false }
                elements.insert(element, at: Int(index))
                value = .list(elements)
                return true
            }
        case .setInsert(let path, .value(let element)):
            try change(path, instruction) { value in
                guard case .set(var elements) = value else { return false }
                guard !elements.contains(element) else { return true }
                elements.append(element)
                elements.sort { self.precedes($0, $1) }
                value = .set(elements)
                return true
            }
        default: throw Refused(instruction: instruction)
        }
    }

    /// The class of the embedded objects in the property that a path ends in.
    private func embedded(_ path: InstructionPath) -> ClassSchema? {
        var property = schema.classSchema(path.className)?.property(path.property)
        for case .name(let name) in path.rest {
            guard let target = property?.target.flatMap(schema.classSchema), target.kind == .embedded else { break }
            if let next = target.property(name) { property = next }
        }
        let target = property?.target.flatMap(schema.classSchema)
        return target?.kind == .embedded ? target : nil
    }

    private func change(
        _ path: InstructionPath, _ instruction: Instruction, _ body: (inout NaiveValue) -> Bool
    ) throws {
        let owner = object(Link(className: path.className, key: path.key))
        guard let owner, let value = owner.fields[path.property] else { throw Refused(instruction: instruction) }
        var changed = value
        guard Self.change(&changed, path.rest[...], body) else { throw Refused(instruction: instruction) }
        owner.fields[path.property] = changed
    }

    private static func change(
        _ value: inout NaiveValue, _ rest: ArraySlice<PathElement>, _ body: (inout NaiveValue) -> Bool
    ) -> Bool {
        guard let step = rest.first else { return body(&value) }
        switch (value, step) {
        case (.list(var elements), .index(let index)) where index < elements.count:
            guard change(&elements[Int(index)], rest.dropFirst(), body) else { return false }
            value = .list(elements)
            return true
        case (.dictionary(var entries), .name(let name)):
            let place = entries.firstIndex { $0.key == name } ?? entries.endIndex
            if place == entries.endIndex { entries.append((name, .value(.null))) }
            guard change(&entries[place].value, rest.dropFirst(), body) else { return false }
            entries.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            value = .dictionary(entries)
            return true
        case (.embedded(let object), .name(let name)):
            guard var field = object.fields[name], change(&field, rest.dropFirst(), body) else { return false }
            object.fields[name] = field
            return true
        default: return false
        }
    }

    private func assign(_ place: inout NaiveValue, _ payload: Payload, _ embedded: ClassSchema?) -> Bool {
        switch payload {
        case .value(let value): place = .value(value)
        case .list: place = .list([])
        case .dictionary: place = .dictionary([])
        case .embeddedObject:
            guard let embedded else { return false }
            place = .embedded(NaiveObject(embedded, .null, embeddedCount))
            embeddedCount += 1
        case .erased, .set: return false
        }
        return true
    }
}

final class NaiveObject {
    let owner: ClassSchema
    let key: PrimaryKey
    /// Position among the objects of its class.
    let number: Int
    var fields: [String: NaiveValue] = [:]

    init(_ owner: ClassSchema, _ key: PrimaryKey, _ number: Int) {
        self.owner = owner
        self.key = key
        self.number = number
        for property in owner.properties { fields[property.name] = NaiveValue(defaultOf: property) }
    }
}

/// What a property, an element or a place in a Mixed holds. Links are values.
indirect enum NaiveValue {
    case value(Value)
    case embedded(NaiveObject)
    case list([NaiveValue])
    /// In the order of the values.
    case set([Value])
    /// In the order of the keys' bytes.
    case dictionary([(key: String, value: NaiveValue)])

    init(defaultOf property: PropertySchema) {
        switch property.collection {
        case .list: self = .list([])
        case .set: self = .set([])
        case .dictionary: self = .dictionary([])
        case .single:
            guard !property.isNullable else {
                self = .value(.null)
                return
            }
            switch property.type {
            case .int: self = .value(.int(0))
            case .bool: self = .value(.bool(false))
            case .string: self = .value(.string(""))
            case .binary: self = .value(.binary(Data()))
            case .timestamp: self = .value(.timestamp(Timestamp(seconds: 0, nanoseconds: 0)))
            case .float: self = .value(.float(0))
            case .double: self = .value(.double(0))
            case .decimal: self = .value(.decimal(.zero))
            case .objectId: self = .value(.objectId(ObjectId(high: 0, low: 0)))
            case .uuid: self = .value(.uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))))
            case .mixed, .link: self = .value(.null)
            }
        }
    }

    /// The elements of a collection, the values of a dictionary.
    var elements: [NaiveValue] {
        switch self {
        case .list(let elements): elements
        case .set(let values): values.map { .value($0) }
        case .dictionary(let entries): entries.map(\.value)
        case .value, .embedded: []
        }
    }

    var isCollection: Bool {
        switch self {
        case .list, .set, .dictionary: true
        case .value, .embedded: false
        }
    }

    subscript(key: String) -> NaiveValue? {
        guard case .dictionary(let entries) = self else { return nil }
        return entries.first { $0.key.utf8.elementsEqual(key.utf8) }?.value
    }
}
