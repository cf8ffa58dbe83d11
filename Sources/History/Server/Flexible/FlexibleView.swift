import Merge
import Model
import Query
import Store
import Sync

/// A client file whose session is open: its view, and what merges with it need.
final class FlexibleView {
    let file: Int64
    let user: PermissionUser
    /// The partition of a file that was migrated, and whose application doesn't know it (F-96).
    let partition: PartitionValue?
    var record: ViewRecord
    /// What the subscriptions ask for, by class; as parsed, for classes may still come.
    private(set) var queries: [String: Condition] = [:]
    private let configuration: FlexibleConfiguration
    private var roles: [String: ResolvedRole?] = [:]
    private var classes: [String: ClassView] = [:]
    private var stamp: UInt64?

    /// Versions of the realm's history after `record.generated` that touch the view, as long as all are noted.
    var relevant: [UInt64] = []
    /// Whether they are: not before the view has caught up once, nor after too many.
    var isTracked = false
    /// The file's history as merges with it have it, up to an entry.
    var merger: (history: MergeHistory, base: UInt64, through: UInt64)?

    init(
        _ file: Int64, user: PermissionUser, partition: PartitionValue? = nil, record: ViewRecord,
        _ configuration: FlexibleConfiguration
    ) {
        self.file = file
        self.user = user
        self.partition = partition
        self.record = record
        self.configuration = configuration
    }

    /// The queries of a set of subscriptions; throws a text for the application.
    func parse(_ text: String, schema: RealmSchema) throws(QueryRules.Refusal) -> [String: Condition] {
        guard text.utf8.count <= QueryText.limit else {
            throw QueryRules.Refusal(reason: "Invalid query: the subscriptions have more than 256 kB of text")
        }
        let predicates: [String: String]
        do { predicates = try QueryRules.decode(text) } catch {
            throw QueryRules.Refusal(reason: "Invalid query: \(error)")
        }
        let rules = QueryRules(configuration: configuration, schema: schema)
        var conditions: [String: Condition] = [:]
        for (name, predicate) in predicates {
            conditions[name] = try rules.condition(predicate, on: name)
        }
        return conditions
    }

    /// Puts queries in force.
    func adopt(_ queries: [String: Condition]) {
        self.queries = queries
        stamp = nil
    }

    /// The user's role in a class.
    private func role(_ className: String) -> ResolvedRole? {
        if let known = roles[className] { return known }
        let role = ResolvedRole(of: user, in: className, configuration)
        roles[className] = role
        return role
    }

    /// What the user may do, as a text that changes with it, and whether the file is a migrated one.
    var permissions: String {
        let names = configuration.roles.keys.sorted()
        let roles = (names + ["*"]).map { "\($0)=\(role($0)?.text ?? "")" }.joined(separator: "\n")
        return partition == nil ? roles : roles + ViewRecord.migratedMark
    }

    /// What the client sees of a class.
    func view(of stored: StoredTable, _ schema: StoredSchema) -> ClassView {
        if stamp != schema.stamp {
            classes = [:]
            stamp = schema.stamp
        }
        if let known = classes[stored.name] { return known }
        let classSchema = stored.classSchema
        var subscribed: Condition?
        if stored.kind == .topLevel, let query = queries[stored.name] {
            // Accepted before the class was known, and of no use to it: it matches nothing.
            subscribed = (try? query.checked(for: stored.name, in: schema.realmSchema)) ?? .constant(false)
        }
        let view = ClassView(subscribed: subscribed, role: role(stored.name), schema: classSchema)
        classes[stored.name] = view
        return view
    }
}
