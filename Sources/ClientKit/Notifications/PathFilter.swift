import Model
import Store

/// Which changes an observer cares about: properties by name, through links where a path goes on.
struct PathFilter {
    /// nil: any property, and what is reached by links up to `anyDepth`.
    private(set) var children: [ColumnId: PathFilter]?

    /// How far changes of linked objects count without key paths (NO-06, LM-04).
    static let anyDepth = 4

    static let any = PathFilter(children: nil)

    private init(children: [ColumnId: PathFilter]?) {
        self.children = children
    }

    /// Traps for paths that name no property (MK-52).
    init(_ keyPaths: [[String]]?, _ info: ClassInfo) {
        guard let keyPaths, !keyPaths.isEmpty else {
            self = .any
            return
        }
        children = [:]
        for path in keyPaths { insert(path[...], path, info, info) }
    }

    private mutating func insert(_ rest: ArraySlice<String>, _ path: [String], _ info: ClassInfo, _ root: ClassInfo) {
        guard let name = rest.first else { return }
        guard let column = info.table.column(named: name) else {
            fail(.propertyNotFound(root.name, path.joined(separator: ".")))
        }
        var child = children?[column.id] ?? PathFilter(children: [:])
        if rest.count > 1 {
            guard column.property.type == .link else {
                fail(.propertyNotFound(root.name, path.joined(separator: ".")))
            }
            child.insert(rest.dropFirst(), path, info.target(of: column), root)
        }
        children?[column.id] = child
    }

    var isAny: Bool { children == nil }
}
