import Model
import Query

/// What a client sees of a class and may do in it, as conditions on its objects.
struct ClassView {
    /// What the subscriptions ask for; nil if there is none on the class.
    var subscribed: Condition?
    /// What is sent: subscribed, and readable.
    var visible: Condition
    /// What may be changed (F-81).
    var writable: Condition
    var insertable: Condition
    var deletable: Condition
    /// Nil: no access to the class.
    var role: ResolvedRole?

    /// Nothing of the class is seen, and nothing may be done.
    private init(subscribed: Condition?) {
        self.subscribed = subscribed
        visible = .constant(false)
        writable = .constant(false)
        insertable = .constant(false)
        deletable = .constant(false)
    }

    /// A role that can't be used, for example as the fields it names are not of the class's schema, gives no access (F-76).
    init(subscribed: Condition?, role: ResolvedRole?, schema: ClassSchema) {
        self.init(subscribed: subscribed)
        func condition(_ tree: JSONTree) -> Condition? {
            guard let condition = try? PermissionExpression(tree).condition(on: schema) else { return nil }
            return try? condition.checked(for: schema.name, in: RealmSchema([schema]))
        }
        guard let role, let read = condition(role.read), let write = condition(role.write),
            let insert = condition(role.insert), let delete = condition(role.delete)
        else { return }
        self.role = role
        writable = write
        insertable = insert
        deletable = delete
        // Who may write may read (F-80).
        let readable = role.readsAnything ? Condition.any([read, write]) : .constant(false)
        visible = .all([readable, subscribed ?? .constant(false)])
    }
}
