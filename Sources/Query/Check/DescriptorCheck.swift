import Model

extension ConditionCheck {
    /// Descriptors with their paths looked up, neighbouring sorts merged: the later one becomes primary.
    func descriptors(_ descriptors: [Descriptor], on owner: ClassSchema) throws(QueryError) -> [Descriptor] {
        var checked: [Descriptor] = []
        for descriptor in descriptors {
            switch descriptor {
            case .sort(let keys):
                var sorted: [SortKey] = []
                for key in keys {
                    sorted.append(SortKey(try path(key.path, owner, clause: "SORT"), ascending: key.ascending))
                }
                if case .sort(let earlier)? = checked.last {
                    checked[checked.count - 1] = .sort(sorted + earlier.filter { !sorted.contains($0) })
                } else {
                    checked.append(.sort(sorted))
                }
            case .distinct(let paths):
                var resolved: [PropertyPath] = []
                for path in paths { resolved.append(try self.path(path, owner, clause: "DISTINCT")) }
                checked.append(.distinct(resolved))
            case .limit(let count): checked.append(.limit(max(0, count)))
            case .filter(let condition):
                checked.append(.filter(try self.condition(condition, on: owner, scope: [:])))
            }
        }
        return checked
    }

    /// A property of the class or through single links, or a key of a dictionary.
    private func path(
        _ path: PropertyPath, _ owner: ClassSchema, clause: String
    ) throws(QueryError) -> PropertyPath {
        let info: CheckedPath
        do throws(QueryError) {
            info = try resolver.resolve(path, from: owner)
        } catch {
            throw QueryError(error.kind, "\(clause): \(error.message)")
        }
        let passesBacklinks = info.path.steps.contains {
            switch $0 {
            case .backlinks, .allBacklinks: true
            default: false
            }
        }
        let isBehindNames = info.path.steps.dropLast().allSatisfy { if case .name = $0 { true } else { false } }
        let isKey = info.isElement && info.isFromDictionary && !info.isMulti && isBehindNames
        if passesBacklinks || info.mixedDepth > 0 || info.isType || path.steps.isEmpty {
            throw .query("\(clause): this path can't be used")
        }
        if info.isMulti || (info.passesCollection && !isKey) {
            throw QueryError(.sortDescriptor, "\(clause): the path leads to a collection or one of its elements")
        }
        return info.path
    }
}
