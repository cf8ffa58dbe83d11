import CPlatform

/// The classes of the process, from the type records that the compiler leaves in each image.
///
/// Unsafe in the sense that it reads the runtime's own structures. Their layout is part of Swift's stable ABI on
/// Apple platforms and the same on Linux.
enum TypeRecords {
    /// Subclasses of `ObjectBase` in all loaded images, generic ones excepted, in the order of the records.
    static func subclassesOfObjectBase() -> [ObjectBase.Type] {
        let search = Search()
        swift_enumerateAllMetadataSections(
            { sections, context in
                guard let sections, let context else { return true }
                let search = Unmanaged<Search>.fromOpaque(context).takeUnretainedValue()
                // Version, base and two unused words, then (start, length) of protocols, conformances, type records.
                let start = sections.load(fromByteOffset: 64, as: UnsafeRawPointer?.self)
                let length = sections.load(fromByteOffset: 72, as: Int.self)
                guard let start else { return true }
                for offset in stride(from: 0, to: length, by: 4) {
                    let record = start + offset
                    let value = record.load(as: Int32.self)
                    let target = record + Int(value & ~3)
                    switch value & 3 {
                    case 0: search.visit(target)
                    case 1:
                        if let descriptor = target.load(as: UnsafeRawPointer?.self) { search.visit(descriptor) }
                    default: break
                    }
                }
                return true
            }, Unmanaged.passUnretained(search).toOpaque())
        return search.found
    }

    /// The unqualified name of a class, also of a private or nested one.
    static func name(of type: ObjectBase.Type) -> String {
        let descriptor = descriptor(of: type)
        return String(cString: relative(descriptor, 8).assumingMemoryBound(to: CChar.self))
    }

    private final class Search {
        let root = TypeRecords.descriptor(of: ObjectBase.self)
        var found: [ObjectBase.Type] = []
        var isSubclass: [UnsafeRawPointer: Bool] = [:]

        func visit(_ descriptor: UnsafeRawPointer) {
            let flags = descriptor.load(as: UInt32.self)
            // 16: a class; bit 7: generic.
            guard flags & 0x1F == 16, flags & 0x80 == 0, descriptor != root, derives(descriptor) else { return }
            guard let metadata = TypeRecords.metadata(of: descriptor) else { return }
            if let type = unsafeBitCast(metadata, to: Any.Type.self) as? ObjectBase.Type { found.append(type) }
        }

        /// Whether the class derives from `ObjectBase`, told by descriptors as far as they go.
        func derives(_ descriptor: UnsafeRawPointer) -> Bool {
            if descriptor == root { return true }
            if let known = isSubclass[descriptor] { return known }
            let answer: Bool
            switch TypeRecords.superclass(of: descriptor) {
            case .none: answer = false
            case .descriptor(let parent): answer = derives(parent)
            case .other:
                answer =
                    descriptor.load(as: UInt32.self) & 0x80 == 0
                    && TypeRecords.metadata(of: descriptor).map {
                        unsafeBitCast($0, to: Any.Type.self) is ObjectBase.Type
                    } == true
            }
            isSubclass[descriptor] = answer
            return answer
        }
    }

    private static func descriptor(of type: AnyClass) -> UnsafeRawPointer {
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        return metadata.load(fromByteOffset: 40, as: UnsafeRawPointer.self)
    }

    private static func relative(_ base: UnsafeRawPointer, _ offset: Int) -> UnsafeRawPointer {
        base + offset + Int(base.load(fromByteOffset: offset, as: Int32.self))
    }

    private enum Superclass {
        case none
        case descriptor(UnsafeRawPointer)
        /// Named by a mangled name that only the runtime resolves.
        case other
    }

    private static func superclass(of descriptor: UnsafeRawPointer) -> Superclass {
        guard descriptor.load(fromByteOffset: 20, as: Int32.self) != 0 else { return .none }
        let mangled = relative(descriptor, 20)
        // A symbolic reference at the start is the whole name only if nothing follows it.
        guard mangled.load(fromByteOffset: 5, as: UInt8.self) == 0 else { return .other }
        let offset = Int(mangled.loadUnaligned(fromByteOffset: 1, as: Int32.self))
        let target = mangled + 1 + offset
        switch mangled.load(as: UInt8.self) {
        case 1: return .descriptor(target)
        case 2: return target.load(as: UnsafeRawPointer?.self).map { .descriptor($0) } ?? .none
        default: return .other
        }
    }

    private static func metadata(of descriptor: UnsafeRawPointer) -> UnsafeRawPointer? {
        typealias Access = @convention(c) (Int) -> UnsafeRawPointer?
        guard descriptor.load(fromByteOffset: 12, as: Int32.self) != 0 else { return nil }
        return unsafeBitCast(relative(descriptor, 12), to: Access.self)(0)
    }
}
