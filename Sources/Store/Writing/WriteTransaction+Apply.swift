import Foundation
import Model

extension WriteTransaction {
    /// Applies instructions one by one.
    func applyInstructions(_ bytes: UnsafeRawBufferPointer) throws {
        var reader = ChangesetReader(bytes, strings: stream.strings, base: stream.offset)
        var hot = UnsafeHotRow()
        defer { hot.deallocate() }
        do {
            while let instruction = try reader.next() {
                switch instruction {
                case .update(let path, let payload, _) where path.rest.isEmpty && hot.isRow(path):
                    if hot.append(path.property, payload) { continue }
                    hot.note(path.property, try update(path, payload))
                case .createObject(let target, let key):
                    if let (cluster, row) = try createObject(target, key) {
                        hot.adopt(target, key, cluster, row)
                    } else {
                        hot.forget()
                    }
                default:
                    hot.forget()
                    try apply(instruction)
                }
            }
        } catch let error as ChangesetError {
            throw StoreError(.badChangeset, "\(error)", path: file.path)
        } catch var error as StoreError where error.code == .badChangeset {
            error.message += " (instruction ending at byte \(reader.offset))"
            throw error
        }
        stream.offset = reader.offset
    }

    private func apply(_ instruction: RawInstruction) throws {
        switch instruction {
        case .update(let path, let payload, _):
            if path.rest.isEmpty { try update(path, payload) } else { try updateBelow(path, payload) }
        case .createObject(let target, let key): try createObject(target, key)
        case .eraseObject(let target, let key): try eraseObject(target, key)
        case .updateElement(let path, let payload, _): try updateElement(path, payload)
        case .addInteger(let path, let amount): try addInteger(path, amount)
        case .arrayInsert(let path, let payload, let priorSize): try insertElement(path, payload, priorSize)
        case .arrayMove(let path, let to, let priorSize): try moveElement(path, to, priorSize)
        case .arrayErase(let path, let priorSize): try eraseElement(path, priorSize)
        case .clear(let path, let kind): try clear(path, kind)
        case .addTable(let target, let kind, let key): try addTable(target, kind, key)
        case .eraseTable(let target): try eraseTable(target)
        case .addColumn(let target, let property, let column): try addColumn(target, property, column)
        case .eraseColumn(let target, let property): try eraseColumn(target, property)
        case .setInsert(let path, let payload): try insertIntoSet(path, payload)
        case .setErase(let path, let payload): try eraseFromSet(path, payload)
        }
    }

    // MARK: Names

    /// A class of the stream by its interned name.
    @inline(__always)
    func classMemo(_ target: UInt32) throws -> InstructionStream.ClassMemo {
        let index = Int(target)
        if index < stream.classes.count, let memo = stream.classes[index] { return memo }
        return try lookUpClass(target)
    }

    private func lookUpClass(_ target: UInt32) throws -> InstructionStream.ClassMemo {
        let name = try string(target)
        guard let table = schema.table(named: name) else { throw bad("C-128", "there is no class '\(name)'") }
        guard table.kind != .embedded else { throw bad("C-128", "objects of embedded class '\(name)' have no keys") }
        let memo = InstructionStream.ClassMemo(try writer(table))
        while stream.classes.count <= Int(target) { stream.classes.append(nil) }
        stream.classes[Int(target)] = memo
        return memo
    }

    /// A property of a class by its interned name.
    @inline(__always)
    func plan(_ memo: InstructionStream.ClassMemo, _ property: UInt32) throws -> ColumnPlan {
        let index = Int(property)
        if index < memo.slots.count, memo.slots[index] > 0 { return memo.writer.plans[Int(memo.slots[index]) - 1] }
        return try lookUpPlan(memo, property)
    }

    private func lookUpPlan(_ memo: InstructionStream.ClassMemo, _ property: UInt32) throws -> ColumnPlan {
        let name = try string(property)
        guard let column = memo.writer.stored.column(named: name) else {
            throw bad("C-130", "class '\(memo.writer.stored.name)' has no property '\(name)'")
        }
        let plan = memo.writer.plans[column.slot]
        guard !plan.isPrimaryKey else { throw bad("C-11", "primary key '\(name)' can't be changed") }
        while memo.slots.count <= Int(property) { memo.slots.append(0) }
        memo.slots[Int(property)] = Int32(column.slot + 1)
        return plan
    }

    /// The interned string with a number.
    func string(_ index: UInt32) throws -> String {
        guard let string = stream.strings.string(index) else {
            throw bad("C-26", "interned string \(index) isn't UTF-8")
        }
        return string
    }

    // MARK: Objects

    /// The object that an instruction names, which must exist (C-129).
    @inline(__always)
    func object(_ path: RawPath) throws -> (memo: InstructionStream.ClassMemo, key: Int64) {
        let memo = try classMemo(path.target)
        if path.target == stream.target, stream.object >= 0, path.key == stream.key { return (memo, stream.object) }
        return (memo, try lookUpObject(memo, path))
    }

    private func lookUpObject(_ memo: InstructionStream.ClassMemo, _ path: RawPath) throws -> Int64 {
        let encoded = try encode(path.key, memo.writer, scratch)
        guard let found = try memo.writer.find(encoded), !found.isTombstone else {
            throw bad("C-129", "class '\(memo.writer.stored.name)' has no object with key \(describe(path.key))")
        }
        stream.target = path.target
        stream.key = path.key
        stream.object = found.object.raw
        return found.object.raw
    }

    /// A key as `keys` holds it, after checking that the class can have it (C-128).
    @inline(__always)
    func encode(
        _ key: RawKey, _ writer: TableWriter, _ scratch: UnsafeKeyScratch
    ) throws -> TableWriter.EncodedKey {
        let fits =
            switch (key, writer.keyType) {
            case (.int, .int), (.string, .string), (.objectId, .objectId), (.uuid, .uuid): true
            case (.global, nil): true
            case (.null, .some): writer.stored.primaryKey?.property.isNullable ?? false
            default: false
            }
        guard fits else {
            throw bad("C-128", "\(describe(key)) can't be a key of class '\(writer.stored.name)'")
        }
        if let bytes = scratch.encode(writer.stored.id, key, stream.strings) { return .plain(bytes) }
        guard case .string(let index) = key else { return .long("") }
        return .long(try string(index))
    }

    func describe(_ key: RawKey) -> String {
        switch key {
        case .null: "null"
        case .int(let value): "\(value)"
        case .string(let index): "'\(stream.strings.string(index) ?? "?")'"
        case .objectId(let value): "\(PrimaryKey.objectId(value))"
        case .uuid(let value): "\(value)"
        case .global(let high, let low): "(\(high), \(low))"
        }
    }

    // MARK: Errors

    func exists(_ className: String, _ key: RawKey) -> StoreError {
        var error = StoreError(
            .objectExists, "class '\(className)' has an object with key \(describe(key)) already", path: file.path)
        let named: PrimaryKey =
            switch key {
            case .null: .null
            case .int(let value): .int(value)
            case .string(let index): .string(stream.strings.string(index) ?? "")
            case .objectId(let value): .objectId(value)
            case .uuid(let value): .uuid(value)
            case .global(let high, let low): .global(high: high, low: low)
            }
        error.object = StoreError.ObjectName(className: className, key: named)
        return error
    }

    func bad(_ rule: String, _ message: String) -> StoreError {
        StoreError(.badChangeset, "\(message) [\(rule)]", path: file.path)
    }

    /// Instructions of the format that this version of the store doesn't carry out.
    func unsupported(_ what: String) -> StoreError {
        StoreError(.unsupportedChange, "\(what): not supported by this version of the store", path: file.path)
    }
}
