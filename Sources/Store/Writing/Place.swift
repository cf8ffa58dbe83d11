import Model

/// A collection that instructions act on.
struct Container {
    let writer: TableWriter
    /// The property that holds it.
    let plan: ColumnPlan
    let object: Int64
    let kind: CollectionKind
    /// How many collections inside a Mixed it is inside of, itself included; 0 for a property's own.
    let depth: Int
    let values: ListBuffer
    /// The keys of a dictionary, each at the index of its value.
    let keys: ListBuffer?

    var name: String { plan.property.name }
    var count: Int { values.count }

    func noteModified() { writer.noteModified(object, plan.id) }
}

/// What a path leads to.
enum Place {
    case property(TableWriter, ColumnPlan, Int64)
    /// An element of a list, which need not be there yet.
    case element(Container, Int)
    /// The value of a dictionary's key, by the key's interned index; it need not be there.
    case entry(Container, UInt32)
}

extension WriteTransaction {
    /// Steps that a path may have. Nothing nests so deep: it bounds recursion, whatever a peer sends.
    private static let deepestPath = 512

    /// Follows a path (C-45, C-130).
    func place(_ path: RawPath) throws -> Place {
        guard path.rest.count <= WriteTransaction.deepestPath else {
            throw bad("C-14", "a path of \(path.rest.count) steps")
        }
        let (memo, key) = try object(path)
        var place = Place.property(memo.writer, try plan(memo, path.property), key)
        for step in path.rest { place = try next(place, step) }
        return place
    }

    private func next(_ place: Place, _ step: RawStep) throws -> Place {
        if let (memo, key) = try embeddedObject(at: place) {
            guard case .name(let property) = step else {
                throw bad("C-130", "a path takes an index into an object of '\(memo.writer.stored.name)'")
            }
            return .property(memo.writer, try plan(memo, property), key)
        }
        let container = try container(at: place)
        switch (container.kind, step) {
        case (.list, .index(let index)): return .element(container, Int(index))
        case (.dictionary, .name(let name)): return .entry(container, name)
        default: throw bad("C-130", "a path takes a wrong step into the \(container.kind) '\(container.name)'")
        }
    }

    /// The collection that a place holds.
    func container(at place: Place) throws -> Container {
        if place.isMixed {
            guard let container = try nestedContainer(at: place) else {
                throw bad("C-130", "a path leads into a Mixed that holds no collection")
            }
            return container
        }
        switch place {
        case .property(let writer, let plan, let object):
            guard plan.collection != .single else {
                throw bad("C-130", "there is nothing below property '\(plan.property.name)'")
            }
            return try container(writer, plan, object)
        case .element(let container, _), .entry(let container, _):
            throw bad("C-130", "there is nothing below an element of '\(container.name)'")
        }
    }

    /// The embedded object that a place holds; nil if it can't hold any.
    private func embeddedObject(at place: Place) throws -> (memo: InstructionStream.ClassMemo, key: Int64)? {
        let plan: ColumnPlan
        let stored: Int64
        switch place {
        case .property(let writer, let property, let object):
            guard property.isEmbedded, property.collection == .single else { return nil }
            plan = property
            guard let (cluster, row) = try writer.locate(object), let column = try writer.column(cluster, plan) else {
                throw writer.damaged("object \(object) has no row")
            }
            stored = row < column.builder.count ? column.builder.int(row) : 0
        case .element(let container, let index):
            guard container.plan.isEmbedded else { return nil }
            plan = container.plan
            guard index < container.count else {
                throw bad("C-130", "index \(index) of a list of \(container.count)")
            }
            stored = try container.values.link(at: index)
        case .entry(let container, let key):
            guard container.plan.isEmbedded else { return nil }
            plan = container.plan
            let (index, isThere) = try find(key, in: container)
            stored = isThere ? try container.values.link(at: index) : 0
        }
        guard stored != 0 else {
            throw bad("C-130", "a path leads through '\(plan.property.name)', which holds no object there")
        }
        return (try embeddedMemo(plan), stored &- 1)
    }

    /// The collection of a property.
    func container(_ writer: TableWriter, _ plan: ColumnPlan, _ object: Int64) throws -> Container {
        try container(writer, plan, object, plan.collection, nested: nil, depth: 0)
    }

    func container(
        _ writer: TableWriter, _ plan: ColumnPlan, _ object: Int64, _ kind: CollectionKind, nested: NestedId?,
        depth: Int
    ) throws -> Container {
        let address = CollectionAddress(writer.stored.id, plan.id, ObjectKey(object), nested: nested)
        return Container(
            writer: writer, plan: plan, object: object, kind: kind, depth: depth,
            values: try list(address, plan.kind), keys: kind == .dictionary ? try list(address.keys, .string) : nil)
    }

    private func list(_ address: CollectionAddress, _ kind: ChunkKind) throws -> ListBuffer {
        if let recentList, recentList.address == address { return recentList }
        let list = try lists[address] ?? ListBuffer(address, kind, store)
        lists[address] = list
        recentList = list
        return list
    }
}
