import Model

extension Snapshot {
    /// The instructions that delete objects of a class as an app does (C-120): links to them become null, or leave their
    /// list or set; then the objects go. Keys of no object are passed over.
    package func deletion(of keys: [ObjectKey], in table: Table) -> [Instruction] {
        let gone = Set(keys.filter { table.contains($0) })
        var instructions: [Instruction] = []
        var seen: Set<IncomingLink> = []
        for key in keys where gone.contains(key) {
            for var link in table.incomingLinks(to: key) {
                link.count = 0
                guard seen.insert(link).inserted, schema[link.table] != nil else { continue }
                let origin = self.table(link.table)
                // What goes anyway needs no change.
                guard let root = root(origin, link.object),
                    root.table != table.stored.id || !gone.contains(root.key),
                    let column = origin.stored.column(link.column),
                    let path = instructionPath(origin, link.object, column.property.name)
                else { continue }
                instructions += LinkRemoval(target: table, gone: gone, origin: origin, path: path)
                    .instructions(link.object, column)
            }
        }
        var erased: Set<ObjectKey> = []
        for key in keys where gone.contains(key) && erased.insert(key).inserted {
            guard let primaryKey = table.primaryKey(of: key) else { continue }
            instructions.append(.eraseObject(className: table.stored.name, key: primaryKey))
        }
        return instructions
    }
}

/// Removes from one property what links to objects that go.
private struct LinkRemoval {
    let target: Table
    let gone: Set<ObjectKey>
    let origin: Table
    /// Path of the property.
    let path: InstructionPath

    func instructions(_ object: ObjectKey, _ column: StoredColumn) -> [Instruction] {
        guard column.property.type != .mixed else {
            return switch column.property.collection {
            case .single: removals(origin.mixed(object, column), at: path)
            case .list: erasures(mixed: origin.list(object, column), path)
            case .set: setErasures(mixed: origin.list(object, column))
            case .dictionary: nulls(mixed: origin.dictionary(object, column), path)
            }
        }
        return switch column.property.collection {
        case .single: [.update(path, .value(.null), isDefault: false)]
        case .list: erasures(origin.list(object, column))
        case .set:
            origin.list(object, column).linkKeys.filter(gone.contains).compactMap { key in
                target.primaryKey(of: key).map { primaryKey in
                    .setErase(path, .value(.link(Link(className: target.stored.name, key: primaryKey))))
                }
            }
        case .dictionary: nulls(origin.dictionary(object, column))
        }
    }

    // MARK: Mixed

    private func isGone(_ content: MixedContent) -> Bool {
        if case .object(let table, let key) = content { table == target.stored.id && gone.contains(key) } else { false }
    }

    /// What becomes of the content of a slot that can be null.
    private func removals(_ content: MixedContent, at path: InstructionPath) -> [Instruction] {
        guard path.rest.count <= FileFormat.deepestNesting else { return [] }
        return switch content {
        case .object: isGone(content) ? [.update(path, .value(.null), isDefault: false)] : []
        case .list(let list): erasures(mixed: list, path)
        case .dictionary(let dictionary): nulls(mixed: dictionary, path)
        case .value: []
        }
    }

    private func erasures(mixed list: ListView, _ path: InstructionPath) -> [Instruction] {
        var count = list.count
        var instructions: [Instruction] = []
        for index in (0..<list.count).reversed() {
            let content = list.mixed(at: index)
            let place = path.appending(.index(UInt32(index)))
            if isGone(content) {
                instructions.append(.arrayErase(place, priorSize: UInt32(count)))
                count -= 1
            } else {
                instructions += removals(content, at: place)
            }
        }
        return instructions
    }

    private func nulls(mixed dictionary: DictionaryView, _ path: InstructionPath) -> [Instruction] {
        (0..<dictionary.count).flatMap { index in
            removals(dictionary.values.mixed(at: index), at: path.appending(.name(dictionary.key(at: index))))
        }
    }

    private func setErasures(mixed set: ListView) -> [Instruction] {
        (0..<set.count).compactMap { index in
            isGone(set.mixed(at: index)) ? .setErase(path, .value(set.value(at: index))) : nil
        }
    }

    // MARK: Links

    /// From the end, so that the indices before stay what they are.
    private func erasures(_ list: ListView) -> [Instruction] {
        var count = list.count
        var instructions: [Instruction] = []
        for index in (0..<list.count).reversed() {
            guard let key = list.linkKey(at: index), gone.contains(key) else { continue }
            instructions.append(.arrayErase(path.appending(.index(UInt32(index))), priorSize: UInt32(count)))
            count -= 1
        }
        return instructions
    }

    private func nulls(_ dictionary: DictionaryView) -> [Instruction] {
        (0..<dictionary.count).compactMap { index in
            guard let key = dictionary.values.linkKey(at: index), gone.contains(key) else { return nil }
            return .update(path.appending(.name(dictionary.key(at: index))), .value(.null), isDefault: false)
        }
    }
}

extension InstructionPath {
    /// The path with one more step.
    package func appending(_ step: PathElement) -> InstructionPath {
        InstructionPath(className, key, property, rest + [step])
    }
}
