import Model

/// The static rules for one comparison.
struct ComparisonCheck {
    private let check: ConditionCheck
    private let comparison: Comparison
    private let owner: ClassSchema
    private let scope: [String: String]

    init(_ check: ConditionCheck, _ comparison: Comparison, _ owner: ClassSchema, _ scope: [String: String]) {
        self.check = check
        self.comparison = comparison
        self.owner = owner
        self.scope = scope
    }

    private var op: Comparison.Operator { comparison.op }

    private var isText: Bool { op == .beginsWith || op == .endsWith || op == .contains || op == .like }

    private var isEquality: Bool { op == .equal || op == .notEqual || op == .isIn }

    func checked() throws(QueryError) -> Comparison {
        let left = try check.operand(comparison.left, on: owner, scope: scope)
        let right = try check.operand(comparison.right, on: owner, scope: scope)
        switch op {
        case .geoWithin: return try geoWithin(left, right)
        case .fullText: throw fullText(left, right)
        case .between: return try between(left, right)
        default: break
        }
        guard !(left.isConstant && right.isConstant) else { throw .query("both sides are constants") }
        if let type = try typeComparison(left, right) { return type }
        try checkList(left, right)
        try checkLinks(left, right)
        try checkCollections(left, right)
        var result = comparison
        if isText {
            (result.left, result.right) = try text(left, right)
        } else {
            result.left = try fitted(left, to: right)
            result.right = try fitted(right, to: left)
            try checkTypes(left, right)
        }
        if !involvesText(left, right) { result.options.remove(.caseInsensitive) }
        return result
    }

    /// Whether `[c]` can have an effect.
    private func involvesText(_ left: CheckedOperand, _ right: CheckedOperand) -> Bool {
        func isText(_ type: ValueType?) -> Bool { type == .string || type == .binary || type == .mixed }
        return isText(left.type) || isText(right.type)
    }

    // MARK: Shapes of comparisons

    /// The right side of IN is a list; a wrong type comes first.
    private func checkList(_ left: CheckedOperand, _ right: CheckedOperand) throws(QueryError) {
        guard op == .isIn else { return }
        if right.isList { return }
        if let path = right.path {
            if path.isMulti, path.mixedDepth == 0 || path.isKeys { return }
        } else if right.isConstant, let constant = right.constants.first {
            _ = try convert(constant, like: left)
        }
        throw .argument("IN needs a list on its right")
    }

    ///
    private func checkLinks(_ left: CheckedOperand, _ right: CheckedOperand) throws(QueryError) {
        if left.type == .link, left.path != nil, !isEquality {
            throw .query("links can only be compared by ==, != and IN")
        }
        for (side, other) in [(left, right), (right, left)] where side.type == .link && side.isMulti && other.isNull {
            throw .query("a collection of links is never null")
        }
    }

    /// Two whole collections of primitives.
    private func checkCollections(_ left: CheckedOperand, _ right: CheckedOperand) throws(QueryError) {
        if let a = left.path, let b = right.path, a.isWholePrimitives, b.isWholePrimitives {
            throw .query("two collections of values can't be compared")
        }
    }

    private func checkTypes(_ left: CheckedOperand, _ right: CheckedOperand) throws(QueryError) {
        guard let a = left.type, let b = right.type, !ConstantConversion.areComparable(a, b) else { return }
        throw .query("unsupported comparison between type '\(a)' and type '\(b)'")
    }

    // MARK: Constants

    private func convert(_ constant: SourceConstant, like other: CheckedOperand) throws(QueryError) -> Value {
        try ConstantConversion(resolver: check.resolver).convert(
            constant, to: other.type, target: other.type == .link ? other.path?.target : nil)
    }

    /// A constant or list with its values fitted to the other side; anything else as it is.
    private func fitted(_ side: CheckedOperand, to other: CheckedOperand) throws(QueryError) -> Operand {
        guard side.isConstant else { return side.operand }
        if case .objectKey = side.operand {
            guard other.type == .link || other.type == .mixed else {
                throw .query("an object can't be compared with this type")
            }
            return side.operand
        }
        guard side.isList else { return .constant(try convert(side.constants[0], like: other)) }
        // Element by element nothing is dropped: sizes count.
        let isOrdered = other.isMulti && other.quantifier == nil && side.quantifier == nil
        var values: [Value] = []
        for constant in side.constants {
            if constant.value == .null, let path = other.path, path.isOwnProperty, !path.isNullable, !isOrdered {
                continue
            }
            do throws(QueryError) {
                values.append(try convert(constant, like: other))
            } catch {
                if constant.isArgument || isLink(constant) { throw error }
                if isOrdered { values.append(constant.value) }
            }
        }
        return .list(values, quantifier: side.quantifier)
    }

    private func isLink(_ constant: SourceConstant) -> Bool {
        if case .link = constant.value { true } else { false }
    }

    // MARK: Text operators

    /// Nothing is converted.
    private func text(_ left: CheckedOperand, _ right: CheckedOperand) throws(QueryError) -> (Operand, Operand) {
        let isTextual = left.type == .string || left.type == .binary || left.isConstant
        if let type = right.type {
            guard type == .string || type == .binary || type == .mixed else {
                throw .query("\(op.rawValue) needs a string or binary data on its right")
            }
        } else if right.isList {
            for constant in right.constants where constant.isArgument { try checkText(constant, left) }
        } else {
            try checkText(right.constants[0], left)
            if right.isNull, !isTextual {
                throw .query("\(op.rawValue) null needs a string or binary data on its left")
            }
        }
        // Element by element nothing is dropped: sizes count.
        let isOrdered = left.isMulti && right.isMulti && left.quantifier == nil && right.quantifier == nil
        guard left.isConstant else { return (left.operand, plain(right, isOrdered)) }
        return (plain(left, isOrdered), plain(right, isOrdered))
    }

    private func checkText(_ constant: SourceConstant, _ left: CheckedOperand) throws(QueryError) {
        let type: ValueType
        switch constant.value {
        case .null: return
        case .string, .malformedString: type = .string
        case .binary: type = .binary
        default:
            throw QueryError(
                constant.isArgument ? .argument : .query, "\(op.rawValue) needs a string or binary data on its right")
        }
        guard constant.isArgument, let own = left.type else { return }
        let fits =
            own == type || own == .mixed || (own == .string && type == .binary) || (own == .binary && type == .string)
        guard fits else { throw .argument("\(op.rawValue): the argument doesn't fit a property of type '\(own)'") }
    }

    /// Constants without their origin, links in their final form.
    private func plain(_ side: CheckedOperand, _ keepsAll: Bool) -> Operand {
        guard side.isConstant else { return side.operand }
        if !side.isList { return side.constants.first.map { .constant($0.value) } ?? side.operand }
        let texts = side.constants.filter {
            switch $0.value {
            case .null, .string, .malformedString, .binary: true
            default: keepsAll
            }
        }
        return .list(texts.map(\.value), quantifier: side.quantifier)
    }

    // MARK: BETWEEN, TEXT, GEOWITHIN

    /// Q-89; with `sameElement` Q-159.
    private func between(_ left: CheckedOperand, _ right: CheckedOperand) throws(QueryError) -> Comparison {
        guard right.isList, right.constants.count == 2 else { throw .query("BETWEEN needs a list of two values") }
        guard !left.isConstant else { throw .query("both sides are constants") }
        guard left.type != .link else { throw .query("links have no order") }
        let isSameElement = comparison.options.contains(.sameElement)
        if let path = left.path, path.isWholePrimitives, left.quantifier != .all, !isSameElement {
            throw .query("BETWEEN on a collection needs ALL")
        }
        var bounds: [Value] = []
        for constant in right.constants { bounds.append(try convert(constant, like: left)) }
        return Comparison(
            left.operand, .between, .list(bounds, quantifier: nil), options: isSameElement ? .sameElement : [])
    }

    /// no property has a full-text index.
    private func fullText(_ left: CheckedOperand, _ right: CheckedOperand) -> QueryError {
        guard let path = left.path, path.type == .string, path.whole == nil, !path.isElement, right.isConstant,
            !right.isList, case .string? = right.constants.first?.value
        else { return .query("TEXT needs a string property on its left and a string on its right") }
        return QueryError(.illegalOperation, "the property has no full-text index")
    }

    ///
    private func geoWithin(_ left: CheckedOperand, _ right: CheckedOperand) throws(QueryError) -> Comparison {
        guard case .geo(let shape) = right.operand else { throw .argument("GEOWITHIN needs a shape on its right") }
        guard let path = left.path, path.type == .link,
            let target = path.target.flatMap(check.resolver.schema.classSchema), target.kind == .embedded,
            let type = target.property("type"), type.type == .string, type.collection == .single,
            let coordinates = target.property("coordinates"), coordinates.type == .double,
            coordinates.collection == .list
        else { throw .query("GEOWITHIN needs a link to an embedded class with 'type' and 'coordinates'") }
        if let fault = shape.fault { throw .argument(fault) }
        return Comparison(left.operand, .geoWithin, right.operand)
    }

    // MARK: @type

    /// nil if neither side is one.
    private func typeComparison(
        _ left: CheckedOperand, _ right: CheckedOperand
    ) throws(QueryError) -> Comparison? {
        guard left.path?.isType == true || right.path?.isType == true else { return nil }
        guard isEquality else { throw .query("@type can only be compared by ==, != and IN") }
        if op == .isIn, !right.isList { throw .argument("IN needs a list on its right") }
        func names(_ side: CheckedOperand) throws(QueryError) -> Operand {
            guard side.isConstant else {
                guard side.path?.isType == true else { throw .argument("@type needs the name of a type beside it") }
                return side.operand
            }
            var names: [Value] = []
            for constant in side.constants {
                guard case .string(let text) = constant.value, let type = TypeName(text) else {
                    throw .argument("no type is called that; types are \(TypeName.all)")
                }
                names.append(.string(type.rawValue))
            }
            return side.isList ? .list(names, quantifier: side.quantifier) : .constant(names[0])
        }
        return Comparison(try names(left), op, try names(right))
    }
}
