import Foundation
import Model
import Query

/// The condition of a subscription, as an app gives it.
struct SubscribedQuery: Sendable {
    private let condition: Condition
    /// From a predicate format, which has stricter rules.
    private let isPredicate: Bool

    /// All objects of the class.
    static let all = SubscribedQuery(condition: .constant(true), isPredicate: false)

    private init(condition: Condition, isPredicate: Bool) {
        self.condition = condition
        self.isPredicate = isPredicate
    }

    init<T: Object>(_ isIncluded: (Query<T>) -> Query<Bool>) {
        self.init(condition: isIncluded(Query()).condition, isPredicate: false)
    }

    init(_ format: String, _ arguments: [Any]) {
        self.init(condition: PredicateText(format, arguments).condition, isPredicate: true)
    }

    init(_ predicate: NSPredicate) {
        self.init(condition: PredicateText.condition(of: predicate), isPredicate: true)
    }

    /// What the server gets (F-24). Traps for what the class can't be asked for.
    func text(of persisted: PersistedClass, in schema: RealmSchema) -> String {
        if schema.classSchema(persisted.name) == nil { fail(.classNotManaged(persisted.name)) }
        let resolved = NameResolution(persisted).resolve(condition)
        do {
            let checked =
                try isPredicate
                ? resolved.checkedAsPredicate(for: persisted.name, in: schema)
                : resolved.checked(for: persisted.name, in: schema)
            return try Self.text(of: checked)
        } catch {
            fail(Mistake("Query on class '\(persisted.name)' is wrong: \(error)."))
        }
    }

    /// A condition with stored names and constants of the right types, with all arguments in it.
    static func text(of condition: Condition) throws(QueryError) -> String {
        let printed = try RQL.print(condition, standalone: true)
        guard printed.arguments.isEmpty else {
            throw QueryError(.query, "a value in it has no form that a subscription can carry")
        }
        return printed.text
    }
}
