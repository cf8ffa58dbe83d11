import Model
import Store

/// What an inlined property read compares before it touches memory. One heap cell per realm instance.
@frozen @usableFromInline
package struct RealmAccess {
    /// `reeve_thread_identity()` of the thread that may use the realm without further questions; 0 when the
    /// slow check must decide (queues, actors, frozen realms).
    @usableFromInline package var thread: UInt
    /// Changes whenever cached places of objects may be wrong. Unique in the process; never 0.
    @usableFromInline package var generation: UInt64

    package init(thread: UInt, generation: UInt64) {
        self.thread = thread
        self.generation = generation
    }
}

/// One element of a list, or one value of a property; links as object keys of the target class.
package enum ListElement: Hashable, Sendable {
    case value(Value)
    case link(ObjectKey)
    /// A link of a Mixed, to any class.
    case object(TableId, ObjectKey)
    /// A list inside a Mixed, or a list of mixed values as a whole.
    case list([ListElement])
    /// As `list`, with keys in the order of their bytes.
    case dictionary([String], [ListElement])

    package static var null: ListElement { .value(.null) }
}
