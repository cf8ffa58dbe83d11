/// Which property of its class a wrapper is, and where it lies in its object. `ObjectBase.init` writes it.
@frozen @usableFromInline
struct _PersistedPlace {
    @usableFromInline var index: UInt32
    /// Options in the lowest three bits, the distance from the start of the object above.
    @usableFromInline var bits: UInt32

    /// Not yet in an object.
    @inlinable
    init(options: UInt32) {
        index = 0
        bits = options
    }

    init(index: UInt32, offset: UInt32, options: UInt32) {
        self.index = index
        bits = offset << 3 | options
    }

    var options: UInt32 { bits & 7 }

    @inlinable
    var offset: Int { Int(bits >> 3) }
}

@frozen @usableFromInline
enum _PersistedOptions {
    @inlinable static var primaryKey: UInt32 { 1 }
    @inlinable static var indexed: UInt32 { 2 }
    /// The object belongs to a realm. Only noted for classes that can be encoded, whose wrappers are asked by themselves.
    @inlinable static var managed: UInt32 { 4 }
}
