import Model
import Store

/// What happened to a collection between two versions (NO-03).
package enum CollectionNotice: Equatable {
    case initial
    /// Indices: deletions in the former state, the others in the new one; ascending and disjoint.
    case update(deletions: [Int], insertions: [Int], modifications: [Int])
}

/// A property whose links are followed backwards.
package struct InverseLink: Hashable {
    package let table: TableId
    package let column: ColumnId
}

/// What happened to an object between two versions (NO-05).
package enum ObjectNotice {
    package struct Property {
        /// The property; for inverse links the one that makes them, of the class in `origin`.
        package let column: StoredColumn
        package var origin: InverseLink?
        /// nil for collections, and when the change was made by the observing realm itself.
        package let old: ListElement?
        /// nil for collections.
        package let new: ListElement?
    }
    case change([Property])
    case deleted
}
