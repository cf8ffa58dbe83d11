import Model

extension Condition {
    /// A condition from `PredicateFormat.parse` with its names looked up, its constants validated by the dialect's own
    /// rules (Q-149 … Q-164), and fitted to the types they are compared with as `checked(for:in:aliases:)` does.
    ///
    /// - Throws: `QueryError` of kind `invalidPredicate`, `invalidValue` or `invalidOperator`.
    package func checkedAsPredicate(
        for className: String, in schema: RealmSchema, aliases: PathAliases = PathAliases()
    ) throws(QueryError) -> Condition {
        let resolver = PathResolver(schema: schema, aliases: aliases)
        do throws(QueryError) {
            let owner = try resolver.classSchema(className)
            let condition = try PredicateCheck(resolver: resolver).condition(self, on: owner)
            return try condition.checked(for: className, in: schema, aliases: aliases)
        } catch {
            // The language's own kinds are no kinds of this dialect.
            let isOwn = error.kind == .query || error.kind == .argument
            throw isOwn ? QueryError(.invalidPredicate, error.message, offset: error.offset) : error
        }
    }
}

/// The rules that the predicate format has beyond the query language.
struct PredicateCheck {
    let resolver: PathResolver

    func condition(_ condition: Condition, on owner: ClassSchema) throws(QueryError) -> Condition {
        switch condition {
        case .constant: return condition
        case .and(let parts): return .and(try self.parts(parts, owner))
        case .or(let parts): return .or(try self.parts(parts, owner))
        case .not(let part): return .not(try self.condition(part, on: owner))
        case .comparison(let comparison):
            let checked = try self.comparison(comparison, owner)
            guard case .path(let path, _) = checked.left, try resolver.resolve(path, from: owner).type == .mixed else {
                return .comparison(checked)
            }
            return checked.withOtherTexts
        }
    }

    private func parts(_ parts: [Condition], _ owner: ClassSchema) throws(QueryError) -> [Condition] {
        var checked: [Condition] = []
        for part in parts { checked.append(try condition(part, on: owner)) }
        return checked
    }

    private func comparison(_ comparison: Comparison, _ owner: ClassSchema) throws(QueryError) -> Comparison {
        switch comparison.left {
        case .path(let path, let quantifier):
            let info = try resolver.resolve(path, from: owner)
            try checkCollections(info, quantifier)
            return try self.comparison(comparison, info, owner)
        case .count(let path):
            if case .path(let other, _) = comparison.right { try checkNumber(other, owner) }
            _ = try resolver.resolve(path, from: owner)
            return comparison
        case .aggregate(let path, let function, let property):
            if case .path(let other, _) = comparison.right { try checkNumber(other, owner) }
            return try aggregate(comparison, path, function, property, owner)
        case .subqueryCount(let path, let variable, let inner):
            let info = try resolver.resolve(path, from: owner)
            guard let target = info.target.flatMap(resolver.schema.classSchema) else { return comparison }
            var checked = comparison
            checked.left = .subqueryCount(path, variable: variable, try condition(inner, on: target))
            return checked
        default: return comparison
        }
    }

    // MARK: Key paths

    /// To-many paths need a quantifier, others can't have one.
    private func checkCollections(_ info: CheckedPath, _ quantifier: Quantifier?) throws(QueryError) {
        if info.isMulti, info.mixedDepth == 0, quantifier == nil {
            throw QueryError(
                .invalidPredicate, "a path through a collection must be used with ANY, NONE or a collection operator")
        }
        if !info.isMulti, quantifier != nil, info.type != .mixed {
            throw QueryError(.invalidPredicate, "ANY and NONE need a path through a collection")
        }
    }

    private func checkNumber(_ path: PropertyPath, _ owner: ClassSchema) throws(QueryError) {
        let info = try resolver.resolve(path, from: owner)
        guard info.type.isNumber, !info.isMulti else {
            throw QueryError(.invalidPredicate, "a collection operator can only be compared with a number")
        }
    }

    private func comparison(
        _ comparison: Comparison, _ info: CheckedPath, _ owner: ClassSchema
    ) throws(QueryError) -> Comparison {
        try checkOperator(comparison, info.type)
        var checked = comparison
        switch comparison.right {
        case .constant(let value): checked.right = .constant(try fitted(value, info))
        case .list(let values, let quantifier):
            var fitting: [Value] = []
            for value in values { fitting.append(try fitted(value, info)) }
            checked.right = .list(fitting, quantifier: quantifier)
        case .path(let path, _):
            let other = try resolver.resolve(path, from: owner)
            guard !other.isMulti else {
                throw QueryError(.invalidPredicate, "the path on the right can't run through a collection")
            }
            guard other.type == info.type, other.target == info.target else {
                throw QueryError(.invalidPredicate, "properties of different types can't be compared")
            }
        case .count, .aggregate:
            guard info.type.isNumber else {
                throw QueryError(.invalidPredicate, "a collection operator can only be compared with a number")
            }
        default: break
        }
        return checked
    }

    // MARK: Operators

    ///
    private func checkOperator(_ comparison: Comparison, _ type: ValueType) throws(QueryError) {
        let isOffered: Bool
        switch comparison.op {
        case .equal, .notEqual, .isIn, .geoWithin, .fullText: isOffered = true
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            isOffered = type != .bool && type != .objectId && type != .uuid && type != .link
        case .between: isOffered = type.isNumber || type == .timestamp || type == .mixed
        case .beginsWith, .endsWith, .contains, .like: isOffered = type == .string || type == .binary || type == .mixed
        }
        guard isOffered else {
            throw QueryError(.invalidOperator, "\(comparison.op.rawValue) isn't offered for type '\(type)'")
        }
    }

    // MARK: Constants

    /// what a property of this type can be compared with, in the property's own type.
    private func fitted(_ value: Value, _ info: CheckedPath) throws(QueryError) -> Value {
        if value == .null {
            // Substring searches for null are legal and find nothing.
            guard
                info.isNullable || info.type == .link || info.type == .mixed || info.isElement
                    || info.type == .string || info.type == .binary
            else { throw QueryError(.invalidValue, "the property is never null") }
            return value
        }
        if let fitted = Self.fitted(value, info.type) { return fitted }
        throw QueryError(
            .invalidValue, "\(ConstantConversion.typeName(value)) is no value of a property of type '\(info.type)'")
    }

    private static func fitted(_ value: Value, _ type: ValueType) -> Value? {
        switch (type, value) {
        case (.mixed, _), (.int, .int), (.bool, .bool), (.float, .int), (.float, .float), (.double, .int),
            (.double, .float), (.double, .double), (.decimal, .int), (.decimal, .float), (.decimal, .double),
            (.decimal, .decimal), (.string, .string), (.string, .malformedString), (.binary, .binary),
            (.timestamp, .timestamp), (.objectId, .objectId), (.uuid, .uuid), (.link, .link):
            return value
        case (.int, .bool(let flag)): return .int(flag ? 1 : 0)
        case (.int, .double(let number)): return Int64(exactly: number).map { .int($0) }
        case (.bool, .int(let number)): return number == 0 || number == 1 ? .bool(number == 1) : nil
        case (.float, .double(let number)):
            return number.isFinite && Float(number).isInfinite ? nil : .float(Float(number))
        case (.float, .decimal), (.double, .decimal): return value
        case (.decimal, .string(let text)): return Decimal128(text).map { .decimal($0) }
        default: return nil
        }
    }

    // MARK: Aggregates

    /// Constants as for the property; sums and averages take any number.
    private func aggregate(
        _ comparison: Comparison, _ path: PropertyPath, _ function: AggregateFunction, _ property: String?,
        _ owner: ClassSchema
    ) throws(QueryError) -> Comparison {
        let info = try resolver.resolve(path, from: owner)
        var type = info.type
        if let property, let target = info.target.flatMap(resolver.schema.classSchema) {
            let step = try resolver.aliases.resolve(.name(property), on: target.name)
            if case .name(let name) = step, let aggregated = target.property(name) { type = aggregated.type }
        }
        guard function == .min || function == .max || !type.isNumber else { return comparison }
        var checked = comparison
        if case .constant(let value) = comparison.right, value != .null {
            guard let fitted = Self.fitted(value, type) else {
                throw QueryError(
                    .invalidValue, "\(ConstantConversion.typeName(value)) is no value of a property of type '\(type)'")
            }
            checked.right = .constant(fitted)
        }
        return checked
    }
}
