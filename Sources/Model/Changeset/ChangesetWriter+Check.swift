/// Which instructions have bytes that a reader accepts.
extension ChangesetWriter {
    /// Throws if a reader would refuse the instruction, or read another one. `place` is what errors give as offset.
    public func check(_ instruction: Instruction, place: Int) throws(ChangesetError) {
        switch instruction {
        case .addTable(let className, let kind, let key):
            try check(string: className, place)
            if let key { try check(string: key.name, place) }
            switch key?.type {
            case nil, .int, .string, .objectId, .uuid: break
            case .some(let type):
                throw ChangesetError(
                    .badPrimaryKeyType, rule: "C-52", offset: place, "\(type) is not a type of primary keys")
            }
            guard (key == nil) == (kind == .embedded) else {
                throw ChangesetError(
                    .badPrimaryKeyType, rule: "C-52", offset: place, "all classes but embedded ones have a key column")
            }
        case .eraseTable(let className): try check(string: className, place)
        case .createObject(let className, let key), .eraseObject(let className, let key):
            try check(string: className, place)
            try check(key, place)
        case .update(let path, let payload, _):
            try check(path, endsInIndex: false, place)
            try check(payload, place)
        case .updateElement(let path, let payload, _), .arrayInsert(let path, let payload, _):
            try check(path, endsInIndex: true, place)
            try check(payload, place)
        case .addInteger(let path, _), .clear(let path, _): try check(path, endsInIndex: nil, place)
        case .addColumn(let className, let property, let column):
            try check(string: className, place)
            try check(string: property, place)
            try check(column, place)
        case .eraseColumn(let className, let property):
            try check(string: className, place)
            try check(string: property, place)
        case .arrayMove(let path, _, _), .arrayErase(let path, _): try check(path, endsInIndex: true, place)
        case .setInsert(let path, let payload), .setErase(let path, let payload):
            try check(path, endsInIndex: nil, place)
            guard case .value = payload else {
                throw ChangesetError(.badSetElement, rule: "C-60", offset: place, "a set cannot hold this")
            }
            try check(payload, place)
        }
    }

    private func check(_ path: InstructionPath, endsInIndex: Bool?, _ place: Int) throws(ChangesetError) {
        try check(string: path.className, place)
        try check(path.key, place)
        try check(string: path.property, place)
        for case .name(let name) in path.rest { try check(string: name, place) }
        var isIndex = false
        if case .index = path.rest.last { isIndex = true }
        switch (endsInIndex, isIndex) {
        case (true, false):
            throw ChangesetError(
                .pathWithoutIndex, rule: "C-59", offset: place, "list instruction without an index")
        case (false, true):
            throw ChangesetError(
                .pathEndsInIndex, rule: "C-47", offset: place, "assignment to a list element without prior size")
        default: break
        }
    }

    private func check(_ key: PrimaryKey, _ place: Int) throws(ChangesetError) {
        if case .string(let string) = key { try check(string: string, place) }
    }

    private func check(_ payload: Payload, _ place: Int) throws(ChangesetError) {
        guard case .value(let value) = payload else { return }
        switch value {
        case .string(let string): try check(string: string, place)
        case .malformedString(let bytes):
            try check(length: bytes.count, ChangesetLimit.stringLength, place)
        case .binary(let data): try check(length: data.count, ChangesetLimit.binaryLength, place)
        case .link(let link):
            try check(string: link.className, place)
            try check(link.key, place)
        default: break
        }
    }

    private func check(_ column: ColumnDeclaration, _ place: Int) throws(ChangesetError) {
        for number in [column.type, column.keyType ?? 0] where PayloadType(rawValue: number) == nil {
            throw ChangesetError(.unknownPayloadType, rule: "C-33", offset: place, "unknown type \(number)")
        }
        guard (column.target != nil) == (column.type == PayloadType.link.rawValue) else {
            throw ChangesetError(
                .unknownPayloadType, rule: "C-50", offset: place, "link columns, and only these, have a target")
        }
        guard (column.keyType != nil) == (column.collection == .dictionary) else {
            throw ChangesetError(
                .unknownKind, rule: "C-50", offset: place, "dictionary columns, and only these, have a key type")
        }
        if let target = column.target { try check(string: target, place) }
    }

    private func check(string: String, _ place: Int) throws(ChangesetError) {
        try check(length: string.utf8.count, ChangesetLimit.stringLength, place)
    }

    private func check(length: Int, _ limit: Int, _ place: Int) throws(ChangesetError) {
        guard length <= limit else {
            throw ChangesetError(
                .valueTooLong, rule: "C-16", offset: place, "\(length) bytes where \(limit) are allowed")
        }
    }
}
