import Model

/// What declarations of the same class or property must agree on, in the order in which it is checked (M-88, M-89).
enum SchemaAgreement {
    /// M-43. Two embedded classes have nothing that could differ.
    static func check(tables x: MergeInstruction.Declaration?, _ y: MergeInstruction.Declaration?) throws(MergeError) {
        guard case .table(let kind, let key)? = x, case .table(let otherKind, let otherKey)? = y else { return }
        if let key, let otherKey {
            let what = "the primary key"
            try check("M-43", what, name(key.name), name(otherKey.name))
            try check("M-43", "\(what) \(name(key.name))", type(key.type), type(otherKey.type))
            try check(
                "M-43", "\(what) \(name(key.name))", nullability(key.isNullable), nullability(otherKey.isNullable))
        }
        try check("M-43", "the class", "\(kind)", "\(otherKind)")
    }

    /// M-60
    static func check(columns x: MergeInstruction.Declaration?, _ y: MergeInstruction.Declaration?) throws(MergeError) {
        guard case .column(let column, let target)? = x, case .column(let other, let otherTarget)? = y else { return }
        let what = "the property"
        try check("M-60", what, type(column.type), type(other.type))
        try check("M-60", what, nullability(column.isNullable), nullability(other.isNullable))
        try check("M-60", what, collection(column.collection), collection(other.collection))
        try check("M-60", what, keys(column.keyType), keys(other.keyType))
        if target != otherTarget {
            throw mismatch("M-60", what, "a link to \(name(column.target))", "a link to \(name(other.target))")
        }
    }

    private static func check(_ rule: String, _ what: String, _ one: String, _ other: String) throws(MergeError) {
        guard one.utf8.elementsEqual(other.utf8) else { throw mismatch(rule, what, one, other) }
    }

    private static func mismatch(_ rule: String, _ what: String, _ one: String, _ other: String) -> MergeError {
        MergeError(.schemaMismatch, rule: rule, "\(what) is \(one) on one side and \(other) on the other")
    }

    // MARK: As text

    private static func name(_ name: String?) -> String { "'\(name ?? "")'" }

    private static func nullability(_ isNullable: Bool) -> String { isNullable ? "nullable" : "required" }

    private static func type(_ type: ValueType?) -> String {
        type.map { "of type \($0)" } ?? "a global key"
    }

    private static func type(_ number: Int8) -> String {
        ValueType(rawValue: number).map { "of type \($0)" } ?? "of type \(number)"
    }

    private static func keys(_ number: Int8?) -> String {
        number.map { "keyed by what is \(type($0))" } ?? "without keys"
    }

    private static func collection(_ kind: CollectionKind) -> String {
        kind == .single ? "a single value" : "a \(kind)"
    }
}
