import Model
import Store

/// What `add` needs of one property of a class, side by side; one object, since its parts are many.
package final class PropertyStep {
    let index: Int
    /// nil for inverse links.
    let column: StoredColumn?
    let isPrimaryKey: Bool
    let isCollection: Bool
    let isLink: Bool
    private let property: PersistedProperty

    init(_ property: PersistedProperty, _ index: Int, _ column: StoredColumn?) {
        self.property = property
        self.index = index
        self.column = column
        isPrimaryKey = property.isPrimaryKey
        isCollection = property.collection != .single
        isLink = property.type == .link
    }

    @inline(__always)
    func content(in instance: UnsafeMutableRawPointer) -> _StoredValue {
        property.content(in: instance)
    }

    func collection(in instance: UnsafeMutableRawPointer) -> (any PersistedCollection)? {
        property.wrapper.collection(at: instance + property.offset)
    }
}
