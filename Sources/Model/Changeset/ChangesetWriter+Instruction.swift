import Foundation

/// Writing self-contained instructions: their strings are interned in the order of C-63, then the instruction goes out.
extension ChangesetWriter {
    /// Appends an instruction that `check` has let pass.
    public mutating func append(_ instruction: Instruction) {
        switch instruction {
        case .addTable(let className, let kind, let key):
            let target = intern(className)
            addTable(
                target, kind, key.map { RawKeyColumn(name: intern($0.name), type: $0.type, isNullable: $0.isNullable) })
        case .eraseTable(let className): eraseTable(intern(className))
        case .createObject(let className, let key): createObject(object(className, key))
        case .eraseObject(let className, let key): eraseObject(object(className, key))
        case .update(let path, let payload, let isDefault):
            let (object, property, steps) = raw(path)
            withRaw(payload) { $0.update(object, property, path: steps, payload: $1, isDefault: isDefault) }
        case .updateElement(let path, let payload, let priorSize):
            let (object, property, steps) = raw(path)
            withRaw(payload) { $0.updateElement(object, property, path: steps, payload: $1, priorSize: priorSize) }
        case .addInteger(let path, let amount):
            let (object, property, steps) = raw(path)
            addInteger(object, property, path: steps, amount)
        case .addColumn(let className, let property, let column): append(column, className, property)
        case .eraseColumn(let className, let property):
            let target = intern(className)
            eraseColumn(target, intern(property))
        case .arrayInsert(let path, let payload, let priorSize):
            let (object, property, steps) = raw(path)
            withRaw(payload) { $0.arrayInsert(object, property, path: steps, payload: $1, priorSize: priorSize) }
        case .arrayMove(let path, let to, let priorSize):
            let (object, property, steps) = raw(path)
            arrayMove(object, property, path: steps, to: to, priorSize: priorSize)
        case .arrayErase(let path, let priorSize):
            let (object, property, steps) = raw(path)
            arrayErase(object, property, path: steps, priorSize: priorSize)
        case .clear(let path, let kind):
            let (object, property, steps) = raw(path)
            clear(object, property, path: steps, kind)
        case .setInsert(let path, let payload):
            let (object, property, steps) = raw(path)
            withRaw(payload) { $0.setInsert(object, property, path: steps, payload: $1) }
        case .setErase(let path, let payload):
            let (object, property, steps) = raw(path)
            withRaw(payload) { $0.setErase(object, property, path: steps, payload: $1) }
        }
    }

    private mutating func append(_ column: ColumnDeclaration, _ className: String, _ property: String) {
        let target = intern(className)
        let name = intern(property)
        addColumn(
            target, name,
            RawColumn(
                type: PayloadType(rawValue: column.type) ?? .null, isNullable: column.isNullable,
                collection: column.collection, target: column.target.map { intern($0) },
                keyType: column.keyType.flatMap(PayloadType.init(rawValue:))))
    }

    private mutating func object(_ className: String, _ key: PrimaryKey) -> EncodedObject {
        let target = intern(className)
        return EncodedObject(target: target, key: intern(key))
    }

    /// The key in raw form; its string, if it is one, is interned.
    public mutating func intern(_ key: PrimaryKey) -> RawKey {
        switch key {
        case .null: .null
        case .int(let value): .int(value)
        case .string(let value): .string(intern(value))
        case .objectId(let value): .objectId(value)
        case .uuid(let value): .uuid(value)
        case .global(let high, let low): .global(high: high, low: low)
        }
    }

    private mutating func raw(_ path: InstructionPath) -> (EncodedObject, property: UInt32, [RawStep]) {
        let object = object(path.className, path.key)
        let property = intern(path.property)
        let steps = path.rest.map { step -> RawStep in
            switch step {
            case .index(let index): .index(index)
            case .name(let name): .name(intern(name))
            }
        }
        return (object, property, steps)
    }

    /// Calls `body` with the payload in raw form, valid during the call.
    public mutating func withRaw(_ payload: Payload, _ body: (inout ChangesetWriter, RawPayload) -> Void) {
        switch payload {
        case .value(let value): withRaw(value, body)
        case .embeddedObject: body(&self, .embeddedObject)
        case .list: body(&self, .list)
        case .dictionary: body(&self, .dictionary)
        case .erased: body(&self, .erased)
        case .set: body(&self, .set)
        }
    }

    /// Calls `body` with the value in raw form, valid during the call. Strings of a link are interned first.
    public mutating func withRaw(_ value: Value, _ body: (inout ChangesetWriter, RawPayload) -> Void) {
        switch value {
        case .null: body(&self, .null)
        case .int(let value): body(&self, .int(value))
        case .bool(let value): body(&self, .bool(value))
        case .string(var value): value.withUTF8 { body(&self, .string(UnsafeRawBufferPointer($0))) }
        case .malformedString(let value): value.withUnsafeBytes { body(&self, .string($0)) }
        case .binary(let value): value.withUnsafeBytes { body(&self, .binary($0)) }
        case .timestamp(let value): body(&self, .timestamp(value))
        case .float(let value): body(&self, .float(value))
        case .double(let value): body(&self, .double(value))
        case .decimal(let value): body(&self, .decimal(value))
        case .link(let link):
            let target = intern(link.className)
            let key = intern(link.key)
            body(&self, .link(target: target, key: key))
        case .objectId(let value): body(&self, .objectId(value))
        case .uuid(let value): body(&self, .uuid(value))
        }
    }
}
