import Model

extension WriteTransaction {
    private func set(at path: RawPath) throws -> Container {
        let container = try container(at: place(path))
        guard container.kind == .set else { throw bad("C-130", "'\(container.name)' isn't a set") }
        return container
    }

    /// C-145: an equal element is spelt anew (C-168).
    func insertIntoSet(_ path: RawPath, _ payload: RawPayload) throws {
        let container = try set(at: path)
        let single = try element(payload, of: container)
        let (index, isThere) = try search(container, single)
        if isThere {
            try release(container, at: index)
            try container.values.set(index, single)
        } else {
            try container.values.insert(single, at: index)
        }
        container.noteModified()
    }

    /// C-146.
    func eraseFromSet(_ path: RawPath, _ payload: RawPayload) throws {
        let container = try set(at: path)
        guard let single = try known(payload, of: container) else { return }
        let (index, isThere) = try search(container, single)
        guard isThere else { return }
        try release(container, at: index)
        try container.values.remove(at: index)
        container.noteModified()
    }

    /// An element to look for; nil for a link to an object that nobody knows.
    private func known(_ payload: RawPayload, of container: Container) throws -> ChunkBuilder? {
        guard case .link(let target, let key) = payload else {
            return container.plan.type == .mixed
                ? try element(payload, of: container) : try single(payload, of: container)
        }
        if container.plan.type == .mixed {
            let writer = try classMemo(target).writer
            guard let object = try writer.find(encode(key, writer, linkScratch))?.object else { return nil }
            var single = ChunkBuilder(.mixed)
            MixedCoding.append(.link(writer.stored.id, object), to: &single)
            return single
        }
        guard container.plan.type == .link else { return try single(payload, of: container) }
        return try findLink(target, key, container.plan).map { .link($0 + 1) }
    }

    /// Where an element belongs, and whether one that is equal is there.
    private func search(_ container: Container, _ single: ChunkBuilder) throws -> (index: Int, isFound: Bool) {
        try container.values.search { builder, row in
            builder.withScalar(row) { element in single.withScalar(0) { element.totalOrder($0) } }
        }
    }

    /// Makes the default of a null element, unless the default is there too.
    func fillNull(_ list: ListBuffer) throws {
        // Null comes before all values.
        guard list.count > 0, try list.search({ $0.isNull($1) ? .equal : .greater }).isFound else { return }
        try list.remove(at: 0)
        var single = ChunkBuilder(list.kind)
        single.appendDefault()
        let (index, isThere) = try list.search { builder, row in
            builder.withScalar(row) { element in single.withScalar(0) { element.totalOrder($0) } }
        }
        if !isThere { try list.insert(single, at: index) }
    }
}
