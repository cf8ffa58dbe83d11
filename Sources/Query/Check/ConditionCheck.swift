import Model

extension ClassQuery {
    /// The query with its names looked up and its constants fitted to the types they are compared with.
    ///
    /// In the result `source` and `sourceList` are gone, keys of dictionaries are told from properties, aliases are
    /// resolved, elements of lists that can't be compared are dropped, sorts are merged. Checking it again
    /// changes nothing.
    /// - Throws: `QueryError` by the table of Q-130.
    package func checked(
        in schema: RealmSchema, aliases: PathAliases = PathAliases()
    ) throws(QueryError) -> ClassQuery {
        let check = ConditionCheck(resolver: PathResolver(schema: schema, aliases: aliases))
        let owner = try check.resolver.classSchema(className)
        let condition = try check.condition(condition, on: owner, scope: [:])
        return ClassQuery(owner.name, condition, try check.descriptors(descriptors, on: owner))
    }
}

extension Condition {
    /// `ClassQuery.checked(in:aliases:)` for a condition alone.
    package func checked(
        for className: String, in schema: RealmSchema, aliases: PathAliases = PathAliases()
    ) throws(QueryError) -> Condition {
        try ClassQuery(className, self).checked(in: schema, aliases: aliases).condition
    }
}

/// The static rules of the language (sections 4–14).
struct ConditionCheck {
    let resolver: PathResolver

    /// - Parameter scope: classes of the variables of the SUBQUERYs around it.
    func condition(
        _ condition: Condition, on owner: ClassSchema, scope: [String: String]
    ) throws(QueryError) -> Condition {
        switch condition {
        case .constant: return condition
        case .and(let parts): return .and(try self.parts(parts, owner, scope))
        case .or(let parts): return .or(try self.parts(parts, owner, scope))
        case .not(let part): return .not(try self.condition(part, on: owner, scope: scope))
        case .comparison(let comparison):
            return .comparison(try ComparisonCheck(self, comparison, owner, scope).checked())
        }
    }

    private func parts(
        _ parts: [Condition], _ owner: ClassSchema, _ scope: [String: String]
    ) throws(QueryError) -> [Condition] {
        var checked: [Condition] = []
        for part in parts { checked.append(try condition(part, on: owner, scope: scope)) }
        return checked
    }

    // MARK: Operands

    func operand(
        _ operand: Operand, on owner: ClassSchema, scope: [String: String]
    ) throws(QueryError) -> CheckedOperand {
        switch operand {
        case .constant(let value): return CheckedOperand(constant: SourceConstant(value))
        case .source(let constant): return CheckedOperand(constant: constant)
        case .list(let values, let quantifier):
            return CheckedOperand(list: values.map { SourceConstant($0) }, quantifier)
        case .sourceList(let constants, let quantifier): return CheckedOperand(list: constants, quantifier)
        case .path(let path, let quantifier): return try self.path(path, quantifier, on: owner)
        case .count(let path): return try count(path, on: owner)
        case .aggregate(let path, let function, let property):
            return try aggregate(path, function, property, on: owner)
        case .subqueryCount(let path, let variable, let condition):
            return try subquery(path, variable, condition, on: owner, scope: scope)
        case .arithmetic(let left, let op, let right):
            let left = try self.operand(left, on: owner, scope: scope)
            let right = try self.operand(right, on: owner, scope: scope)
            return try arithmetic(left, op, right)
        case .objectKey:
            var checked = CheckedOperand(operand)
            checked.type = .link
            checked.isConstant = true
            return checked
        case .geo: return CheckedOperand(operand)
        }
    }

    private func path(
        _ path: PropertyPath, _ quantifier: Quantifier?, on owner: ClassSchema
    ) throws(QueryError) -> CheckedOperand {
        let info = try resolver.resolve(path, from: owner)
        if info.isAllBacklinks {
            // `@links` alone is its count.
            return CheckedOperand(.count(info.path), type: .int)
        }
        if quantifier != nil, !info.passesCollection, !info.endsInSingleLink, info.mixedDepth == 0 {
            throw .query("a quantifier before a path that leads to a single value")
        }
        var checked = CheckedOperand(.path(info.path, quantifier: quantifier), type: info.type)
        checked.path = info
        checked.isMulti = info.isMulti
        checked.quantifier = quantifier
        return checked
    }

    ///
    private func count(_ path: PropertyPath, on owner: ClassSchema) throws(QueryError) -> CheckedOperand {
        let info = try resolver.resolve(path, from: owner)
        let isCountable: Bool
        if info.isAllBacklinks || (info.whole != nil && !info.path.steps.isEmpty) {
            isCountable = true
        } else if info.isKeys || info.isLength || info.isType || info.path.steps.isEmpty {
            isCountable = false
        } else if info.isElement {
            isCountable =
                info.type == .string || info.type == .binary || info.type == .mixed
                || (info.isFromDictionary && info.type != .link)
        } else {
            isCountable = info.type == .link || info.type == .string || info.type == .binary || info.type == .mixed
        }
        guard isCountable else { throw .query("@count is not supported for this property") }
        var isMulti = info.isMulti
        if !info.isElement, info.whole != nil || info.type == .link || info.isAllBacklinks {
            isMulti = try hasHolders(info, owner)
        }
        return Self.perHolder(CheckedOperand(.count(info.path), type: .int), isMulti)
    }

    /// Whether what a path ends with may be held by several objects: counts and aggregates then are as many.
    private func hasHolders(_ info: CheckedPath, _ owner: ClassSchema) throws(QueryError) -> Bool {
        guard !info.isAllBacklinks else { return false }
        return try resolver.resolve(PropertyPath(Array(info.path.steps.dropLast())), from: owner).isMulti
    }

    /// Several are tested as ANY, and count as several in arithmetic.
    private static func perHolder(_ operand: CheckedOperand, _ isMulti: Bool) -> CheckedOperand {
        var operand = operand
        operand.isMulti = isMulti
        operand.quantifier = isMulti ? .any : nil
        return operand
    }

    ///
    private func aggregate(
        _ path: PropertyPath, _ function: AggregateFunction, _ property: String?, on owner: ClassSchema
    ) throws(QueryError) -> CheckedOperand {
        let info = try resolver.resolve(path, from: owner)
        var name = property
        let type: ValueType
        if let property {
            guard info.type == .link, !info.isElement, let target = info.target.flatMap(resolver.schema.classSchema)
            else { throw .query("@\(function.rawValue) with a property needs a collection of objects") }
            if case .name(let resolved) = try resolver.aliases.resolve(.name(property), on: target.name) {
                name = resolved
            }
            guard let aggregated = name.flatMap(target.property) else {
                throw .query("'\(target.name)' has no property '\(property)'")
            }
            guard aggregated.collection == .single else {
                throw .query("@\(function.rawValue) can't be taken of the collection '\(property)'")
            }
            type = aggregated.type
        } else {
            guard info.whole != nil, info.type != .link, !info.isKeys else {
                throw .query("@\(function.rawValue) needs a collection of numbers")
            }
            // Values of a dictionary count as Mixed when compared, but their own type decides here.
            type = dictionaryType(info, on: owner) ?? info.type
        }
        let isDate = type == .timestamp && property != nil && (function == .min || function == .max)
        guard type.isNumber || type == .mixed || isDate else {
            throw .query("@\(function.rawValue) is not supported for values of type '\(type)'")
        }
        let operand = CheckedOperand(
            .aggregate(info.path, function, property: name), type: Self.resultType(function, of: type))
        return Self.perHolder(operand, property == nil ? try hasHolders(info, owner) : false)
    }

    /// The declared type of the dictionary that a path ends with.
    private func dictionaryType(_ info: CheckedPath, on owner: ClassSchema) -> ValueType? {
        guard info.whole == .dictionary, case .name(let name)? = info.path.steps.last else { return nil }
        let holder = try? resolver.resolve(PropertyPath(Array(info.path.steps.dropLast())), from: owner)
        return holder?.target.flatMap(resolver.schema.classSchema)?.property(name)?.type
    }

    private static func resultType(_ function: AggregateFunction, of type: ValueType) -> ValueType {
        switch (function, type) {
        case (.min, _), (.max, _): type
        case (_, .decimal), (_, .mixed): .decimal
        case (.sum, .int): .int
        default: .double
        }
    }

    ///
    private func subquery(
        _ path: PropertyPath, _ variable: String, _ inner: Condition, on owner: ClassSchema, scope: [String: String]
    ) throws(QueryError) -> CheckedOperand {
        let info = try resolver.resolve(path, from: owner)
        guard info.type == .link, info.whole != nil, let target = info.target.flatMap(resolver.schema.classSchema)
        else { throw .query("SUBQUERY needs a collection of objects") }
        guard scope[variable] != target.name else {
            throw .query("the variable \(variable) is already in use for '\(target.name)'")
        }
        var scope = scope
        scope[variable] = target.name
        let condition = try condition(inner, on: target, scope: scope)
        return CheckedOperand(.subqueryCount(info.path, variable: variable, condition), type: .int)
    }
}

/// One side of a comparison with what the check knows of it.
struct CheckedOperand {
    var operand: Operand
    /// Static type of the values; nil for constants.
    var type: ValueType?
    var path: CheckedPath?
    var isMulti = false
    var quantifier: Quantifier?
    var isConstant = false
    /// The constant, or the elements of the list, as the text gave them.
    var constants: [SourceConstant] = []
    var isList = false

    init(_ operand: Operand, type: ValueType? = nil) {
        self.operand = operand
        self.type = type
    }

    init(constant: SourceConstant) {
        self.init(.from(constant))
        isConstant = true
        constants = [constant]
    }

    init(list: [SourceConstant], _ quantifier: Quantifier?) {
        self.init(.from(list, quantifier: quantifier))
        isConstant = true
        isList = true
        isMulti = true
        constants = list
        self.quantifier = quantifier
    }

    /// The null literal or argument.
    var isNull: Bool { isConstant && !isList && constants.first?.value == .null }
}
