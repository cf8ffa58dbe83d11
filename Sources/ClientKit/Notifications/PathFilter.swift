import Model
import Store

/// Which changes an observer cares about: properties by name, through links, forwards or backwards, where a path goes on.
struct PathFilter {
    /// nil: any property, and what is reached by links up to `anyDepth`.
    private(set) var children: [ColumnId: PathFilter]?
    /// Inverse links, by the property that makes them.
    private(set) var origins: [InverseLink: PathFilter] = [:]

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
        if let inverse = InverseStep(name) { return insert(inverse, rest, path, info, root) }
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

    private mutating func insert(
        _ inverse: InverseStep, _ rest: ArraySlice<String>, _ path: [String], _ info: ClassInfo, _ root: ClassInfo
    ) {
        guard let source = info.core.storedInfo(named: inverse.className),
            let column = source.table.column(named: inverse.property)
        else { fail(.propertyNotFound(root.name, path.joined(separator: "."))) }
        let origin = InverseLink(table: source.table.id, column: column.id)
        var child = origins[origin] ?? PathFilter(children: [:])
        child.insert(rest.dropFirst(), path, source, root)
        origins[origin] = child
    }

    var isAny: Bool { children == nil }

    /// Whether a path ends here: what the property holds counts, not what it leads to.
    var isLeaf: Bool { children?.isEmpty == true && origins.isEmpty }

    /// Whether some path follows links backwards.
    var looksBack: Bool { !origins.isEmpty || children?.values.contains(where: \.looksBack) == true }
}

/// Inverse links as a step of a path in stored names.
struct InverseStep {
    let className: String
    let property: String

    private static let prefix = "@links."

    init(className: String, property: String) {
        self.className = className
        self.property = property
    }

    init?(_ name: String) {
        guard name.hasPrefix(Self.prefix) else { return nil }
        let parts = name.dropFirst(Self.prefix.count).split(separator: ".", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        self.init(className: String(parts[0]), property: String(parts[1]))
    }

    var name: String { Self.prefix + className + "." + property }
}
