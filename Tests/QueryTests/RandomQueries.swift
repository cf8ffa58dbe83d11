import Foundation
import Model
import Query
import TestSupport

/// Makes trees that a parser can return: nothing that a text can't say.
struct RandomQueries {
    var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    private mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) == 0 }
    private mutating func one<T>(of choices: [T]) -> T { choices[Int.random(in: 0..<choices.count, using: &generator)] }

    mutating func condition(_ depth: Int = 4) -> Condition {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 4), using: &generator) {
        case 0: return .constant(chance(2))
        case 4: return .and((0..<Int.random(in: 2...3, using: &generator)).map { _ in condition(depth - 1) })
        case 5: return .or((0..<Int.random(in: 2...3, using: &generator)).map { _ in condition(depth - 1) })
        case 6: return .not(condition(depth - 1))
        default: return .comparison(comparison(depth))
        }
    }

    private mutating func comparison(_ depth: Int) -> Comparison {
        let op = one(of: Comparison.Operator.allCases)
        switch op {
        case .equal, .notEqual, .isIn:
            return Comparison(
                operand(depth), op, operand(depth), options: chance(3) ? .caseInsensitive : [])
        case .less, .lessOrEqual, .greater, .greaterOrEqual: return Comparison(operand(depth), op, operand(depth))
        case .beginsWith, .endsWith, .contains, .like:
            return Comparison(
                value(depth), op, value(depth),
                options: one(of: [
                    [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive]
                ]))
        case .fullText: return Comparison(value(depth), op, value(depth))
        case .between:
            return Comparison(value(depth), op, list(), options: chance(3) ? .sameElement : [])
        case .geoWithin: return Comparison(.path(path(), quantifier: nil), op, .geo(shape()))
        }
    }

    private mutating func operand(_ depth: Int) -> Operand {
        guard depth > 0, chance(4) else { return value(depth) }
        return .arithmetic(
            operand(depth - 1), one(of: [.add, .subtract, .multiply, .divide]), operand(depth - 1))
    }

    private mutating func value(_ depth: Int) -> Operand {
        switch Int.random(in: 0..<9, using: &generator) {
        case 0...2: return .constant(constant())
        case 3: return .source(SourceConstant(constant(), isArgument: true))
        case 4: return list()
        case 5: return .count(path())
        case 6:
            return .aggregate(
                path(), one(of: [.min, .max, .sum, .average]), property: chance(2) ? name() : nil)
        case 7 where depth > 0:
            return .subqueryCount(path(), variable: one(of: ["$x", "$y", "$long-name"]), condition(depth - 1))
        default: return .path(path(mayEndWithType: true), quantifier: one(of: [nil, .any, .all, Quantifier.none]))
        }
    }

    private mutating func list() -> Operand {
        .list(
            (0..<Int.random(in: 0...3, using: &generator)).map { _ in constant() },
            quantifier: one(of: [nil, .any, .all, Quantifier.none]))
    }

    private mutating func text() -> String {
        one(of: ["", "a", "it's", "\"", "\\", "\n", "Москва", "😀", "a b", "x' OR 1 == 1", "\u{0}", "class_X"])
    }

    private mutating func constant() -> Value {
        switch Int.random(in: 0..<12, using: &generator) {
        case 0: return .null
        case 1: return .int(one(of: [0, 8, -1, .min, .max, Int64.random(in: .min ... .max, using: &generator)]))
        case 2: return .bool(chance(2))
        case 3: return .string(text())
        case 4: return .malformedString([0xFF, 0x41])
        case 5: return .binary(Data(text().utf8) + (chance(2) ? [0xFF] : []))
        case 6:
            return .timestamp(
                one(of: [
                    Timestamp(seconds: 0, nanoseconds: -5), Timestamp(seconds: -10),
                    Timestamp(seconds: 1, nanoseconds: 7)
                ]))
        case 7: return .float(one(of: [0, -0.0, 1.5, 1e-10, 3.4e38]))
        case 8:
            return .double(
                one(of: [
                    0, -0.0, 5, 1.1, 1e300, .leastNonzeroMagnitude, .infinity, -.infinity, 0.1 + 0.2, Double(1 << 53)
                ]))
        case 9: return .objectId(ObjectId(high: generator.next(), low: 7))
        case 10: return .uuid(UUID(uuidString: "3B241101-E2BB-4255-8CAF-4136C566A962") ?? UUID())
        default:
            return .link(
                Link(
                    className: one(of: ["Dog", "class_Dog", "Ünï"]),
                    key: one(of: [.int(-3), .string(text()), .null, .objectId(ObjectId(high: 1, low: 2))])))
        }
    }

    private mutating func name() -> String {
        one(of: [
            "age", "n", "first name", "x-y", "contains", "IN", "größe", "tab\there", "FIRST", "_", "True", "B64",
            "uuid", "T",
            "Limit", "length"
        ])
    }

    private mutating func path(mayEndWithType: Bool = false) -> PropertyPath {
        var steps: [PropertyPath.Step] = [chance(6) ? .backlinks(className: "Dog", property: name()) : .name(name())]
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            switch Int.random(in: 0..<9, using: &generator) {
            case 0: steps.append(.index(Int.random(in: 0...100, using: &generator)))
            case 1: steps.append(.key(text()))
            case 2: steps.append(one(of: [.first, .last, .all]))
            case 3: steps.append(one(of: [.keys, .values]))
            case 4: steps.append(.backlinks(className: "Dog", property: name()))
            default: steps.append(.name(name()))
            }
        }
        if chance(8) { steps.append(.allBacklinks) } else if mayEndWithType, chance(6) { steps.append(.type) }
        return PropertyPath(steps)
    }

    private mutating func shape() -> GeoShape {
        let a = GeoPoint(longitude: -10, latitude: 40.5)
        let b = GeoPoint(longitude: 20, latitude: 60)
        return one(of: [.box(a, b), .circle(center: a, radius: 0.25), .polygon([[a, b, a], [b, b]])])
    }

    mutating func descriptors() -> [Descriptor] {
        (0..<Int.random(in: 0...2, using: &generator)).map { _ in
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: .sort([SortKey(path(), ascending: chance(2)), SortKey(path())])
            case 1: .distinct([path()])
            default: .limit(Int.random(in: 0...1_000, using: &generator))
            }
        }
    }
}
