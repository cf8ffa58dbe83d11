import Model
import Query

/// Follows the paths of a checked query (sections 6 and 15).
struct NaivePath {
    let realm: NaiveRealm

    /// The values of a path for one object, in the groups that are tested one by one.
    struct Reach {
        var groups: [[NaiveItem]]
        /// Whether it may have several values.
        var isMulti: Bool
        /// Whether nothing but single links was passed, so that what is missing is null.
        var isChain = false
    }

    /// Where a path has got to.
    private struct Place {
        var objects: [NaiveObject]
        var owner: ClassSchema
        /// A single link on the way was null, and nothing but single links was passed.
        var isNull = false
        /// Passed a collection, by all of its elements or by one.
        var passedCollection = false
        /// Passed all elements of a collection.
        var isMulti = false

        /// One group for each object that holds what is read, if there can be several; one empty group if there is none.
        func grouped(_ values: (NaiveObject) -> [NaiveItem]) -> [[NaiveItem]] {
            if isMulti { return objects.isEmpty ? [[]] : objects.map(values) }
            return [objects.flatMap(values)]
        }
    }

    func reach(_ path: PropertyPath, _ object: NaiveObject) -> Reach {
        var place = Place(objects: [object], owner: object.owner)
        var rest = path.steps[...]
        while let step = rest.popFirst() {
            switch step {
            case .backlinks(let className, let property):
                advanceToBacklinks(&place, className, property)
            case .allBacklinks:
                return Reach(groups: [[.value(.int(Int64(incoming(place.objects))))]], isMulti: false)
            case .name(let name):
                guard let property = place.owner.property(name) else { return Reach(groups: [], isMulti: false) }
                if let end = advance(&place, property, &rest) { return end }
            default: return Reach(groups: [], isMulti: false)
            }
        }
        let isChain = !place.passedCollection
        if place.isNull { return Reach(groups: [[.value(.null)]], isMulti: place.isMulti, isChain: isChain) }
        return Reach(groups: [place.objects.map { .object($0) }], isMulti: place.isMulti, isChain: isChain)
    }

    /// Objects at the end of a path of links; nil behind a null link.
    func objects(_ path: PropertyPath, _ object: NaiveObject) -> [NaiveObject] {
        reach(path, object).groups.flatMap { $0 }.compactMap {
            if case .object(let object) = $0 { object } else { nil }
        }
    }

    // MARK: Properties

    /// Nil if the path goes on from objects.
    private func advance(
        _ place: inout Place, _ property: PropertySchema, _ rest: inout ArraySlice<PropertyPath.Step>
    ) -> Reach? {
        switch (property.collection, property.type) {
        case (.single, .link):
            enter(&place, property) { target($0.fields[property.name]).map { [$0] } ?? [] }
            if place.objects.isEmpty, !place.passedCollection { place.isNull = true }
            return nil
        case (.single, .mixed):
            let steps = rest
            return mixed(place, steps) { $0.fields[property.name].map { [$0] } ?? [] }
        case (.single, _):
            if place.isNull { return Reach(groups: [[.value(.null)]], isMulti: place.isMulti) }
            return Reach(
                groups: [place.objects.map { item($0.fields[property.name]) }], isMulti: place.isMulti)
        default: return advanceIntoCollection(&place, property, &rest)
        }
    }

    private func advanceIntoCollection(
        _ place: inout Place, _ property: PropertySchema, _ rest: inout ArraySlice<PropertyPath.Step>
    ) -> Reach? {
        func all(_ object: NaiveObject) -> [NaiveValue] { object.fields[property.name]?.elements ?? [] }
        // What one step picks: nothing, or one value, which for a missing key is null.
        func picked(_ object: NaiveObject, _ step: PropertyPath.Step) -> [NaiveValue] {
            if case .key(let key) = step { return [object.fields[property.name]?[key] ?? .value(.null)] }
            return Self.position(step, in: all(object).count).map { [all(object)[$0]] } ?? []
        }
        let step = rest.first
        switch step {
        case .index, .first, .last, .key:
            guard let step = rest.popFirst() else { return nil }
            if property.type == .link, !rest.isEmpty || property.collection == .list {
                place.passedCollection = true
                enter(&place, property) { picked($0, step).compactMap { target($0) } }
                return nil
            }
            if property.type == .mixed || property.collection == .dictionary, !rest.isEmpty {
                place.passedCollection = true
                return mixed(place, rest) { picked($0, step) }
            }
            return Reach(
                groups: place.isNull ? [[]] : place.grouped { object in picked(object, step).map { item($0) } },
                isMulti: place.isMulti)
        case .keys:
            return Reach(groups: place.grouped { keys($0.fields[property.name]) }, isMulti: true)
        case .length:
            // One sequence, also behind links.
            let lengths = place.objects.flatMap(all).map {
                NaiveItem.value(.int(Int64(item($0).text?.bytes.count ?? 0)))
            }
            return Reach(groups: [lengths], isMulti: true)
        case .type:
            return Reach(groups: place.grouped { all($0).map { .type(type(of: $0)) } }, isMulti: true)
        default:
            let isExplicit = step == .all || step == .values
            if isExplicit { rest.removeFirst() }
            if property.type == .link {
                place.passedCollection = true
                place.isMulti = true
                enter(&place, property) { all($0).compactMap { target($0) } }
                return nil
            }
            guard rest.isEmpty else {
                let holder = place
                place.isMulti = true
                // Each value reached is one of the holder's.
                let steps = rest
                return Reach(
                    groups: holder.grouped { object in all(object).flatMap { inside($0, steps) } }, isMulti: true)
            }
            return Reach(groups: place.grouped { all($0).map { item($0) } }, isMulti: true)
        }
    }

    private func enter(_ place: inout Place, _ property: PropertySchema, _ targets: (NaiveObject) -> [NaiveObject]) {
        place.objects = place.objects.flatMap(targets)
        if place.passedCollection { place.isNull = false }
        if let owner = property.target.flatMap({ realm.schema.classSchema($0) }) { place.owner = owner }
    }

    // MARK: Mixed

    /// From values in Mixed that the objects hold: as they are, or what the steps inside reach.
    private func mixed(
        _ place: Place, _ rest: ArraySlice<PropertyPath.Step>, _ values: (NaiveObject) -> [NaiveValue]
    ) -> Reach {
        let isMulti = place.isMulti || rest.contains { [.all, .values, .keys].contains($0) }
        if rest.isEmpty || rest == [.type] {
            func end(_ value: NaiveValue) -> NaiveItem { rest.isEmpty ? item(value) : .type(type(of: value)) }
            // Without a step inside it is as any value.
            if place.isNull { return Reach(groups: [[end(.value(.null))]], isMulti: isMulti) }
            return Reach(groups: [place.objects.flatMap(values).map(end)], isMulti: isMulti)
        }
        if place.isNull { return Reach(groups: [[]], isMulti: isMulti) }
        return Reach(groups: place.grouped { values($0).flatMap { inside($0, rest) } }, isMulti: isMulti)
    }

    /// What steps reach inside a value (Q-112 … Q-117).
    private func inside(_ value: NaiveValue, _ steps: ArraySlice<PropertyPath.Step>) -> [NaiveItem] {
        guard let step = steps.first else { return [item(value)] }
        let rest = steps.dropFirst()
        if step == .type { return [.type(type(of: value))] }
        if let object = target(value) {
            // A link goes on by the name of a property; one that the class doesn't have gives nothing.
            guard case .key(let name) = step, let field = object.fields[name] else { return [] }
            return inside(field, rest)
        }
        switch step {
        case .key(let key):
            guard case .dictionary = value else { return [] }
            return inside(value[key] ?? .value(.null), rest)
        case .index, .first, .last:
            guard case .list(let elements) = value, let position = Self.position(step, in: elements.count) else {
                return []
            }
            return inside(elements[position], rest)
        case .all: return value.elements.flatMap { inside($0, rest) }
        case .values:
            guard case .dictionary = value else { return [] }
            return value.elements.flatMap { inside($0, rest) }
        case .keys: return keys(value)
        default: return []
        }
    }

    private static func position(_ step: PropertyPath.Step, in count: Int) -> Int? {
        switch step {
        case .index(let index): index < count ? index : nil
        case .first: count > 0 ? 0 : nil
        case .last: count > 0 ? count - 1 : nil
        default: nil
        }
    }

    private func keys(_ value: NaiveValue?) -> [NaiveItem] {
        guard case .dictionary(let entries)? = value else { return [] }
        return entries.map { .value(.string($0.key)) }
    }

    // MARK: Values

    func item(_ value: NaiveValue?) -> NaiveItem {
        switch value {
        case .value(.link(let link)): realm.object(link).map { .object($0) } ?? .value(.null)
        case .value(let value): .value(value)
        case .embedded(let object): .object(object)
        case .list, .set, .dictionary: value.map { .collection($0) } ?? .value(.null)
        case nil: .value(.null)
        }
    }

    private func target(_ value: NaiveValue?) -> NaiveObject? {
        if case .object(let object) = item(value) { object } else { nil }
    }

    private func type(of value: NaiveValue) -> TypeName {
        switch item(value) {
        case .value(let value): TypeName(of: value)
        case .object: .link
        case .collection(.dictionary): .dictionary
        case .collection, .type: .list
        }
    }

    // MARK: Backlinks

    private func advanceToBacklinks(_ place: inout Place, _ className: String, _ property: String) {
        let origins = realm.objects[className] ?? []
        place.objects = place.objects.flatMap { target in
            origins.flatMap { origin in
                Array(repeating: origin, count: references(in: origin.fields[property], to: target))
            }
        }
        place.passedCollection = true
        place.isMulti = true
        place.isNull = false
        if let owner = realm.schema.classSchema(className) { place.owner = owner }
    }

    /// How many links lead to some objects, from whatever property.
    func incoming(_ objects: [NaiveObject]) -> Int {
        var count = 0
        for target in objects {
            for origin in realm.objects.values.joined() {
                for field in origin.fields.values { count += references(in: field, to: target) }
            }
        }
        return count
    }

    private func references(in value: NaiveValue?, to target: NaiveObject) -> Int {
        switch value {
        case .value(.link(let link)): realm.object(link) === target ? 1 : 0
        case .embedded(let object):
            object.fields.values.reduce(object === target ? 1 : 0) { $0 + references(in: $1, to: target) }
        case .value, nil: 0
        case .list, .set, .dictionary: value?.elements.reduce(0) { $0 + references(in: $1, to: target) } ?? 0
        }
    }
}
