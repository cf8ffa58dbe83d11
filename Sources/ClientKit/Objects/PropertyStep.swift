import Model
import Store

/// What `add` needs of one stored property of a class. Plain bytes, so that passing over the properties of an object
/// counts no references.
struct PropertyStep {
    /// Index of the property in its class.
    let index: Int
    /// Where the property's wrapper lies in an instance.
    let offset: Int
    /// The column's slot.
    let slot: Int
    let codec: PropertyCodec
    let type: PayloadType

    init(_ property: PersistedProperty, _ index: Int, _ column: StoredColumn) {
        self.index = index
        offset = property.offset
        slot = column.slot
        codec = property.codec
        type = PayloadType(rawValue: property.type.rawValue) ?? .null
    }
}
