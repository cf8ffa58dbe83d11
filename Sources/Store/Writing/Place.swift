import Model

/// A collection that instructions act on.
struct Container {
    let writer: TableWriter
    /// The property that holds it.
    let plan: ColumnPlan
    let object: Int64
    let kind: CollectionKind
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
    /// Follows a path (C-45, C-130).
    func place(_ path: RawPath) throws -> Place {
        let (memo, key) = try object(path)
        var place = Place.property(memo.writer, try plan(memo, path.property), key)
        for step in path.rest { place = try next(place, step) }
        return place
    }

    private func next(_ place: Place, _ step: RawStep) throws -> Place {
        let container = try container(at: place)
        switch (container.kind, step) {
        case (.list, .index(let index)): return .element(container, Int(index))
        case (.dictionary, .name(let name)): return .entry(container, name)
        default: throw bad("C-130", "a path takes a wrong step into the \(container.kind) '\(container.name)'")
        }
    }

    /// The collection that a place holds.
    func container(at place: Place) throws -> Container {
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

    /// The collection of a property.
    func container(_ writer: TableWriter, _ plan: ColumnPlan, _ object: Int64) throws -> Container {
        let address = CollectionAddress(writer.stored.id, plan.id, ObjectKey(object))
        guard let kind = plan.kind else { throw unsupported("property '\(plan.property.name)'") }
        return Container(
            writer: writer, plan: plan, object: object, kind: plan.collection, values: try list(address, kind),
            keys: plan.collection == .dictionary ? try list(address.keys, .string) : nil)
    }

    private func list(_ address: CollectionAddress, _ kind: ChunkKind) throws -> ListBuffer {
        if let recentList, recentList.address == address { return recentList }
        let list = try lists[address] ?? ListBuffer(address, kind, store)
        lists[address] = list
        recentList = list
        return list
    }
}
