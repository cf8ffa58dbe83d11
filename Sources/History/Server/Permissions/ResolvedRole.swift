/// The role that a user has in a class for the length of a session: its expressions with the user in them (F-78).
struct ResolvedRole: Hashable {
    var name: String
    var read: JSONTree
    var write: JSONTree
    var insert: JSONTree
    var delete: JSONTree
    /// Rights to all fields.
    private var readsAll: Bool
    private var writesAll: Bool
    private var fields: [String: PermissionRole.Field]
    private var additionalFields: PermissionRole.Field?

    /// Nil if the user has no access: no role applies, or the one that does can't be used for sync (F-75, F-76).
    init?(of user: PermissionUser, in className: String, _ configuration: FlexibleConfiguration) {
        for role in configuration.roles[className] ?? configuration.defaultRoles {
            let condition = PermissionExpression(role.appliesWhen.substituting(user))
            guard (try? condition.constant()) == true else { continue }
            guard let filters = role.filters, let read = filters.read, let write = filters.write,
                let readsAll = ResolvedRole.literal(role.read), let writesAll = ResolvedRole.literal(role.write),
                role.fields["_id"] == nil
            else { return nil }
            name = role.name
            self.read = read.substituting(user)
            self.write = write.substituting(user)
            insert = role.insert.substituting(user)
            delete = role.delete.substituting(user)
            self.readsAll = readsAll
            self.writesAll = writesAll
            fields = role.fields
            additionalFields = role.additionalFields
            for expression in [self.read, self.write, insert, delete] {
                let used = try? PermissionExpression(expression).fields()
                guard let used, used.allSatisfy({ configuration.isQueryable($0, of: className) }) else { return nil }
            }
            return
        }
        return nil
    }

    /// Field rights must be said in so many words.
    private static func literal(_ tree: JSONTree?) -> Bool? {
        switch tree {
        case nil: false
        case .bool(let value): value
        default: nil
        }
    }

    private func rights(_ field: String) -> PermissionRole.Field? { fields[field] ?? additionalFields }

    /// Whether all fields may be read, which is the rule.
    var readsAllFields: Bool { readsAll || writesAll }

    /// Who may write a field may read it (F-80).
    func isReadable(_ field: String) -> Bool {
        if readsAllFields || field == "_id" { return true }
        let rights = rights(field)
        return rights?.read == true || rights?.write == true
    }

    func isWritable(_ field: String) -> Bool { writesAll || rights(field)?.write == true }

    /// Any field at all may be read.
    var readsAnything: Bool {
        readsAllFields
            || (Array(fields.values) + [additionalFields].compactMap { $0 }).contains {
                $0.read == true || $0.write == true
            }
    }

    /// Equal exactly for roles that allow the same.
    var text: String {
        let rights = (fields.sorted { $0.key < $1.key } + [("*", additionalFields ?? PermissionRole.Field())]).map {
            "\($0.0):\($0.1.read == true)\($0.1.write == true)"
        }
        return [read, write, insert, delete].map(\.text).joined(separator: "|")
            + "|\(readsAll)\(writesAll)|" + rights.joined(separator: ",")
    }
}

extension JSONTree {
    /// The tree with the user in the place of `%%user…`. Keys stay as they are.
    func substituting(_ user: PermissionUser) -> JSONTree {
        switch self {
        case .string("%%true"): .bool(true)
        case .string("%%false"): .bool(false)
        case .string(let text) where text == "%%user" || text.hasPrefix("%%user."): user.value(text)
        case .array(let elements): .array(elements.map { $0.substituting(user) })
        case .object(let members):
            // What is asked of the user is known now.
            .object(
                Dictionary(
                    members.map { key, value in
                        let value = value.substituting(user)
                        guard key.hasPrefix("%%user") else { return (key, value) }
                        return ("%%is:" + key, .array([user.value(key), value]))
                    }, uniquingKeysWith: { first, _ in first }))
        default: self
        }
    }
}

extension PermissionUser {
    /// What `%%user.custom_data.team` stands for.
    fileprivate func value(_ expansion: String) -> JSONTree { tree[path: expansion.split(separator: ".").dropFirst()] }
}
