import Foundation
import Model
import Store

/// Recording new objects in one pass over their properties. Adding many objects spends its time here: nothing is
/// looked up, boxed or counted for a single property.
extension ChangeRecorder {
    /// Records the properties of a new object from one on. Stops before one that takes more than a value (a link, a
    /// collection, a rarer type), and when there are enough bytes to be sent. `instance` is the address of the
    /// unmanaged object.
    /// - Returns: the position of the next property.
    func record(
        _ steps: UnsafeBufferPointer<PropertyStep>, from first: Int, of instance: UnsafeMutableRawPointer,
        _ overlay: ClassOverlay, _ row: Int
    ) -> Int {
        let target = overlay.newRow(row)
        let cells = overlay.cells
        var position = first
        while position < steps.count {
            let step = steps[position]
            let wrapper = instance + step.offset
            switch step.codec {
            case .int: set(target, step, overlay, int: Int64(PropertyCodec.value(Int.self, at: wrapper)))
            case .bool: set(target, step, overlay, int: PropertyCodec.value(Bool.self, at: wrapper) ? 1 : 0)
            case .float: set(target, step, overlay, float: PropertyCodec.value(Float.self, at: wrapper))
            case .double: set(target, step, overlay, double: PropertyCodec.value(Double.self, at: wrapper))
            case .string:
                var value = PropertyCodec.value(String.self, at: wrapper)
                value.withUTF8 { set(target, step, overlay, cells, bytes: UnsafeRawBufferPointer($0)) }
                if hasFullPart { return position + 1 }
            case .data:
                PropertyCodec.value(Data.self, at: wrapper).withUnsafeBytes {
                    set(target, step, overlay, cells, bytes: $0)
                }
                if hasFullPart { return position + 1 }
            case .date: set(target, step, overlay, date: PropertyCodec.value(Date.self, at: wrapper))
            case .objectId:
                set(target, step, overlay, objectId: PropertyCodec.value(ObjectId.self, at: wrapper).value)
            case .uuid: set(target, step, overlay, uuid: PropertyCodec.value(UUID.self, at: wrapper))
            case .generic, .collection: return position
            default:
                recordOptional(target, step, wrapper, overlay, cells)
                if hasFullPart { return position + 1 }
            }
            position += 1
        }
        return position
    }

    private func recordOptional(
        _ target: UnsafeNewRow, _ step: PropertyStep, _ wrapper: UnsafeMutableRawPointer, _ overlay: ClassOverlay,
        _ cells: UnsafeOverlayCells
    ) {
        func value<Value: _Persistable>(_ type: Value.Type) -> Value { PropertyCodec.value(type, at: wrapper) }
        switch step.codec {
        case .optionalInt:
            if let value = value(Int?.self) { return set(target, step, overlay, int: Int64(value)) }
        case .optionalBool:
            if let value = value(Bool?.self) { return set(target, step, overlay, int: value ? 1 : 0) }
        case .optionalFloat:
            if let value = value(Float?.self) { return set(target, step, overlay, float: value) }
        case .optionalDouble:
            if let value = value(Double?.self) { return set(target, step, overlay, double: value) }
        case .optionalString:
            if var value = value(String?.self) {
                return value.withUTF8 { set(target, step, overlay, cells, bytes: UnsafeRawBufferPointer($0)) }
            }
        case .optionalData:
            if let value = value(Data?.self) {
                return value.withUnsafeBytes { set(target, step, overlay, cells, bytes: $0) }
            }
        case .optionalDate:
            if let value = value(Date?.self) { return set(target, step, overlay, date: value) }
        case .optionalObjectId:
            if let value = value(ObjectId?.self) { return set(target, step, overlay, objectId: value.value) }
        case .optionalUUID:
            if let value = value(UUID?.self) { return set(target, step, overlay, uuid: value) }
        default: preconditionFailure("property \(step.index) of '\(overlay.info.name)' is not optional")
        }
        writer.updateNull(target.object, overlay.property(step.slot, &writer))
        target.setNull(step.slot)
        changeCount &+= 1
    }

    // MARK: Values

    /// Name and type of the property for an instruction.
    @inline(__always)
    private func field(_ target: UnsafeNewRow, _ step: PropertyStep, _ overlay: ClassOverlay) -> EncodedField {
        let field = target.fields[step.slot]
        return field.isEmpty ? makeField(target, step, overlay) : field
    }

    @inline(never)
    private func makeField(_ target: UnsafeNewRow, _ step: PropertyStep, _ overlay: ClassOverlay) -> EncodedField {
        let field = EncodedField(
            property: overlay.property(step.slot, &writer), type: step.type)
        target.fields[step.slot] = field
        return field
    }

    @inline(__always)
    private func set(_ target: UnsafeNewRow, _ step: PropertyStep, _ overlay: ClassOverlay, int: Int64) {
        writer.update(target.object, field(target, step, overlay), int: int)
        target.set(step.slot, UInt64(bitPattern: int))
        changeCount &+= 1
    }

    @inline(__always)
    private func set(_ target: UnsafeNewRow, _ step: PropertyStep, _ overlay: ClassOverlay, float: Float) {
        writer.update(target.object, field(target, step, overlay), float: float)
        target.set(step.slot, UInt64(float.bitPattern))
        changeCount &+= 1
    }

    @inline(__always)
    private func set(_ target: UnsafeNewRow, _ step: PropertyStep, _ overlay: ClassOverlay, double: Double) {
        writer.update(target.object, field(target, step, overlay), double: double)
        target.set(step.slot, double.bitPattern)
        changeCount &+= 1
    }

    @inline(__always)
    private func set(_ target: UnsafeNewRow, _ step: PropertyStep, _ overlay: ClassOverlay, date: Date) {
        let timestamp = Timestamp(date)
        writer.update(target.object, field(target, step, overlay), timestamp: timestamp)
        target.set(
            step.slot, UInt64(bitPattern: timestamp.seconds), UInt64(bitPattern: Int64(timestamp.nanoseconds)))
        changeCount &+= 1
    }

    @inline(__always)
    private func set(_ target: UnsafeNewRow, _ step: PropertyStep, _ overlay: ClassOverlay, objectId: Model.ObjectId) {
        writer.update(target.object, field(target, step, overlay), objectId: objectId)
        target.set(step.slot, objectId.high, UInt64(objectId.low))
        changeCount &+= 1
    }

    @inline(__always)
    private func set(_ target: UnsafeNewRow, _ step: PropertyStep, _ overlay: ClassOverlay, uuid: UUID) {
        writer.update(target.object, field(target, step, overlay), uuid: uuid)
        let words = unsafeBitCast(uuid.uuid, to: SIMD2<UInt64>.self)
        target.set(step.slot, words[0], words[1])
        changeCount &+= 1
    }

    private static func name(of step: PropertyStep, _ overlay: ClassOverlay) -> String {
        let column = overlay.info.table.columns.first { $0.slot == step.slot }
        return "'\(overlay.info.name).\(column?.property.name ?? "")'"
    }

    @inline(__always)
    private func set(
        _ target: UnsafeNewRow, _ step: PropertyStep, _ overlay: ClassOverlay, _ cells: UnsafeOverlayCells,
        bytes: UnsafeRawBufferPointer
    ) {
        if step.type == .binary {
            Self.check(data: bytes.count, "The value of \(Self.name(of: step, overlay))")
        } else {
            Self.check(text: bytes.count, "The value of \(Self.name(of: step, overlay))")
        }
        writer.update(target.object, field(target, step, overlay), bytes: bytes)
        target.set(step.slot, cells.append(bytes), UInt64(bytes.count))
        changeCount &+= 1
    }
}
