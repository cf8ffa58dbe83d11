import Model

extension WriteTransaction {
    /// A column of one row with an element, after noting the link it makes.
    func element(_ payload: RawPayload, of container: Container) throws -> ChunkBuilder {
        if container.plan.isEmbedded, case .embeddedObject = payload {
            return .link(try createEmbedded(container.writer, container.plan, container.object) + 1)
        }
        guard container.plan.type != .mixed else {
            var single = ChunkBuilder(.mixed)
            try withCell(
                of: payload, container.writer, container.plan, container.object, depth: container.depth + 1
            ) { MixedCoding.append($0, to: &single) }
            return single
        }
        guard case .link(let target, let key) = payload, container.plan.type == .link else {
            return try single(payload, of: container)
        }
        let object = try resolveLink(target, key, container.plan)
        noteLink(container.writer, container.plan, from: container.object, to: object, 1)
        return .link(object + 1)
    }

    /// A column of one row with an element that isn't a link. Elements lie in the collection however long they are.
    func single(_ payload: RawPayload, of container: Container) throws -> ChunkBuilder {
        let plan = container.plan
        switch (payload, plan.type) {
        case (.null, .link) where container.kind == .dictionary: return .link(0)
        case (_, .link): throw mismatch(plan, payload)
        case (.string(let bytes), .string) where bytes.count > FileFormat.longestInlineValue:
            guard UTF8Check.isValid(bytes) else {
                throw bad("C-26", "an element of '\(container.name)' isn't UTF-8")
            }
            var single = ChunkBuilder(.string)
            single.append(bytes: bytes)
            return single
        case (.binary(let bytes), .binary):
            var single = ChunkBuilder(.binary)
            single.append(bytes: bytes)
            return single
        default: return try single(payload, plan) { _ in throw mismatch(plan, payload) }
        }
    }

    /// Cuts what an element that goes holds on to.
    func release(_ container: Container, at index: Int) throws {
        if container.plan.type == .mixed {
            return try container.values.withScalar(at: index) {
                try release($0, container.writer, container.plan, container.object)
            }
        }
        guard container.plan.type == .link else { return }
        try releaseLink(container.writer, container.plan, container.object, try container.values.link(at: index))
    }

    /// Empties a collection.
    func removeElements(_ container: Container) throws {
        if container.plan.type == .mixed {
            // A nested collection is another buffer: this one isn't changed meanwhile.
            try container.values.forEachScalar {
                try release($0, container.writer, container.plan, container.object)
            }
        }
        if container.plan.type == .link {
            try container.values.forEachLink {
                try releaseLink(container.writer, container.plan, container.object, $0)
            }
        }
        container.values.removeAll()
        container.keys?.removeAll()
    }

    /// C-144.
    func clear(_ path: RawPath, _ kind: CollectionKind) throws {
        let place = try place(path)
        if place.isMixed { return try clearMixed(place, kind) }
        let container = try container(at: place)
        guard kind == .single || kind == container.kind else {
            throw bad("C-144", "'\(container.name)' isn't a \(kind)")
        }
        guard container.count > 0 else { return }
        try removeElements(container)
        container.noteModified()
    }

    // MARK: Lists

    private func element(at path: RawPath) throws -> (Container, Int) {
        guard case .element(let container, let index) = try place(path) else {
            throw bad("C-130", "the path doesn't lead to an element of a list")
        }
        return (container, index)
    }

    /// C-138.
    func updateElement(_ path: RawPath, _ payload: RawPayload) throws {
        let (container, index) = try element(at: path)
        try setElement(container, index, payload)
    }

    func setElement(_ container: Container, _ index: Int, _ payload: RawPayload) throws {
        guard index < container.count else { throw bad("C-138", "index \(index) of a list of \(container.count)") }
        // C-149: the element is such an object already.
        if container.plan.isEmbedded, case .embeddedObject = payload { return }
        guard try !keeps(container, index, payload) else { return }
        try release(container, at: index)
        try container.values.set(index, element(payload, of: container))
        container.noteModified()
    }

    /// C-141.
    func insertElement(_ path: RawPath, _ payload: RawPayload, _ priorSize: UInt32) throws {
        let (container, index) = try element(at: path)
        try check(priorSize, container)
        guard index <= container.count else { throw bad("C-141", "index \(index) of a list of \(container.count)") }
        try container.values.insert(element(payload, of: container), at: index)
        container.noteModified()
    }

    /// C-142.
    func moveElement(_ path: RawPath, _ to: UInt32, _ priorSize: UInt32) throws {
        let (container, index) = try element(at: path)
        try check(priorSize, container)
        guard index < container.count, to < container.count, to != index else {
            throw bad("C-142", "can't move \(index) to \(to) in a list of \(container.count)")
        }
        try container.values.move(index, to: Int(to))
        container.noteModified()
    }

    /// C-143.
    func eraseElement(_ path: RawPath, _ priorSize: UInt32) throws {
        let (container, index) = try element(at: path)
        try check(priorSize, container)
        guard index < container.count else { throw bad("C-143", "index \(index) of a list of \(container.count)") }
        try release(container, at: index)
        try container.values.remove(at: index)
        container.noteModified()
    }

    private func check(_ priorSize: UInt32, _ container: Container) throws {
        guard Int(priorSize) == container.count else {
            throw bad(
                "C-54", "'\(container.name)' had \(priorSize) elements for the writer, has \(container.count)")
        }
    }

    // MARK: Dictionaries

    /// Assigns to what a path of several steps leads to.
    func updateBelow(_ path: RawPath, _ payload: RawPayload) throws {
        switch try place(path) {
        case .entry(let container, let key): try updateEntry(container, key, payload)
        case .property(let writer, let plan, let object): try update(writer, plan, object, payload)
        case .element: throw bad("C-130", "the path ends in an index")
        }
    }

    /// C-139.
    func updateEntry(_ container: Container, _ key: UInt32, _ payload: RawPayload) throws {
        guard let keys = container.keys else { throw bad("C-130", "'\(container.name)' has no keys") }
        let (index, isThere) = try find(key, in: container)
        if case .erased = payload {
            guard isThere else { return }
            try release(container, at: index)
            try container.values.remove(at: index)
            try keys.remove(at: index)
        } else if isThere {
            guard try !keeps(container, index, payload) else { return }
            try release(container, at: index)
            try container.values.set(index, element(payload, of: container))
        } else {
            try container.values.insert(element(payload, of: container), at: index)
            var single = ChunkBuilder(.string)
            single.append(bytes: stream.strings.bytes(key))
            try keys.insert(single, at: index)
        }
        container.noteModified()
    }

    /// C-151.
    private func keeps(_ container: Container, _ index: Int, _ payload: RawPayload) throws -> Bool {
        guard container.plan.type == .mixed else { return false }
        return try container.values.withScalar(at: index) { keeps($0, payload) }
    }

    /// Where a key is or belongs, and whether it is there.
    func find(_ key: UInt32, in container: Container) throws -> (index: Int, isFound: Bool) {
        guard let keys = container.keys else { throw bad("C-130", "'\(container.name)' has no keys") }
        let bytes = stream.strings.bytes(key)
        guard UTF8Check.isValid(bytes) else { throw bad("C-26", "a key of '\(container.name)' isn't UTF-8") }
        return try keys.search { builder, row in builder.withBytes(row) { $0.order(bytes) } }
    }
}

extension ChunkBuilder {
    /// A row of a link column.
    static func link(_ stored: Int64) -> ChunkBuilder {
        var single = ChunkBuilder(.link)
        single.append(int: stored)
        return single
    }
}
