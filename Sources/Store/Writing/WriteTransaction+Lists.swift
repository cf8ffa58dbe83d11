import Model

extension WriteTransaction {
    /// The buffer of a list.
    func list(_ writer: TableWriter, _ plan: ColumnPlan, _ object: Int64) throws -> ListBuffer {
        if let recentList, recentList.id.object == object, recentList.id.column == plan.id,
            recentList.id.table == writer.stored.id
        {
            return recentList
        }
        let id = ListBuffer.Id(table: writer.stored.id, column: plan.id, object: object)
        if let known = lists[id] {
            recentList = known
            return known
        }
        guard let kind = plan.kind else { throw unsupported("property '\(plan.property.name)'") }
        let list = try ListBuffer(id, kind, store)
        lists[id] = list
        recentList = list
        return list
    }

    /// What a list instruction acts on.
    private struct Target {
        var writer: TableWriter
        var plan: ColumnPlan
        var object: Int64
        var list: ListBuffer
        var index: Int
    }

    private func target(_ path: RawPath) throws -> Target {
        let (memo, key) = try object(path)
        let plan = try plan(memo, path.property)
        guard plan.collection == .list, path.rest.count == 1, let index = path.rest.lastIndex else {
            throw bad("C-130", "the path doesn't lead to an element of '\(plan.property.name)'")
        }
        return Target(
            writer: memo.writer, plan: plan, object: key, list: try list(memo.writer, plan, key), index: Int(index))
    }

    /// A column of one row with the element, and the link it makes.
    private func element(_ payload: RawPayload, _ plan: ColumnPlan) throws -> (single: ChunkBuilder, link: Int64?) {
        guard plan.type == .link else {
            // Elements of lists lie in the list, however long.
            switch (payload, plan.type) {
            case (.string(let bytes), .string) where bytes.count > FileFormat.longestInlineValue:
                guard UTF8Check.isValid(bytes) else {
                    throw bad("C-26", "an element of '\(plan.property.name)' isn't UTF-8")
                }
                var single = ChunkBuilder(.string)
                single.append(bytes: bytes)
                return (single, nil)
            case (.binary(let bytes), .binary):
                var single = ChunkBuilder(.binary)
                single.append(bytes: bytes)
                return (single, nil)
            default:
                return (try single(payload, plan) { _ in throw mismatch(plan, payload) }, nil)
            }
        }
        guard case .link(let target, let key) = payload else { throw mismatch(plan, payload) }
        let object = try resolveLink(target, key, plan)
        var single = ChunkBuilder(.link)
        single.append(int: object + 1)
        return (single, object)
    }

    /// C-138.
    func updateElement(_ path: RawPath, _ payload: RawPayload) throws {
        let target = try target(path)
        guard target.index < target.list.count else {
            throw bad("C-138", "index \(target.index) of a list of \(target.list.count)")
        }
        let (single, link) = try element(payload, target.plan)
        if let link {
            let before = try target.list.link(at: target.index)
            noteLink(target.writer, target.plan, from: target.object, to: before - 1, -1)
            noteLink(target.writer, target.plan, from: target.object, to: link, 1)
        }
        try target.list.set(target.index, single)
        target.writer.noteModified(target.object, target.plan.id)
    }

    /// C-141.
    func insertElement(_ path: RawPath, _ payload: RawPayload, _ priorSize: UInt32) throws {
        let target = try target(path)
        try check(priorSize, target)
        guard target.index <= target.list.count else {
            throw bad("C-141", "index \(target.index) of a list of \(target.list.count)")
        }
        let (single, link) = try element(payload, target.plan)
        if let link { noteLink(target.writer, target.plan, from: target.object, to: link, 1) }
        try target.list.insert(single, at: target.index)
        target.writer.noteModified(target.object, target.plan.id)
    }

    /// C-142.
    func moveElement(_ path: RawPath, _ to: UInt32, _ priorSize: UInt32) throws {
        let target = try target(path)
        try check(priorSize, target)
        guard target.index < target.list.count, to < target.list.count, to != target.index else {
            throw bad("C-142", "can't move \(target.index) to \(to) in a list of \(target.list.count)")
        }
        try target.list.move(target.index, to: Int(to))
        target.writer.noteModified(target.object, target.plan.id)
    }

    /// C-143.
    func eraseElement(_ path: RawPath, _ priorSize: UInt32) throws {
        let target = try target(path)
        try check(priorSize, target)
        guard target.index < target.list.count else {
            throw bad("C-143", "index \(target.index) of a list of \(target.list.count)")
        }
        if target.plan.type == .link {
            let before = try target.list.link(at: target.index)
            noteLink(target.writer, target.plan, from: target.object, to: before - 1, -1)
        }
        try target.list.remove(at: target.index)
        target.writer.noteModified(target.object, target.plan.id)
    }

    /// C-144.
    func clear(_ path: RawPath, _ kind: CollectionKind) throws {
        guard path.rest.isEmpty else { throw unsupportedPath(path) }
        let (memo, key) = try object(path)
        let plan = try plan(memo, path.property)
        guard plan.collection == .list, kind == .list || kind == .single else {
            throw bad("C-144", "'\(plan.property.name)' isn't a \(kind)")
        }
        let list = try list(memo.writer, plan, key)
        guard list.count > 0 else { return }
        try removeElements(list, memo.writer, plan)
        memo.writer.noteModified(key, plan.id)
    }

    /// Empties a list and cuts its links.
    func removeElements(_ list: ListBuffer, _ writer: TableWriter, _ plan: ColumnPlan) throws {
        if plan.type == .link {
            try list.forEachLink { noteLink(writer, plan, from: list.id.object, to: $0 - 1, -1) }
        }
        list.removeAll()
    }

    private func check(_ priorSize: UInt32, _ target: Target) throws {
        guard Int(priorSize) == target.list.count else {
            throw bad(
                "C-54",
                "'\(target.plan.property.name)' had \(priorSize) elements for the writer, has \(target.list.count)")
        }
    }
}
