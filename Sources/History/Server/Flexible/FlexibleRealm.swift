import Model
import Query
import Store
import Sync

/// The one server realm of an app of flexible sync: all its objects and their history, and the clients that each see a
/// part of it (F-29 to F-63).
///
/// For whoever owns the realm, on the thread that writes it. Sessions use it through `FlexibleSession`.
package final class FlexibleRealm {
    package let base: ServerRealm
    /// For sessions that begin from now on.
    package var configuration: FlexibleConfiguration
    /// Client files whose sessions are open.
    var views: [Int64: FlexibleView] = [:]
    private var index = ViewIndex()
    /// The schema that the index was made for.
    private var indexStamp: UInt64 = 0
    /// Files with an open session for which there is news.
    private var woken: Set<Int64> = []
    /// Bytes of one part of a bootstrap, about; a DOWNLOAD has some of them (F-33).
    package var bootstrapPartBytes = 256 << 10
    /// How many times an object was looked at for a view, for tests of what changes cost.
    package private(set) var evaluations = 0

    /// So many versions of the history are noted for a client that doesn't fetch; then it looks at all of them.
    private static let relevantLimit = 4_096

    package init(_ base: ServerRealm, configuration: FlexibleConfiguration = FlexibleConfiguration()) {
        self.base = base
        self.configuration = configuration
    }

    /// The files that there is news for since the last call: their sessions are to look (`historyGrew`).
    package func takeWoken() -> Set<Int64> {
        defer { woken = [] }
        return woken
    }

    // MARK: Looking at objects

    /// Those of some objects that satisfy a condition.
    func matching(
        _ condition: Condition, _ className: String, _ objects: [ObjectKey], _ snapshot: Snapshot
    ) throws -> Set<ObjectKey> {
        guard !objects.isEmpty else { return [] }
        evaluations += objects.count
        if case .constant(let value) = condition { return value ? Set(objects) : [] }
        return Set(try snapshot.objects(ClassQuery(className, condition), among: objects))
    }

    func matches(
        _ condition: Condition, _ className: String, _ object: ObjectKey, _ snapshot: Snapshot
    ) throws -> Bool {
        try !matching(condition, className, [object], snapshot).isEmpty
    }

    func isMember(_ object: ObjectName, of view: FlexibleView, _ snapshot: Snapshot) -> Bool {
        snapshot.syncRecord(HistoryKey.member(UInt64(view.file), object)) != nil
    }

    // MARK: Finding views

    /// From now on the view is told of changes that may matter to it.
    func track(_ view: FlexibleView) throws {
        view.isTracked = true
        view.relevant = []
        views[view.file] = view
        index.remove(view.file)
        let schema = try base.snapshot().schema
        if schema.stamp != indexStamp { return reindex(schema) }
        insert(view, schema)
    }

    func forget(_ view: FlexibleView) {
        view.isTracked = false
        guard views[view.file] === view else { return }
        views[view.file] = nil
        index.remove(view.file)
        woken.remove(view.file)
    }

    private func reindex(_ schema: StoredSchema) {
        index = ViewIndex()
        indexStamp = schema.stamp
        for view in views.values { insert(view, schema) }
    }

    private func insert(_ view: FlexibleView, _ schema: StoredSchema) {
        for stored in schema.tables where stored.kind == .topLevel {
            let keys = QueryKeys(view.view(of: stored, schema).visible, stored.classSchema)
            if keys != .some([]) { index.insert(view.file, stored.name, keys) }
        }
    }

    /// Notes a version of the history for the views that it may matter to: those that a touched object belonged to before,
    /// or belongs to now.
    func note(
        _ version: UInt64, _ objects: [ObjectName], by author: Int64, changesSchema: Bool, before: Snapshot,
        after: Snapshot
    ) {
        var files: Set<Int64> = []
        if changesSchema || after.schema.stamp != indexStamp {
            reindex(after.schema)
            files.formUnion(views.keys)
        } else {
            for object in objects { files.formUnion(candidates(object, before, after)) }
        }
        files.remove(author)
        for file in files {
            guard let view = views[file] else { continue }
            woken.insert(file)
            view.relevant.append(version)
            if view.relevant.count > FlexibleRealm.relevantLimit {
                view.relevant = []
                view.isTracked = false
            }
        }
    }

    private func candidates(_ object: ObjectName, _ before: Snapshot, _ after: Snapshot) -> Set<Int64> {
        var files = index.always(object.className)
        let fields = index.fields(of: object.className)
        guard !fields.isEmpty else { return files }
        for snapshot in [before, after] {
            guard let table = snapshot.table(named: object.className), let key = table.find(object.key),
                let (cluster, row) = table.locate(key)
            else { continue }
            for field in fields {
                guard let column = table.stored.column(named: field) else { continue }
                files.formUnion(index.files(object.className, field, table.value(cluster, row, column)))
            }
        }
        return files
    }

    func wake(_ file: Int64) { woken.insert(file) }
}
