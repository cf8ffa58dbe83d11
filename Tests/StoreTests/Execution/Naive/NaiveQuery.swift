import Foundation
import Model
import Query

/// Evaluates checked queries object by object and value by value, as the language's description reads. It has no index,
/// no column and no plan: what the store finds must be what this finds.
struct NaiveQuery {
    let realm: NaiveRealm
    private let paths: NaivePath

    init(_ realm: NaiveRealm) {
        self.realm = realm
        paths = NaivePath(realm: realm)
    }

    func objects(_ query: ClassQuery) -> [NaiveObject] {
        var found = (realm.objects[query.className] ?? []).filter { holds(query.condition, $0) }
        for descriptor in query.descriptors {
            switch descriptor {
            case .limit(let count): found = Array(found.prefix(count))
            case .filter(let condition): found = found.filter { holds(condition, $0) }
            case .distinct(let paths):
                var seen: [[Held]] = []
                found = found.filter { object in
                    let values = paths.map { held($0, object) }
                    guard !values.contains(where: { $0 == nil }) else { return false }
                    let tuple = values.compactMap { $0 }
                    if seen.contains(where: { zip($0, tuple).allSatisfy(isSame) }) { return false }
                    seen.append(tuple)
                    return true
                }
            case .sort(let keys):
                found = found.enumerated().sorted { a, b in
                    for key in keys {
                        let order = sortOrder(single(key.path, a.element), single(key.path, b.element))
                        if order != .orderedSame { return (order == .orderedAscending) == key.ascending }
                    }
                    return a.offset < b.offset
                }.map(\.element)
            }
        }
        return found
    }

    func holds(_ condition: Condition, _ object: NaiveObject) -> Bool {
        switch condition {
        case .constant(let value): value
        case .and(let parts): parts.allSatisfy { holds($0, object) }
        case .or(let parts): parts.contains { holds($0, object) }
        case .not(let part): !holds(part, object)
        case .comparison(let comparison): holds(comparison, object)
        }
    }

    // MARK: Operands

    /// One side of a comparison for one object.
    private struct Side {
        var groups: [[NaiveItem]]
        var isMulti: Bool
        var quantifier: Quantifier?
        var isConstant = false
    }

    private func side(_ operand: Operand, _ object: NaiveObject) -> Side {
        switch operand {
        case .constant(let value):
            return Side(groups: [[constant(value)]], isMulti: false, isConstant: true)
        case .list(let values, let quantifier):
            return Side(groups: [values.map(constant)], isMulti: true, quantifier: quantifier, isConstant: true)
        case .path(let path, let quantifier):
            let reach = paths.reach(path, object)
            return Side(groups: reach.groups, isMulti: reach.isMulti, quantifier: quantifier)
        case .count(let path):
            // Several are tested as ANY.
            let isMulti = hasSeveralHolders(path, object)
            return Side(groups: [counts(path, object)], isMulti: isMulti, quantifier: isMulti ? .any : nil)
        case .aggregate(let path, let function, let property):
            let isMulti = property == nil && hasSeveralHolders(path, object)
            return Side(
                groups: [aggregates(path, function, property, object)], isMulti: isMulti,
                quantifier: isMulti ? .any : nil)
        case .subqueryCount(let path, _, let condition):
            let count = paths.objects(path, object).filter { holds(condition, $0) }.count
            return Side(groups: [[.value(.int(Int64(count)))]], isMulti: false)
        case .arithmetic(let left, let op, let right):
            let (a, b) = (side(left, object), side(right, object))
            let groups = a.groups.flatMap { x in
                b.groups.map { y in x.flatMap { x in y.map { arithmetic(x, op, $0) } } }
            }
            return Side(
                groups: groups, isMulti: a.isMulti || b.isMulti, quantifier: a.quantifier ?? b.quantifier)
        case .geo, .objectKey, .source, .sourceList:
            return Side(groups: [], isMulti: false)
        }
    }

    /// A link to an object that isn't there stays a value, which equals nothing.
    private func constant(_ value: Value) -> NaiveItem {
        if case .link(let link) = value, let object = realm.object(link) { return .object(object) }
        return .value(value)
    }

    private func arithmetic(_ a: NaiveItem, _ op: ArithmeticOperator, _ b: NaiveItem) -> NaiveItem {
        guard let a = a.number, let b = b.number else { return .value(.null) }
        return .value(op.apply(a, b) ?? .null)
    }

    /// Whether what holds the last step of a path may be several objects.
    private func hasSeveralHolders(_ path: PropertyPath, _ object: NaiveObject) -> Bool {
        switch path.steps.last {
        case .allBacklinks: return false
        case .name, .backlinks, nil: return paths.reach(PropertyPath(Array(path.steps.dropLast())), object).isMulti
        default: return paths.reach(path, object).isMulti
        }
    }

    ///
    private func counts(_ path: PropertyPath, _ object: NaiveObject) -> [NaiveItem] {
        func number(_ count: Int) -> NaiveItem { .value(.int(Int64(count))) }
        guard let last = path.steps.last else { return [number(1)] }
        let holderPath = PropertyPath(Array(path.steps.dropLast()))
        let holders = paths.objects(holderPath, object)
        let isChain = paths.reach(holderPath, object).isChain
        switch last {
        case .allBacklinks: return [number(paths.incoming(holders))]
        case .backlinks:
            let counts = holders.map { number(paths.objects(PropertyPath([last]), $0).count) }
            return counts.isEmpty && isChain ? [number(0)] : counts
        case .name(let name):
            if let owner = owner(of: holderPath, object), let property = owner.property(name),
                property.collection != .single || property.type == .link
            {
                let counts = holders.map { holder -> NaiveItem in
                    let field = holder.fields[name]
                    guard property.collection != .single else { return number(paths.item(field).isNull ? 0 : 1) }
                    let elements = field?.elements ?? []
                    // Entries and links without object are none.
                    return number(
                        property.type == .link ? elements.filter { !paths.item($0).isNull }.count : elements.count)
                }
                return counts.isEmpty && isChain ? [number(0)] : counts
            }
            return paths.reach(path, object).groups.flatMap { $0 }.map(size)
        default: return paths.reach(path, object).groups.flatMap { $0 }.map(size)
        }
    }

    /// The class that a path of objects leads to.
    private func owner(of path: PropertyPath, _ object: NaiveObject) -> ClassSchema? {
        var owner: ClassSchema? = object.owner
        for step in path.steps {
            switch step {
            case .name(let name): owner = owner?.property(name)?.target.flatMap(realm.schema.classSchema)
            case .backlinks(let className, _): owner = realm.schema.classSchema(className)
            default: continue
            }
        }
        return owner
    }

    /// Bytes of a string, elements of a collection in a Mixed.
    private func size(_ item: NaiveItem) -> NaiveItem {
        if let text = item.text { return .value(.int(Int64(text.bytes.count))) }
        if case .collection(let value) = item { return .value(.int(Int64(value.elements.count))) }
        return .value(.null)
    }

    /// Q-94 … Q-97.
    private func aggregates(
        _ path: PropertyPath, _ function: AggregateFunction, _ property: String?, _ object: NaiveObject
    ) -> [NaiveItem] {
        if let property {
            let objects = paths.objects(path, object)
            let type = owner(of: path, object)?.property(property)?.type ?? .int
            return [NaiveAggregate.of(objects.map { paths.item($0.fields[property]) }, function, type)]
        }
        guard case .name(let name)? = path.steps.last else { return [] }
        let holderPath = PropertyPath(Array(path.steps.dropLast()))
        let type = owner(of: holderPath, object)?.property(name)?.type ?? .int
        let holders = paths.objects(holderPath, object)
        let lists = holders.map { $0.fields[name]?.elements.map { paths.item($0) } ?? [] }
        let isChain = paths.reach(holderPath, object).isChain
        return (lists.isEmpty && isChain ? [[]] : lists).map { NaiveAggregate.of($0, function, type) }
    }

    // MARK: Comparisons

    private func holds(_ comparison: Comparison, _ object: NaiveObject) -> Bool {
        if comparison.op == .geoWithin { return geoWithin(comparison, object) }
        let left = side(comparison.left, object)
        let right = side(comparison.right, object)
        return left.groups.contains { lefts in
            right.groups.contains { holds(lefts, left, $0, right, comparison) }
        }
    }

    private func holds(
        _ lefts: [NaiveItem], _ left: Side, _ rights: [NaiveItem], _ right: Side, _ comparison: Comparison
    ) -> Bool {
        if comparison.op == .between {
            let lower = NaiveComparison(op: .greaterOrEqual, options: [], rightIsConstant: true)
            let upper = NaiveComparison(op: .lessOrEqual, options: [], rightIsConstant: true)
            if comparison.options.contains(.sameElement) {
                return quantified(lefts, left.quantifier) { lower.holds($0, rights[0]) && upper.holds($0, rights[1]) }
            }
            return quantified(lefts, left.quantifier) { lower.holds($0, rights[0]) }
                && quantified(lefts, left.quantifier) { upper.holds($0, rights[1]) }
        }
        let single = NaiveComparison(
            op: comparison.op, options: comparison.options, rightIsConstant: right.isConstant)
        if left.isMulti, right.isMulti, left.quantifier == nil, right.quantifier == nil {
            if comparison.op == .notEqual, lefts.count != rights.count { return true }
            return lefts.count == rights.count && zip(lefts, rights).allSatisfy { single.holds($0, $1) }
        }
        return quantified(lefts, left.quantifier) { a in
            quantified(rights, right.quantifier) { single.holds(a, $0) }
        }
    }

    private func quantified(_ items: [NaiveItem], _ quantifier: Quantifier?, _ test: (NaiveItem) -> Bool) -> Bool {
        switch quantifier {
        case .all: items.allSatisfy(test)
        case Quantifier.none?: !items.contains(where: test)
        case .any, nil: items.contains(where: test)
        }
    }

    ///
    private func geoWithin(_ comparison: Comparison, _ object: NaiveObject) -> Bool {
        guard case .path(let path, let quantifier) = comparison.left, case .geo(let shape) = comparison.right else {
            return false
        }
        let region = GeoRegion(shape)
        let objects = paths.objects(path, object).map { NaiveItem.object($0) }
        return quantified(objects, quantifier) { item in
            guard case .object(let place) = item, case .value(.string(let type))? = place.fields["type"],
                type.lowercased() == "point",
                let coordinates = place.fields["coordinates"]?.elements.map({ paths.item($0) }),
                coordinates.count >= 2, case .value(.double(let longitude)) = coordinates[0],
                case .value(.double(let latitude)) = coordinates[1]
            else { return false }
            return region.contains(GeoPoint(longitude: longitude, latitude: latitude))
        }
    }

    // MARK: Order

    /// A value and the object that holds it.
    private struct Held {
        var item: NaiveItem
        var holder: NaiveObject
    }

    private func single(_ path: PropertyPath, _ object: NaiveObject) -> NaiveItem? { held(path, object)?.item }

    /// One value through single links; nil when one on the way is null.
    private func held(_ path: PropertyPath, _ object: NaiveObject) -> Held? {
        var object = object
        for (position, step) in path.steps.enumerated() {
            guard case .name(let name) = step else { return nil }
            let field = object.fields[name]
            let rest = path.steps.dropFirst(position + 1)
            if rest.isEmpty { return Held(item: paths.item(field), holder: object) }
            if rest.count == 1, case .key(let key)? = rest.first {
                return Held(item: paths.item(field?[key]), holder: object)
            }
            guard case .object(let next) = paths.item(field) else { return nil }
            object = next
        }
        return Held(item: .object(object), holder: object)
    }

    /// A collection is the same as itself only.
    private func isSame(_ a: Held, _ b: Held) -> Bool {
        if case .collection = a.item, case .collection = b.item { return a.holder === b.holder }
        return sortOrder(a.item, b.item) == .orderedSame
    }

    private func sortOrder(_ a: NaiveItem?, _ b: NaiveItem?) -> ComparisonResult { NaiveItem.sortOrder(a, b) }
}

extension NaiveItem {
    /// Null before values, a null link on the way after them; values by type, then by value.
    static func sortOrder(_ a: NaiveItem?, _ b: NaiveItem?) -> ComparisonResult {
        func rank(_ item: NaiveItem?) -> Int {
            guard let item else { return 100 }
            switch item {
            case .value(.null): return -1
            case .value(.bool): return 0
            case .value(.string), .value(.malformedString): return 2
            case .value(.binary): return 3
            case .value(.timestamp): return 4
            case .value(.objectId): return 5
            case .value(.uuid): return 6
            case .object, .value(.link): return 7
            case .collection(.dictionary): return 11
            case .collection, .type: return 9
            case .value: return 1
            }
        }
        func order(_ a: Int, _ b: Int) -> ComparisonResult {
            a < b ? .orderedAscending : a > b ? .orderedDescending : .orderedSame
        }
        guard rank(a) == rank(b), let a, let b else { return order(rank(a), rank(b)) }
        if case .object(let a) = a, case .object(let b) = b {
            // Of several classes, in the order of their tables, which are made in that of their names.
            guard a.owner.name == b.owner.name else {
                return a.owner.name < b.owner.name ? .orderedAscending : .orderedDescending
            }
            return order(a.number, b.number)
        }
        if a.isNull { return .orderedSame }
        return NaiveComparison.order(a, b) ?? order(a.isNaN ? 0 : 1, b.isNaN ? 0 : 1)
    }
}

/// Minimum, maximum, sum, average.
enum NaiveAggregate {
    static func of(_ items: [NaiveItem], _ function: AggregateFunction, _ type: ValueType) -> NaiveItem {
        switch function {
        case .min, .max:
            var best: NaiveItem?
            for item in items where !item.isNull && !item.isNaN {
                let isBetter = best.map { best in
                    NaiveItem.sortOrder(item, best) == (function == .min ? .orderedAscending : .orderedDescending)
                }
                if isBetter ?? true { best = item }
            }
            return best ?? .value(.null)
        case .sum, .average:
            let numbers = items.compactMap(\.number)
            if function == .average, numbers.isEmpty { return .value(.null) }
            if type == .decimal || type == .mixed {
                let sum = numbers.compactMap { NaiveComparison.decimal($0) }.reduce(Decimal128.zero, +)
                return .value(.decimal(function == .sum ? sum : sum / Decimal128(Int64(numbers.count))))
            }
            if function == .sum, type == .int {
                return .value(.int(numbers.reduce(0) { if case .int(let value) = $1 { $0 &+ value } else { $0 } }))
            }
            let sum = numbers.compactMap { NaiveComparison.double($0) }.reduce(0, +)
            return .value(.double(function == .sum ? sum : sum / Double(numbers.count)))
        }
    }
}
