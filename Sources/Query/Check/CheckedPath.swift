import Model

/// A key path with its names looked up in a schema, and what it leads to (Q-44 … … Q-117).
///
/// In `path`, `.name` is always a property; keys of dictionaries are `.key`; `[*]` remains only where further steps need
/// it; `length` of a list is `.length`; `@values` of a dictionary is `[*]`, that of a Mixed stays.
struct CheckedPath {
    var path: PropertyPath
    /// Type of the values; link for objects. Values of dictionaries count as Mixed.
    var type: ValueType
    /// Class of the objects that links lead to; nil for other types.
    var target: String?
    /// Whether it can yield several values.
    var isMulti = false
    /// Whether some step is a collection, even if an index picks one element.
    var passesCollection = false
    /// The collection that it ends with as a whole, or backlinks, which are taken for a list.
    var whole: CollectionKind?
    /// Whether it ends with an element of a collection by index or key.
    var isElement = false
    var isFromDictionary = false
    /// Steps inside a Mixed.
    var mixedDepth = 0
    var endsInSingleLink = false
    var isNullable = true
    /// Whether it is a single property of the queried class.
    var isOwnProperty = false
    var isKeys = false
    var isType = false
    var isLength = false
    var isAllBacklinks = false

    /// A collection of anything but links, as a whole.
    var isWholePrimitives: Bool { whole != nil && type != .link && !isKeys && !isLength && !isType }
}

/// Looks paths up, step by step.
struct PathResolver {
    let schema: RealmSchema
    let aliases: PathAliases

    private enum Place {
        case object(ClassSchema)
        case collection(PropertySchema, of: ClassSchema)
        case mixed
        case value(PropertySchema)
        /// After `@keys`, `@type`, `length`: nothing can follow.
        case end(String)
    }

    private struct State {
        var place: Place
        var steps: [PropertyPath.Step] = []
        var info: CheckedPath
    }

    func resolve(_ path: PropertyPath, from start: ClassSchema) throws(QueryError) -> CheckedPath {
        guard path.steps.count <= QueryLimits.steps else {
            throw .query("a path of \(path.steps.count) steps; \(QueryLimits.steps) are allowed")
        }
        var state = State(
            place: .object(start), info: CheckedPath(path: path, type: .link, target: start.name, isNullable: false))
        for (position, step) in path.steps.enumerated() {
            try advance(&state, step, isLast: position == path.steps.count - 1)
        }
        finish(&state)
        state.info.path = PropertyPath(state.steps)
        state.info.isOwnProperty = state.steps.count == 1
        return state.info
    }

    func classSchema(_ name: String) throws(QueryError) -> ClassSchema {
        guard let found = schema.classSchema(aliases.classes[name] ?? name) else {
            throw .query("unknown class '\(name)'")
        }
        return found
    }

    private func advance(
        _ state: inout State, _ step: PropertyPath.Step, isLast: Bool
    ) throws(QueryError) {
        switch state.place {
        case .object(let owner): try onObject(&state, try aliases.resolve(step, on: owner.name), owner)
        case .collection(let property, let owner):
            try onCollection(&state, step, property, owner, isLast: isLast)
        case .mixed: try onMixed(&state, step)
        case .value(let property): throw .query("property '\(property.name)' has no property or element")
        case .end(let what): throw .query("nothing can follow \(what)")
        }
    }

    // MARK: Objects

    private func onObject(
        _ state: inout State, _ step: PropertyPath.Step, _ owner: ClassSchema
    ) throws(QueryError) {
        state.info.endsInSingleLink = false
        state.info.isElement = false
        state.info.whole = nil
        switch step {
        case .name(let name):
            guard let property = owner.property(name) else { throw .query("'\(owner.name)' has no property '\(name)'") }
            state.steps.append(step)
            state.info.isNullable = property.isNullable
            if property.collection != .single {
                state.info.passesCollection = true
                state.place = .collection(property, of: owner)
            } else if property.type == .link {
                state.info.endsInSingleLink = true
                try enter(&state, property)
            } else {
                state.info.type = property.type
                state.info.target = nil
                state.place = property.type == .mixed ? .mixed : .value(property)
            }
        case .backlinks(let className, let name):
            let resolved = aliases.classes[className] ?? className
            guard let origin = schema.classSchema(resolved), let property = origin.property(name),
                property.type == .link, property.target == owner.name
            else {
                throw .query(
                    "no property '\(name)' found in type '\(className)' which links to type '\(owner.name)'")
            }
            state.steps.append(.backlinks(className: resolved, property: name))
            state.info.passesCollection = true
            state.info.isMulti = true
            state.info.whole = .list
            state.info.target = origin.name
            state.place = .object(origin)
        case .allBacklinks:
            state.steps.append(step)
            state.info.type = .int
            state.info.target = nil
            state.info.isAllBacklinks = true
            state.place = .end("@links")
        case .index, .key, .first, .last, .all:
            throw .query("an object of '\(owner.name)' can't be indexed")
        case .keys, .values, .type, .length:
            throw .query("an object of '\(owner.name)' has no such operation")
        }
    }

    private func enter(_ state: inout State, _ property: PropertySchema) throws(QueryError) {
        guard let target = property.target, let next = schema.classSchema(target) else {
            throw .query("'\(property.name)' links to a class that doesn't exist")
        }
        state.info.type = .link
        state.info.target = next.name
        state.place = .object(next)
    }

    // MARK: Collections

    private func onCollection(
        _ state: inout State, _ step: PropertyPath.Step, _ property: PropertySchema, _ owner: ClassSchema, isLast: Bool
    ) throws(QueryError) {
        if property.collection == .dictionary { return try onDictionary(&state, step, property, isLast: isLast) }
        let isSet = property.collection == .set
        switch step {
        case .index, .first, .last:
            guard !isSet else { throw .query("the set '\(owner.name).\(property.name)' has no index") }
            state.steps.append(step)
            state.info.isElement = true
            try enterElements(&state, property)
        case .all where isLast: break
        case .all:
            state.info.isMulti = true
            if property.type == .mixed { state.steps.append(.all) }
            if property.type == .link || property.type == .mixed { try enterElements(&state, property) }
        case .type where property.type == .mixed: endWithType(&state, isMulti: true)
        case .name(let name)
        where name.lowercased() == "length" && [.string, .binary].contains(property.type) && !isSet:
            endWithLength(&state)
        case .length where [.string, .binary].contains(property.type) && !isSet: endWithLength(&state)
        case .name, .backlinks, .allBacklinks:
            guard property.type == .link else {
                throw .query("the collection '\(owner.name).\(property.name)' has no such property")
            }
            state.info.isMulti = true
            try enterElements(&state, property)
            try advance(&state, step, isLast: isLast)
        case .key, .keys, .values, .type, .length:
            throw .query("the collection '\(owner.name).\(property.name)' has no keys")
        }
    }

    private func endWithLength(_ state: inout State) {
        state.steps.append(.length)
        state.info.type = .int
        state.info.isMulti = true
        state.info.isLength = true
        state.place = .end("length")
    }

    private func endWithType(_ state: inout State, isMulti: Bool) {
        state.steps.append(.type)
        state.info.type = .string
        state.info.isType = true
        if isMulti { state.info.isMulti = true }
        state.place = .end("@type")
    }

    /// Goes on from the elements, of which the steps so far name one or all.
    private func enterElements(_ state: inout State, _ property: PropertySchema) throws(QueryError) {
        state.info.isNullable = property.isNullable
        switch property.type {
        case .link: try enter(&state, property)
        case .mixed:
            state.info.type = .mixed
            state.info.target = nil
            state.place = .mixed
        default:
            state.info.type = property.collection == .dictionary ? .mixed : property.type
            state.info.target = nil
            state.place = property.collection == .dictionary ? .mixed : .value(property)
        }
    }

    private func onDictionary(
        _ state: inout State, _ step: PropertyPath.Step, _ property: PropertySchema, isLast: Bool
    ) throws(QueryError) {
        state.info.isFromDictionary = true
        switch step {
        case .key(let key): try enterValue(&state, property, at: key)
        case .name(let name):
            let target = property.target.flatMap(schema.classSchema)
            let isProperty: Bool
            switch try target.map({ (target) throws(QueryError) in try aliases.resolve(step, on: target.name) }) {
            case .name(let name): isProperty = target?.property(name) != nil
            case nil: isProperty = false
            default: isProperty = true
            }
            guard property.type == .link, isProperty else { return try enterValue(&state, property, at: name) }
            state.info.isMulti = true
            try enterElements(&state, property)
            try advance(&state, step, isLast: isLast)
        case .length: try enterValue(&state, property, at: "length")
        case .all, .values:
            if isLast { return }
            state.info.isMulti = true
            state.steps.append(.all)
            try enterElements(&state, property)
        case .keys:
            state.steps.append(.keys)
            state.info.type = .string
            state.info.target = nil
            state.info.isMulti = true
            state.info.isKeys = true
            state.info.isNullable = false
            state.place = .end("@keys")
        case .type: endWithType(&state, isMulti: true)
        case .backlinks, .allBacklinks:
            guard property.type == .link else { throw .query("values of '\(property.name)' have no backlinks") }
            state.info.isMulti = true
            try enterElements(&state, property)
            try advance(&state, step, isLast: isLast)
        case .index, .first, .last: throw .query("the keys of the dictionary '\(property.name)' are strings")
        }
    }

    private func enterValue(
        _ state: inout State, _ property: PropertySchema, at key: String
    ) throws(QueryError) {
        state.steps.append(.key(key))
        try enterElements(&state, property)
        state.info.isElement = true
        state.info.isNullable = true
    }

    // MARK: Inside a Mixed

    private func onMixed(_ state: inout State, _ step: PropertyPath.Step) throws(QueryError) {
        state.info.mixedDepth += 1
        state.info.isElement = true
        state.info.isNullable = true
        switch step {
        case .name("@keys"), .key("@keys"), .keys:
            state.steps.append(.keys)
            state.info.isMulti = true
            state.info.isKeys = true
            state.place = .end("@keys")
        case .name(let name): state.steps.append(.key(name))
        case .length: state.steps.append(.key("length"))
        case .index, .key, .first, .last: state.steps.append(step)
        case .all, .values:
            state.steps.append(step)
            state.info.isMulti = true
        case .type:
            state.info.mixedDepth -= 1
            endWithType(&state, isMulti: false)
        case .backlinks, .allBacklinks: throw .query("@links can't follow a Mixed value")
        }
    }

    private func finish(_ state: inout State) {
        guard case .collection(let property, _) = state.place else { return }
        state.info.whole = property.collection
        state.info.isMulti = true
        state.info.type = property.collection == .dictionary && property.type != .link ? .mixed : property.type
        state.info.target = property.type == .link ? property.target : nil
        state.info.isFromDictionary = property.collection == .dictionary
    }
}
