import Model
import Query

/// Values of fields of which an object must have one to satisfy a condition: that is how a change finds those few of many
/// sessions that it can matter to.
enum QueryKeys: Hashable {
    /// Any object may satisfy it.
    case any
    /// Only objects with one of these; none at all if there are no keys.
    case some(Set<Key>)

    struct Key: Hashable {
        var field: String
        var value: Value
    }

    /// A condition that lists more values is looked at for every object.
    static let limit = 256

    init(_ condition: Condition, _ schema: ClassSchema) {
        switch condition {
        case .constant(let value): self = value ? .any : .some([])
        case .and(let parts):
            self = .any
            for case .some(let keys) in parts.map({ QueryKeys($0, schema) }) {
                if case .some(let best) = self, best.count <= keys.count { continue }
                self = .some(keys)
            }
        case .or(let parts):
            var union: Set<Key> = []
            for part in parts {
                guard case .some(let keys) = QueryKeys(part, schema), union.count + keys.count <= QueryKeys.limit else {
                    self = .any
                    return
                }
                union.formUnion(keys)
            }
            self = .some(union)
        case .not: self = .any
        case .comparison(let comparison): self = QueryKeys(comparison, schema)
        }
    }

    private init(_ comparison: Comparison, _ schema: ClassSchema) {
        self = .any
        guard comparison.options.isEmpty, case .path(let path, nil) = comparison.left, path.steps.count == 1,
            case .name(let field) = path.steps[0], let property = schema.property(field),
            property.collection == .single,
            [.int, .string, .objectId, .uuid].contains(property.type)
        else { return }
        let values: [Value]
        switch (comparison.op, comparison.right) {
        case (.equal, .constant(let value)): values = [value]
        case (.isIn, .list(let list, nil)): values = list
        default: return
        }
        guard values.count <= QueryKeys.limit, values.allSatisfy({ QueryKeys.isKey($0, property.type) }) else { return }
        self = .some(Set(values.map { Key(field: field, value: $0) }))
    }

    /// Values of other types than the field's may be equal to it in ways that their bytes don't show.
    private static func isKey(_ value: Value, _ type: ValueType) -> Bool {
        switch (value, type) {
        case (.null, _), (.int, .int), (.string, .string), (.objectId, .objectId), (.uuid, .uuid): true
        default: false
        }
    }
}

/// Which client files a changed object can matter to, by the values of its fields before and after the change.
struct ViewIndex {
    private struct ClassIndex {
        var always: Set<Int64> = []
        var fields: [String: [Value: Set<Int64>]] = [:]
    }

    private var classes: [String: ClassIndex] = [:]

    /// What is in it of each file, so that taking one out costs no more than putting it in.
    private var files: [Int64: [(className: String, keys: QueryKeys)]] = [:]

    mutating func insert(_ file: Int64, _ className: String, _ keys: QueryKeys) {
        files[file, default: []].append((className, keys))
        switch keys {
        case .any: classes[className, default: ClassIndex()].always.insert(file)
        case .some(let keys):
            for key in keys {
                classes[className, default: ClassIndex()].fields[key.field, default: [:]][key.value, default: []]
                    .insert(file)
            }
        }
    }

    mutating func remove(_ file: Int64) {
        for (className, keys) in files.removeValue(forKey: file) ?? [] {
            guard case .some(let keys) = keys else {
                classes[className]?.always.remove(file)
                continue
            }
            for key in keys {
                classes[className]?.fields[key.field]?[key.value]?.remove(file)
                if classes[className]?.fields[key.field]?[key.value]?.isEmpty == true {
                    classes[className]?.fields[key.field]?[key.value] = nil
                }
                if classes[className]?.fields[key.field]?.isEmpty == true {
                    classes[className]?.fields[key.field] = nil
                }
            }
        }
    }

    /// The fields of a class whose values tell something.
    func fields(of className: String) -> [String] { classes[className].map { Array($0.fields.keys) } ?? [] }

    /// Files for which every object of the class must be looked at.
    func always(_ className: String) -> Set<Int64> { classes[className]?.always ?? [] }

    /// Files that ask for objects with this value.
    func files(_ className: String, _ field: String, _ value: Value) -> Set<Int64> {
        classes[className]?.fields[field]?[value] ?? []
    }
}
