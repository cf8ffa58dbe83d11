/// The accessor that was handed out last: it can be handed out again, for another object, once nobody else has it.
struct UnsafeReusableAccessor {
    private var object: ObjectBase?
    /// Looked at by its address: a reference would count as somebody who has it.
    private var address: UnsafeMutableRawPointer?

    /// The accessor, if nobody but this refers to it, not even weakly. The word behind the type in an object's header
    /// counts references: 3 stands for one strong reference and no other.
    @inline(__always)
    var free: ObjectBase? {
        let soleReference: UInt = 3
        guard let address, address.load(fromByteOffset: 8, as: UInt.self) == soleReference else { return nil }
        return object
    }

    @inline(__always)
    mutating func keep(_ accessor: ObjectBase) {
        object = accessor
        address = accessor._rlmAddress
    }
}
