import Model

/// Where the values of one new object go: its cells in the overlay, and the names of its properties for the
/// instructions. Unsafe: valid until another object of the class is created or changed.
struct UnsafeNewRow {
    let object: EncodedObject
    let fields: UnsafeMutableBufferPointer<EncodedField>
    private let cells: UnsafeMutablePointer<SIMD2<UInt64>>
    private let states: UnsafeMutablePointer<UInt8>

    init(
        _ object: EncodedObject, fields: UnsafeMutableBufferPointer<EncodedField>,
        cells: (UnsafeMutablePointer<SIMD2<UInt64>>, UnsafeMutablePointer<UInt8>)
    ) {
        self.object = object
        self.fields = fields
        (self.cells, states) = cells
    }

    @inline(__always)
    func set(_ slot: Int, _ low: UInt64, _ high: UInt64 = 0) {
        cells[slot] = SIMD2(low, high)
        states[slot] = UnsafeOverlayCells.State.value.rawValue
    }

    @inline(__always)
    func setNull(_ slot: Int) {
        states[slot] = UnsafeOverlayCells.State.null.rawValue
    }
}
