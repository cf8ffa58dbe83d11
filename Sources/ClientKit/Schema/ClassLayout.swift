@_spi(Reflection) import Swift
import Synchronization

/// Where in an instance of a Swift class its persisted properties lie. Known without an instance.
package final class ClassLayout: Sendable {
    package struct Field: Sendable {
        /// Name as declared, without the underscore of the wrapper.
        package let name: String
        package let offset: Int
        nonisolated(unsafe) package let wrapper: any AnyPersisted.Type
    }

    package let type: ObjectBase.Type
    package let name: String
    /// Those of base classes first, then in the order of declaration.
    package let fields: [Field]
    /// Whether the class has stored properties that aren't persisted.
    package let hasOtherFields: Bool
    nonisolated(unsafe) private let offsets: UnsafePointer<Int>
    private let count: Int

    private init(_ type: ObjectBase.Type) {
        self.type = type
        name = TypeRecords.name(of: type)
        var fields: [Field] = []
        var others = 0
        let inherited = Self.fieldCount(ObjectBase.self)
        var position = 0
        // 3: a class type; kinds that the runtime doesn't know are skipped.
        _ = _forEachField(of: type, options: _EachFieldOptions(rawValue: 3)) { label, offset, fieldType, _ in
            position += 1
            if position <= inherited { return true }
            if let wrapper = fieldType as? any AnyPersisted.Type {
                let label = String(cString: label)
                fields.append(
                    Field(
                        name: label.hasPrefix("_") ? String(label.dropFirst()) : label, offset: offset,
                        wrapper: wrapper))
            } else {
                others += 1
            }
            return true
        }
        self.fields = fields
        hasOtherFields = others > 0
        count = fields.count
        let offsets = UnsafeMutablePointer<Int>.allocate(capacity: max(1, fields.count))
        for (index, field) in fields.enumerated() { (offsets + index).initialize(to: field.offset) }
        self.offsets = UnsafePointer(offsets)
    }

    private static func fieldCount(_ type: AnyClass) -> Int {
        var count = 0
        _ = _forEachField(of: type, options: _EachFieldOptions(rawValue: 3)) { _, _, _, _ in
            count += 1
            return true
        }
        return count
    }

    @inline(__always)
    func offset(_ index: Int) -> Int {
        precondition(index < count)
        return offsets[index]
    }

    /// Tells each wrapper of an instance which property it is.
    @inline(__always)
    func writeIndices(into instance: UnsafeMutableRawPointer) {
        for index in 0..<count {
            (instance + offsets[index]).storeBytes(of: UInt32(truncatingIfNeeded: index), as: UInt32.self)
        }
    }

    // MARK: The layouts of all classes, found by metatype

    /// A hash table that is read without lock, since each creation of an object looks here. Layouts live for ever.
    private struct Table: ~Copyable, @unchecked Sendable {
        static let capacity = 4_096
        let cells = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: capacity)

        init() {
            for index in 0..<Self.capacity { (cells + index).initialize(to: Atomic(0)) }
        }
    }

    private static let table = Table()
    private static let building = Lock<[ObjectIdentifier: ClassLayout]>([:])

    /// Where the search for a class begins: the upper 12 bits of a product that depends on all bits of the address.
    @inline(__always)
    private static func firstCell(_ address: UInt) -> Int {
        Int(truncatingIfNeeded: ((address >> 4) &* 0x9E37_79B9_7F4A_7C15) >> 52)
    }

    package static func of(_ type: ObjectBase.Type) -> ClassLayout {
        let address = UInt(bitPattern: ObjectIdentifier(type))
        var index = firstCell(address)
        for _ in 0..<8 {
            let cell = table.cells[index].load(ordering: .acquiring)
            if cell == 0 { break }
            let layout = Unmanaged<ClassLayout>.fromOpaque(UnsafeRawPointer(bitPattern: cell).unsafelyUnwrapped)
            if layout._withUnsafeGuaranteedRef({ $0.type == type }) { return layout.takeUnretainedValue() }
            index = (index + 1) & (Table.capacity - 1)
        }
        return add(type)
    }

    private static func add(_ type: ObjectBase.Type) -> ClassLayout {
        building.withLock { known in
            if let layout = known[ObjectIdentifier(type)] { return layout }
            let layout = ClassLayout(type)
            known[ObjectIdentifier(type)] = layout
            let address = UInt(bitPattern: ObjectIdentifier(type))
            var index = firstCell(address)
            for _ in 0..<8 {
                if table.cells[index].load(ordering: .relaxed) == 0 {
                    let pointer = UInt(bitPattern: Unmanaged.passRetained(layout).toOpaque())
                    table.cells[index].store(pointer, ordering: .releasing)
                    break
                }
                index = (index + 1) & (Table.capacity - 1)
            }
            return layout
        }
    }
}
