import Foundation
import Model
import Query

/// An expression of a permission, with the user in it (F-77). It becomes a condition on the objects of a class, or, if it
/// says nothing of objects, true or false.
struct PermissionExpression {
    let tree: JSONTree

    init(_ tree: JSONTree) { self.tree = tree }

    /// Why an expression can't be used for sync (F-76).
    struct Unusable: Error, Hashable {
        var reason: String
    }

    /// Whether it holds; throws if that depends on the object.
    func constant() throws -> Bool {
        guard case .constant(let value) = try PermissionCompiler(nil).condition(tree) else {
            throw Unusable(reason: "it depends on the object")
        }
        return value
    }

    /// The condition on the objects of a class.
    func condition(on schema: ClassSchema) throws -> Condition {
        try PermissionCompiler(schema).condition(tree)
    }

    /// The fields that it looks at.
    func fields() throws -> Set<String> { try PermissionExpression.fields(tree) }

    private static func fields(_ tree: JSONTree) throws -> Set<String> {
        guard case .object(let members) = tree else {
            guard case .bool = tree else { throw Unusable(reason: "\(tree.text) is no expression") }
            return []
        }
        var found: Set<String> = []
        for (key, value) in members {
            switch key {
            case "$and", "$or", "%and", "%or":
                guard case .array(let parts) = value else { throw Unusable(reason: "\(key) needs an array") }
                for part in parts { found.formUnion(try fields(part)) }
            case "$not", "%not": found.formUnion(try fields(value))
            case "%%true", "%%false": break
            case _ where key.hasPrefix("%%is:"): break
            case _ where key.hasPrefix("%") || key.hasPrefix("$"): throw Unusable(reason: "\(key) can't be used")
            default: found.insert(key)
            }
        }
        return found
    }
}

/// Makes conditions of expressions.
private struct PermissionCompiler {
    /// Nil: there are no objects to look at.
    let schema: ClassSchema?

    init(_ schema: ClassSchema?) { self.schema = schema }

    private func unusable(_ reason: String) -> PermissionExpression.Unusable { .init(reason: reason) }

    func condition(_ tree: JSONTree) throws -> Condition {
        switch tree {
        case .bool(let value): return .constant(value)
        case .object(let members):
            return Condition.all(
                try members.sorted { $0.key < $1.key }.map { try condition($0.key, $0.value) })
        default: throw unusable("\(tree.text) is no expression")
        }
    }

    private func condition(_ key: String, _ value: JSONTree) throws -> Condition {
        switch key {
        case "$and", "%and": return .all(try parts(key, value))
        case "$or", "%or": return .any(try parts(key, value))
        case "$not", "%not": return .negated(try condition(value))
        case "%%true", "%%false":
            guard case .bool(let wanted) = value else { throw unusable("\(key) needs true or false") }
            return .constant(wanted == (key == "%%true"))
        case _ where key.hasPrefix("%%is:"):
            guard case .array(let pair) = value, pair.count == 2 else { throw unusable("\(key) can't be used") }
            return .constant(try holds(pair[0], pair[1]))
        case _ where key.hasPrefix("%") || key.hasPrefix("$"): throw unusable("\(key) can't be used")
        default: return try field(key, value)
        }
    }

    private func parts(_ key: String, _ value: JSONTree) throws -> [Condition] {
        guard case .array(let parts) = value else { throw unusable("\(key) needs an array") }
        return try parts.map { try condition($0) }
    }

    // MARK: Known values

    /// Whether what a user has is as an expression says.
    private func holds(_ known: JSONTree, _ wanted: JSONTree) throws -> Bool {
        guard case .object(let operators) = wanted, operators.keys.contains(where: { $0.hasPrefix("$") }) else {
            return matches(known, wanted)
        }
        return try operators.allSatisfy { name, operand in
            switch name {
            case "$eq": return matches(known, operand)
            case "$ne": return !matches(known, operand)
            case "$in", "$nin":
                guard case .array(let elements) = operand else { throw unusable("\(name) needs an array") }
                return elements.contains { matches(known, $0) } == (name == "$in")
            case "$exists": return (known != .null) == (operand == .bool(true))
            case "$gt", "$gte", "$lt", "$lte": return compare(known, name, operand)
            default: throw unusable("\(name) can't be used")
            }
        }
    }

    /// An array matches what one of its elements is, as in the document database (F-79).
    private func matches(_ known: JSONTree, _ wanted: JSONTree) -> Bool {
        if known == wanted { return true }
        if case .array(let elements) = known { return elements.contains(wanted) }
        return false
    }

    private func compare(_ a: JSONTree, _ name: String, _ b: JSONTree) -> Bool {
        func ordered<T: Comparable>(_ a: T, _ b: T) -> Bool {
            switch name {
            case "$gt": a > b
            case "$gte": a >= b
            case "$lt": a < b
            default: a <= b
            }
        }
        return switch (a, b) {
        case (.int(let a), .int(let b)): ordered(a, b)
        case (.double(let a), .double(let b)): ordered(a, b)
        case (.int(let a), .double(let b)): ordered(Double(a), b)
        case (.double(let a), .int(let b)): ordered(a, Double(b))
        case (.string(let a), .string(let b)): ordered(a, b)
        default: false
        }
    }

    // MARK: Fields

    private func field(_ name: String, _ wanted: JSONTree) throws -> Condition {
        guard let schema else { throw unusable("field \(name) can't be used here") }
        let property = schema.properties.first { $0.name == name }
        guard case .object(let operators) = wanted, operators.keys.contains(where: { $0.hasPrefix("$") }) else {
            return try comparison(name, property, .equal, wanted)
        }
        return .all(
            try operators.sorted { $0.key < $1.key }.map { key, operand in
                switch key {
                case "$eq": return try comparison(name, property, .equal, operand)
                case "$ne": return .negated(try comparison(name, property, .equal, operand))
                case "$gt": return try comparison(name, property, .greater, operand)
                case "$gte": return try comparison(name, property, .greaterOrEqual, operand)
                case "$lt": return try comparison(name, property, .less, operand)
                case "$lte": return try comparison(name, property, .lessOrEqual, operand)
                case "$in": return try isIn(name, property, operand)
                case "$nin": return .negated(try isIn(name, property, operand))
                case "$exists":
                    guard case .bool(let wanted) = operand else { throw unusable("$exists needs true or false") }
                    let isNull = try comparison(name, property, .equal, .null)
                    return wanted ? .negated(isNull) : isNull
                default: throw unusable("\(key) can't be used")
                }
            })
    }

    private func isIn(_ name: String, _ property: PropertySchema?, _ operand: JSONTree) throws -> Condition {
        // A user without a team is in none.
        if operand == .null { return .constant(false) }
        guard case .array(let elements) = operand else { throw unusable("$in needs an array") }
        return .any(try elements.map { try comparison(name, property, .equal, $0) })
    }

    /// A comparison with one value. What can't be of the field's type is never equal to it.
    private func comparison(
        _ name: String, _ property: PropertySchema?, _ op: Comparison.Operator, _ operand: JSONTree
    ) throws -> Condition {
        guard let property else { return .constant(op == .equal && operand == .null) }
        let isCollection = property.collection != .single
        guard property.type != .link, property.collection != .dictionary else {
            throw unusable("field \(name) holds objects")
        }
        if operand == .null, isCollection || !property.isNullable { return .constant(false) }
        guard let value = try constant(operand, property.type) else { return .constant(false) }
        let path = Operand.path(PropertyPath(names: [name]), quantifier: isCollection ? .any : nil)
        return .comparison(Comparison(path, op, .constant(value)))
    }

    /// A value as a property of this type can hold it; nil if none can.
    private func constant(_ tree: JSONTree, _ type: ValueType) throws -> Value? {
        switch (tree, type) {
        case (.null, _): return .null
        case (.bool(let value), .bool), (.bool(let value), .mixed): return .bool(value)
        case (.int(let value), .int), (.int(let value), .mixed): return .int(value)
        case (.int(let value), .double): return .double(Double(value))
        case (.int(let value), .float): return .float(Float(value))
        case (.int(let value), .decimal): return .decimal(Decimal128(value))
        case (.double(let value), .double), (.double(let value), .mixed): return .double(value)
        case (.double(let value), .float): return .float(Float(value))
        case (.string(let value), .string), (.string(let value), .mixed): return .string(value)
        case (.object(let members), _):
            guard members.count == 1, let (name, argument) = members.first else {
                throw unusable("\(tree.text) is no value")
            }
            return try converted(name, argument, type)
        case (.array, _): throw unusable("arrays can't be compared")
        default: return nil
        }
    }

    private func converted(_ name: String, _ argument: JSONTree, _ type: ValueType) throws -> Value? {
        guard case .string(let text) = argument else { return nil }
        switch (name, type) {
        case ("%stringToOid", .objectId), ("%stringToOid", .mixed), ("$oid", .objectId):
            return ObjectId(text).map { .objectId($0) }
        case ("%stringToUuid", .uuid), ("%stringToUuid", .mixed), ("$uuid", .uuid):
            return UUID(uuidString: text).map { .uuid($0) }
        case ("%oidToString", .string), ("%uuidToString", .string): return .string(text)
        case ("%stringToOid", _), ("%stringToUuid", _), ("%oidToString", _), ("%uuidToString", _), ("$oid", _),
            ("$uuid", _):
            return nil
        default: throw unusable("\(name) can't be used")
        }
    }
}

extension Condition {
    /// All of them, without what goes without saying.
    static func all(_ parts: [Condition]) -> Condition {
        if parts.contains(.constant(false)) { return .constant(false) }
        let rest = parts.filter { $0 != .constant(true) }
        return rest.count > 1 ? .and(rest) : rest.first ?? .constant(true)
    }

    /// Any of them.
    static func any(_ parts: [Condition]) -> Condition {
        if parts.contains(.constant(true)) { return .constant(true) }
        let rest = parts.filter { $0 != .constant(false) }
        return rest.count > 1 ? .or(rest) : rest.first ?? .constant(false)
    }

    static func negated(_ condition: Condition) -> Condition {
        if case .constant(let value) = condition { return .constant(!value) }
        return .not(condition)
    }
}
