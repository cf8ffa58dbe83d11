@_spi(Reflection) import Swift
import Synchronization

/// Where in an instance of a Swift class its persisted properties lie. Known without an instance.
package final class ClassLayout: Sendable {
    package struct Field: Sendable {
        /// Name as declared, without the underscore of the wrapper.
        package let name: String
        package let offset: Int
        nonisolated(unsafe) package let wrapper: any AnyPersisted.Type
        /// Declared without `@Persisted`: no wrapper lies in memory.
        let isLegacy: Bool
    }

    package let type: ObjectBase.Type
    package let name: String
    /// Those of base classes first, then in the order of declaration.
    package let fields: [Field]
    /// Lazy properties that would have to be persisted by the rules of old, and can't be (LG-05).
    let lazyFields: [String]
    /// Whether the class has stored properties that aren't persisted.
    package let hasOtherFields: Bool
    nonisolated(unsafe) private let places: UnsafePointer<Places>

    private init(_ type: ObjectBase.Type) {
        self.type = type
        name = TypeRecords.name(of: type)
        var declared: [(name: String, offset: Int, type: Any.Type)] = []
        // 3: a class type; kinds that the runtime doesn't know are skipped.
        _ = _forEachField(of: type, options: _EachFieldOptions(rawValue: 3)) { label, offset, fieldType, _ in
            declared.append((String(cString: label), offset, fieldType))
            return true
        }
        let ignored = Set((type as? Object.Type)?.ignoredProperties() ?? [])
        var fields: [Field] = []
        var lazyFields: [String] = []
        var start = Self.fieldCount(ObjectBase.self)
        for end in Self.fieldCounts(type) where end > start {
            let own = Self.fields(declared[start..<end], ignored)
            fields += own
            if own.allSatisfy(\.isLegacy) {
                lazyFields += Self.lazyFields(declared[start..<end], ignored, isLegacy: !own.isEmpty)
            }
            start = end
        }
        self.fields = fields
        self.lazyFields = lazyFields
        // The properties of legacy classes are objects of their own, which go by one row.
        let wrapped = fields.count { !$0.isLegacy }
        hasOtherFields = declared.count - Self.fieldCount(ObjectBase.self) > wrapped
        let offsets = UnsafeMutablePointer<UInt32>.allocate(capacity: max(1, fields.count))
        for (index, field) in fields.enumerated() {
            (offsets + index).initialize(to: field.isLegacy ? 0 : UInt32(field.offset))
        }
        let places = UnsafeMutablePointer<Places>.allocate(capacity: 1)
        places.initialize(to: Places(type: ObjectIdentifier(type), count: fields.count, offsets: offsets))
        self.places = UnsafePointer(places)
    }

    /// The persisted ones of the fields that one class of a hierarchy declares (PE-09).
    private static func fields(
        _ declared: ArraySlice<(name: String, offset: Int, type: Any.Type)>, _ ignored: Set<String>
    ) -> [Field] {
        let wrapped = declared.compactMap { name, offset, type in
            (type as? any AnyPersisted.Type).map {
                let name = name.hasPrefix("_") ? String(name.dropFirst()) : name
                return Field(name: name, offset: offset, wrapper: $0, isLegacy: false)
            }
        }
        if !wrapped.isEmpty { return wrapped }
        return declared.filter { !ignored.contains($0.name) }.compactMap { name, offset, type in
            (type as? any LegacyDeclarable.Type).map {
                Field(name: name, offset: offset, wrapper: $0._legacyField, isLegacy: true)
            }
        }
    }

    /// The lazy ones of the fields that a class without `@Persisted` declares: all in a class that has persisted ones, in
    /// others those that would be persisted but for being lazy.
    private static func lazyFields(
        _ declared: ArraySlice<(name: String, offset: Int, type: Any.Type)>, _ ignored: Set<String>, isLegacy: Bool
    ) -> [String] {
        // What the compiler calls the storage, an optional of the property's type.
        let prefix = "$__lazy_storage_$_"
        return declared.compactMap { name, _, type in
            guard name.hasPrefix(prefix) else { return nil }
            let name = String(name.dropFirst(prefix.count))
            let isPersistable = (type as? any OptionalProtocol.Type).map { wrapped($0) is any LegacyDeclarable.Type }
            return !ignored.contains(name) && (isLegacy || isPersistable == true) ? name : nil
        }
    }

    private static func wrapped<Storage: OptionalProtocol>(_ type: Storage.Type) -> Any.Type { Storage.Wrapped.self }

    /// How many fields each class of a hierarchy has with those of its base classes, `ObjectBase` first.
    private static func fieldCounts(_ type: ObjectBase.Type) -> [Int] {
        var counts: [Int] = []
        var next: AnyClass? = type
        while let current = next, current != ObjectBase.self {
            counts.append(fieldCount(current))
            // The second word of a class's metadata.
            next = unsafeBitCast(current, to: UnsafePointer<AnyClass?>.self)[1]
        }
        return counts.reversed()
    }

    private static func fieldCount(_ type: AnyClass) -> Int {
        var count = 0
        _ = _forEachField(of: type, options: _EachFieldOptions(rawValue: 3)) { _, _, _, _ in
            count += 1
            return true
        }
        return count
    }

    /// What each creation of an object needs of a layout, free of references that would have to be counted.
    private struct Places {
        let type: ObjectIdentifier
        let count: Int
        /// 0 for those without wrapper.
        let offsets: UnsafePointer<UInt32>
    }

    /// Tells each wrapper of a new instance which property it is, and where it lies.
    @inline(__always)
    static func writePlaces(into instance: UnsafeMutableRawPointer, _ type: ObjectBase.Type) {
        let places = places(type).pointee
        for index in 0..<places.count {
            let offset = places.offsets[index]
            if offset == 0 { continue }
            let wrapper = instance + Int(offset)
            let options = wrapper.load(as: _PersistedPlace.self).options
            wrapper.storeBytes(
                of: _PersistedPlace(index: UInt32(truncatingIfNeeded: index), offset: offset, options: options),
                as: _PersistedPlace.self)
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

    /// The address of a class's `Places`, which is where its layout is kept as well.
    @inline(__always)
    private static func places(_ type: ObjectBase.Type) -> UnsafePointer<Places> {
        let identity = ObjectIdentifier(type)
        var index = firstCell(UInt(bitPattern: identity))
        for _ in 0..<8 {
            let cell = table.cells[index].load(ordering: .acquiring)
            guard let places = UnsafePointer<Places>(bitPattern: cell) else { break }
            if places.pointee.type == identity { return places }
            index = (index + 1) & (Table.capacity - 1)
        }
        return add(type).places
    }

    package static func of(_ type: ObjectBase.Type) -> ClassLayout {
        building.withLock { $0[ObjectIdentifier(type)] } ?? add(type)
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
                    table.cells[index].store(UInt(bitPattern: layout.places), ordering: .releasing)
                    break
                }
                index = (index + 1) & (Table.capacity - 1)
            }
            return layout
        }
    }
}
