import Model
import Query
import Sync

/// What a query of a subscription may contain (F-10 to F-12). Less than the language has: a server evaluates it on one
/// object at a time, without its neighbours.
struct QueryRules {
    let configuration: FlexibleConfiguration
    let schema: RealmSchema

    /// Why a query is refused: a text for the application (F-8).
    struct Refusal: Error, Hashable {
        var reason: String
    }

    /// The condition of a predicate on a class. The class needn't exist in an app under development: it may still come.
    func condition(_ predicate: String, on className: String) throws(Refusal) -> Condition {
        do throws(QueryError) {
            let parsed = try RQL.parse(predicate)
            guard parsed.descriptors.isEmpty else {
                throw QueryError(.query, "SORT, DISTINCT and LIMIT can't be used")
            }
            guard let owner = schema.classSchema(className) else {
                guard configuration.isInDevelopment else { throw QueryError(.query, "there is no such class") }
                return parsed.condition
            }
            guard owner.kind == .topLevel else {
                throw QueryError(
                    .query,
                    "objects of \(owner.kind == .embedded ? "embedded" : "asymmetric") classes can't be subscribed to")
            }
            if let field = configuration.partitionField, owner.property(field.property) == nil {
                // It comes to the class with the first object that has it (F-95).
                guard asksForPartition(parsed.condition, field) else {
                    try check(parsed.condition, owner)
                    return try parsed.condition.checked(for: className, in: schema)
                }
                return parsed.condition
            }
            try check(parsed.condition, owner)
            try demandIndexed(parsed.condition)
            return try parsed.condition.checked(for: className, in: schema)
        } catch {
            throw Refusal(reason: "Invalid query: class \"\(className)\": \(error.message)")
        }
    }

    /// Whether a condition is the one of a file that was migrated.
    private func asksForPartition(_ condition: Condition, _ field: PartitionField) -> Bool {
        guard case .comparison(let comparison) = condition, comparison.op == .equal else { return false }
        return comparison.left == .path(PropertyPath(names: [field.property]), quantifier: nil)
    }

    // MARK: Conditions

    private func check(_ condition: Condition, _ owner: ClassSchema) throws(QueryError) {
        switch condition {
        case .constant: break
        case .and(let parts), .or(let parts): for part in parts { try check(part, owner) }
        case .not(let part): try check(part, owner)
        case .comparison(let comparison):
            if comparison.op == .fullText { throw QueryError(.query, "full text can't be searched") }
            let isGeo = comparison.op == .geoWithin
            try check(comparison.left, owner, isGeo: isGeo)
            try check(comparison.right, owner, isGeo: isGeo)
            if isCollection(comparison.left, owner), isCollection(comparison.right, owner) {
                throw QueryError(.query, "lists can't be compared with lists")
            }
        }
    }

    private func check(_ operand: Operand, _ owner: ClassSchema, isGeo: Bool) throws(QueryError) {
        switch operand {
        case .constant, .list, .source, .sourceList, .geo: break
        case .path(let path, _): try check(path, owner, isGeo: isGeo)
        case .count(let path):
            try check(path, owner, isGeo: false)
            guard isCollection(operand: path, owner) else {
                throw QueryError(.query, "only the size of lists can be asked for")
            }
        case .aggregate: throw QueryError(.query, "@min, @max, @sum and @avg can't be used")
        case .subqueryCount: throw QueryError(.query, "SUBQUERY can't be used")
        case .arithmetic: throw QueryError(.query, "arithmetic can't be used")
        case .objectKey: throw QueryError(.query, "objects can't be compared")
        }
    }

    private func check(_ path: PropertyPath, _ owner: ClassSchema, isGeo: Bool) throws(QueryError) {
        guard case .name(let field)? = path.steps.first else {
            throw QueryError(.query, "only properties can be compared")
        }
        guard let property = owner.property(field) else {
            throw QueryError(.query, "there is no property '\(field)'")
        }
        switch path.steps.count {
        case 1: break
        case 2 where path.steps[1] == .all && property.collection != .single: break
        default: throw QueryError(.query, "what '\(field)' leads to can't be queried")
        }
        if property.type == .link {
            guard isGeo, property.collection == .single else {
                throw QueryError(.query, "'\(field)' holds objects, which can't be queried")
            }
        }
        if property.collection == .dictionary { throw QueryError(.query, "'\(field)' is a dictionary") }
        guard configuration.isQueryable(field, of: owner.name) else {
            throw QueryError(.query, "'\(field)' isn't a queryable field")
        }
    }

    private func isCollection(_ operand: Operand, _ owner: ClassSchema) -> Bool {
        switch operand {
        case .path(let path, _): isCollection(operand: path, owner)
        default: false
        }
    }

    private func isCollection(operand path: PropertyPath, _ owner: ClassSchema) -> Bool {
        guard case .name(let field)? = path.steps.first, let property = owner.property(field) else { return false }
        return property.collection != .single
    }

    // MARK: The indexed field

    /// Every query compares the indexed field, if the app has one (F-12).
    private func demandIndexed(_ condition: Condition) throws(QueryError) {
        guard let field = configuration.indexedFields.first else { return }
        guard isFixed(field, condition) else {
            throw QueryError(.query, "the indexed field '\(field)' must be compared by == or IN")
        }
    }

    private func isFixed(_ field: String, _ condition: Condition) -> Bool {
        switch condition {
        case .and(let parts): parts.contains { isFixed(field, $0) }
        case .or(let parts): parts.allSatisfy { isFixed(field, $0) }
        case .constant(let value): !value
        case .not: false
        case .comparison(let comparison):
            (comparison.op == .equal || comparison.op == .isIn)
                && comparison.left == .path(PropertyPath(names: [field]), quantifier: nil)
        }
    }
}

extension QueryRules {
    /// The predicates of a set of subscriptions by class.
    static func decode(_ text: String) throws -> [String: String] { try QueryText.decode(text) }
}
