import Model

extension Instruction {
    /// The instruction after the file that made it was given its ident: objects without primary key that were made before
    /// have 0 in their hidden key (C-12).
    public func assigning(fileIdent: UInt64) -> Instruction {
        func assigned(_ key: PrimaryKey) -> PrimaryKey {
            if case .global(0, let low) = key { .global(high: fileIdent, low: low) } else { key }
        }
        func assigned(_ path: InstructionPath) -> InstructionPath {
            InstructionPath(path.className, assigned(path.key), path.property, path.rest)
        }
        func assigned(_ payload: Payload) -> Payload {
            guard case .value(.link(let link)) = payload else { return payload }
            return .value(.link(Link(className: link.className, key: assigned(link.key))))
        }
        switch self {
        case .addTable, .eraseTable, .addColumn, .eraseColumn: return self
        case .createObject(let name, let key): return .createObject(className: name, key: assigned(key))
        case .eraseObject(let name, let key): return .eraseObject(className: name, key: assigned(key))
        case .update(let path, let payload, let isDefault):
            return .update(assigned(path), assigned(payload), isDefault: isDefault)
        case .updateElement(let path, let payload, let size):
            return .updateElement(assigned(path), assigned(payload), priorSize: size)
        case .addInteger(let path, let amount): return .addInteger(assigned(path), amount)
        case .arrayInsert(let path, let payload, let size):
            return .arrayInsert(assigned(path), assigned(payload), priorSize: size)
        case .arrayMove(let path, let to, let size): return .arrayMove(assigned(path), to: to, priorSize: size)
        case .arrayErase(let path, let size): return .arrayErase(assigned(path), priorSize: size)
        case .clear(let path, let kind): return .clear(assigned(path), kind)
        case .setInsert(let path, let payload): return .setInsert(assigned(path), assigned(payload))
        case .setErase(let path, let payload): return .setErase(assigned(path), assigned(payload))
        }
    }
}
