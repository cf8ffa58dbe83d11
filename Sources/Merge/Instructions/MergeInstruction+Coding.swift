import Model

extension MergeInstruction {
    /// Throws if an instruction that needs a list index has none.
    init(_ instruction: Instruction, rank: Rank, symbols: inout some SymbolSource) throws(MergeError) {
        func located(
            _ kind: Kind, _ path: InstructionPath, _ payload: Payload = .value(.null), size: UInt32 = 0,
            to destination: UInt32 = 0, isDefault: Bool = false, amount: Int64 = 0,
            collection: CollectionKind = .single
        ) -> MergeInstruction {
            MergeInstruction(
                kind, rank: rank, className: symbols.symbol(path.className), key: path.key,
                property: symbols.symbol(path.property),
                path: path.rest.map { step in
                    switch step {
                    case .index(let index): .index(Int(index))
                    case .name(let name): .name(symbols.symbol(name))
                    }
                }, payload: payload, priorSize: size, destination: destination, isDefault: isDefault,
                amount: amount, collection: collection)
        }
        switch instruction {
        case .addTable(let name, let kind, let key):
            self.init(.addTable, rank: rank, className: symbols.symbol(name), declaration: .table(kind, key))
        case .eraseTable(let name): self.init(.eraseTable, rank: rank, className: symbols.symbol(name))
        case .createObject(let name, let key):
            self.init(.createObject, rank: rank, className: symbols.symbol(name), key: key)
        case .eraseObject(let name, let key):
            self.init(.eraseObject, rank: rank, className: symbols.symbol(name), key: key)
        case .addColumn(let name, let property, let column):
            self.init(
                .addColumn, rank: rank, className: symbols.symbol(name), property: symbols.symbol(property),
                declaration: .column(column, target: column.target.map { symbols.symbol($0) }))
        case .eraseColumn(let name, let property):
            self.init(
                .eraseColumn, rank: rank, className: symbols.symbol(name), property: symbols.symbol(property))
        case .update(let path, let payload, let isDefault):
            self = located(.update, path, payload, isDefault: isDefault)
        case .updateElement(let path, let payload, let size): self = located(.update, path, payload, size: size)
        case .addInteger(let path, let amount): self = located(.addInteger, path, amount: amount)
        case .arrayInsert(let path, let payload, let size): self = located(.arrayInsert, path, payload, size: size)
        case .arrayMove(let path, let to, let size): self = located(.arrayMove, path, size: size, to: to)
        case .arrayErase(let path, let size): self = located(.arrayErase, path, size: size)
        case .clear(let path, let collection): self = located(.clear, path, collection: collection)
        case .setInsert(let path, let payload): self = located(.setInsert, path, payload)
        case .setErase(let path, let payload): self = located(.setErase, path, payload)
        }
        try checkIndex(of: instruction)
    }

    /// That the path ends in an index where the kind of instruction wants one, and only there (C-47, C-59).
    private func checkIndex(of instruction: Instruction) throws(MergeError) {
        let isWanted: Bool
        switch instruction {
        case .updateElement, .arrayInsert, .arrayMove, .arrayErase: isWanted = true
        case .update: isWanted = false
        default: return
        }
        try require(endsInIndex == isWanted, rule: "M-91", "\(kind) with a path of the wrong kind")
    }

    /// The instruction as it has become. Throws if a size or index has outgrown its range.
    func instruction(_ symbols: SymbolScope) throws(MergeError) -> Instruction {
        func located() throws(MergeError) -> InstructionPath {
            var rest: [PathElement] = []
            rest.reserveCapacity(path.count)
            for step in path {
                if let name = step.name {
                    rest.append(.name(symbols.name(name)))
                } else {
                    rest.append(.index(try narrow(step.index ?? 0)))
                }
            }
            return InstructionPath(symbols.name(className), key, symbols.name(property), rest)
        }
        let name = symbols.name(className)
        switch kind {
        case .addTable:
            guard case .table(let kind, let key)? = declaration else { break }
            return .addTable(className: name, kind: kind, key: key)
        case .addColumn:
            guard case .column(let column, _)? = declaration else { break }
            return .addColumn(className: name, property: symbols.name(property), column)
        case .eraseTable: return .eraseTable(className: name)
        case .createObject: return .createObject(className: name, key: key)
        case .eraseObject: return .eraseObject(className: name, key: key)
        case .eraseColumn: return .eraseColumn(className: name, property: symbols.name(property))
        case .update where endsInIndex:
            return .updateElement(try located(), payload, priorSize: try narrow(priorSize))
        case .update: return .update(try located(), payload, isDefault: isDefault)
        case .addInteger: return .addInteger(try located(), amount)
        case .arrayInsert: return .arrayInsert(try located(), payload, priorSize: try narrow(priorSize))
        case .arrayMove:
            return .arrayMove(try located(), to: try narrow(destination), priorSize: try narrow(priorSize))
        case .arrayErase: return .arrayErase(try located(), priorSize: try narrow(priorSize))
        case .clear: return .clear(try located(), collection)
        case .setInsert: return .setInsert(try located(), payload)
        case .setErase: return .setErase(try located(), payload)
        }
        preconditionFailure("a declaration of \(kind) without what it declares: \(self)")
    }

    private func narrow(_ number: Int) throws(MergeError) -> UInt32 {
        guard let narrow = UInt32(exactly: number) else {
            throw MergeError(.inconsistentHistory, rule: "M-91", "an index or size of \(number)")
        }
        return narrow
    }
}
