import Foundation
import Model
import Query
import TestSupport

/// Random queries on the classes of a schema. Many are refused by the check; what is left is what the language allows.
struct NaiveGenerator {
    let schema: RealmSchema
    var generator: SeededGenerator

    mutating func query(_ className: String) -> ClassQuery {
        ClassQuery(className, condition(className, depth: 2), descriptors(className))
    }

    private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &generator) == 0 }

    private mutating func pick<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &generator)] }

    // MARK: Conditions

    private mutating func condition(_ className: String, depth: Int) -> Condition {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &generator) {
        case 6: .not(condition(className, depth: depth - 1))
        case 7: .and((0..<pick([0, 1, 2, 2, 3])).map { _ in condition(className, depth: depth - 1) })
        case 8: .or((0..<pick([0, 1, 2, 2, 3])).map { _ in condition(className, depth: depth - 1) })
        default: .comparison(comparison(className, depth: depth))
        }
    }

    private mutating func comparison(_ className: String, depth: Int) -> Comparison {
        let (left, type) = operand(className, depth: depth)
        let op = self.op(type)
        if op == .between {
            return Comparison(left, .between, .list([constant(type), constant(type)], quantifier: nil))
        }
        let right: Operand
        switch Int.random(in: 0..<10, using: &generator) {
        case 0, 1:
            right = .list(
                (0..<Int.random(in: 0...4, using: &generator)).map { _ in constant(type) }, quantifier: quantifier())
        case 2: right = operand(className, depth: depth).operand
        default:
            right =
                op == .isIn
                ? .list([constant(type), constant(type)], quantifier: quantifier()) : .constant(constant(type))
        }
        let options: Comparison.Options = [.string, .binary, .mixed].contains(type) && chance(3) ? .caseInsensitive : []
        return chance(8) ? Comparison(right, op, left, options: options) : Comparison(left, op, right, options: options)
    }

    private mutating func op(_ type: ValueType) -> Comparison.Operator {
        let texts: [Comparison.Operator] = [.beginsWith, .endsWith, .contains, .like]
        let orders: [Comparison.Operator] = [.less, .lessOrEqual, .greater, .greaterOrEqual, .between]
        let equalities: [Comparison.Operator] = [.equal, .notEqual, .isIn]
        switch type {
        case .link: return pick(equalities)
        case .string, .binary: return pick(equalities + orders + texts + texts)
        case .mixed: return pick(equalities + orders + texts)
        default: return pick(equalities + equalities + orders)
        }
    }

    private mutating func quantifier() -> Quantifier? {
        pick([nil, nil, nil, .any, .all, Quantifier.none])
    }

    private mutating func constant(_ type: ValueType) -> Value {
        if chance(8) { return .null }
        switch type {
        case .mixed: return constant(pick([.int, .double, .string, .bool, .timestamp, .decimal, .link, .binary]))
        case .link:
            let className = pick(["Thing", "Other"])
            let number = Int.random(in: 0...13, using: &generator)
            return .link(Link(className: className, key: NaiveSample.key(className, number)))
        case .int, .double, .float, .decimal:
            return RandomValue.of(pick([type, type, .int, .double, .decimal]), &generator)
        default: return RandomValue.of(type, &generator)
        }
    }

    // MARK: Operands

    private mutating func operand(_ className: String, depth: Int) -> (operand: Operand, type: ValueType) {
        switch Int.random(in: 0..<16, using: &generator) {
        case 0, 1: return (.count(path(className).path), .int)
        case 2: return (.count(PropertyPath(path(className, toObjects: true).path.steps + [.allBacklinks])), .int)
        case 3, 4:
            let (path, end) = self.path(className, toObjects: chance(2))
            let function = pick([AggregateFunction.min, .max, .sum, .average])
            if end.type == .link, let target = end.target.flatMap(schema.classSchema) {
                let property = pick(target.properties)
                return (.aggregate(path, function, property: property.name), property.type)
            }
            return (.aggregate(path, function, property: nil), end.type)
        case 5 where depth > 0:
            let (path, end) = self.path(className, toObjects: true)
            guard let target = end.target else { return (.path(path, quantifier: nil), end.type) }
            let inner = condition(target, depth: depth - 1)
            return (.subqueryCount(path, variable: "$x\(depth)", inner), .int)
        case 6 where depth > 0:
            let (left, type) = operand(className, depth: 0)
            let right = chance(2) ? operand(className, depth: 0).operand : .constant(constant(type))
            return (.arithmetic(left, pick([.add, .subtract, .multiply, .divide]), right), type)
        default:
            let (path, end) = self.path(className)
            return (.path(path, quantifier: quantifier()), end.type)
        }
    }

    private struct End {
        var type: ValueType
        var target: String?
    }

    /// A path that mostly makes sense.
    private mutating func path(_ className: String, toObjects: Bool = false) -> (path: PropertyPath, end: End) {
        var steps: [PropertyPath.Step] = []
        var end = End(type: .link, target: className)
        for length in 0..<4 {
            guard end.type == .link, let owner = end.target.flatMap(schema.classSchema) else { break }
            if length > 0, chance(toObjects ? 2 : 3) { break }
            if owner.kind == .topLevel, chance(8), let (origin, property) = backlink(to: owner.name) {
                steps.append(.backlinks(className: origin, property: property))
                end = End(type: .link, target: origin)
                continue
            }
            let properties = owner.properties.filter { !toObjects || $0.type == .link }
            guard !properties.isEmpty else { break }
            let links = properties.filter { $0.type == .link }
            let property = chance(3) && !links.isEmpty ? pick(links) : pick(properties)
            steps.append(.name(property.name))
            end = End(type: property.type, target: property.target)
            element(property, &steps, &end)
        }
        return (PropertyPath(steps), end)
    }

    private mutating func backlink(to className: String) -> (String, String)? {
        let found = schema.classes.filter { $0.kind == .topLevel }.flatMap { origin in
            origin.properties.filter { $0.type == .link && $0.target == className }.map { (origin.name, $0.name) }
        }
        return found.isEmpty ? nil : pick(found)
    }

    /// An element instead of the whole collection, or something inside a Mixed.
    private mutating func element(_ property: PropertySchema, _ steps: inout [PropertyPath.Step], _ end: inout End) {
        switch property.collection {
        case .single: break
        case .list where chance(4): steps.append(pick([.index(0), .index(1), .first, .last, .all]))
        case .list where chance(8) && [.string, .binary].contains(property.type):
            steps.append(.name("length"))
            end.type = .int
            return
        case .dictionary where chance(2):
            steps.append(pick([.key("a"), .key("b"), .name("int"), .key("nope"), .all, .values]))
            if property.type != .link { end.type = .mixed }
        case .dictionary where chance(5):
            steps.append(.keys)
            end.type = .string
            return
        default: return
        }
        guard property.type == .mixed, chance(2) else { return }
        end.type = .mixed
        for _ in 0..<pick([1, 1, 2]) {
            steps.append(
                pick([.key("a"), .name("int"), .key("text"), .index(0), .last, .all, .all, .keys, .name("things")]))
        }
    }

    // MARK: Descriptors

    private mutating func descriptors(_ className: String) -> [Descriptor] {
        (0..<pick([0, 0, 1, 2, 3])).map { _ in
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: .limit(Int.random(in: 0...12, using: &generator))
            case 1: .distinct((0..<pick([1, 1, 2])).map { _ in path(className).path })
            case 2: .filter(condition(className, depth: 0))
            default: .sort((0..<pick([1, 1, 2])).map { _ in SortKey(path(className).path, ascending: chance(2)) })
            }
        }
    }
}
