import Model

extension Instruction {
    /// One short line for people.
    var summary: String {
        switch self {
        case .addTable(let name, let kind, _): "AddTable \(name) \(kind)"
        case .eraseTable(let name): "EraseTable \(name)"
        case .createObject(let name, let key): "CreateObject \(name)[\(key)]"
        case .eraseObject(let name, let key): "EraseObject \(name)[\(key)]"
        case .addColumn(let name, let property, let column): "AddColumn \(name).\(property) \(column.collection)"
        case .eraseColumn(let name, let property): "EraseColumn \(name).\(property)"
        case .update(let path, let payload, let isDefault): "\(path.summary) = \(payload)\(isDefault ? " default" : "")"
        case .updateElement(let path, let payload, let size): "\(path.summary) = \(payload), of \(size)"
        case .addInteger(let path, let amount): "\(path.summary) += \(amount)"
        case .arrayInsert(let path, let payload, let size): "insert \(path.summary) = \(payload), of \(size)"
        case .arrayMove(let path, let to, let size): "move \(path.summary) to \(to), of \(size)"
        case .arrayErase(let path, let size): "erase \(path.summary), of \(size)"
        case .clear(let path, let kind): "clear \(path.summary), a \(kind)"
        case .setInsert(let path, let payload): "\(path.summary) with \(payload)"
        case .setErase(let path, let payload): "\(path.summary) without \(payload)"
        }
    }
}

extension InstructionPath {
    fileprivate var summary: String {
        let steps = rest.map { step in
            switch step {
            case .index(let index): "[\(index)]"
            case .name(let name): ".\(name)"
            }
        }
        return "\(className)[\(key)].\(property)\(steps.joined())"
    }
}
