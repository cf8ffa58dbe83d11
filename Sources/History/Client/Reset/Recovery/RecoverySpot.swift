import Model
import Store

/// What is at a place of a realm that a path leads to. Valid until the realm changes.
struct RecoverySpot {
    enum Content {
        /// No such dictionary key, or no embedded object.
        case absent
        case value(Value)
        /// An embedded object.
        case object(Table, ObjectKey)
        case list(ListView)
        case dictionary(DictionaryView)
        case set
    }

    let content: Content
    let table: Table
    let column: StoredColumn
    /// Whether it is an element of the property's collection, or of one inside its Mixed.
    var isElement = false
    /// Whether the collection that it is an element of is a list.
    var isListElement = false

    var property: PropertySchema { column.property }

    /// What a property of an object holds.
    init(_ table: Table, _ key: ObjectKey, _ column: StoredColumn) {
        self.table = table
        self.column = column
        switch column.property.collection {
        case .list: content = .list(table.list(key, column))
        case .dictionary: content = .dictionary(table.dictionary(key, column))
        case .set: content = .set
        case .single:
            if let target = table.targetTable(column), target.stored.kind == .embedded {
                content = table.linkKey(key, column).map { .object(target, $0) } ?? .absent
            } else if column.property.type == .mixed {
                content = RecoverySpot.content(table.mixed(key, column)) { table.value(key, column) }
            } else {
                content = .value(table.value(key, column))
            }
        }
    }

    private init(_ content: Content, in collection: RecoverySpot, isListElement: Bool) {
        self.content = content
        table = collection.table
        column = collection.column
        isElement = true
        self.isListElement = isListElement
    }

    private static func content(_ mixed: MixedContent, value: () -> Value) -> Content {
        switch mixed {
        case .value(let value): .value(value)
        case .object: .value(value())
        case .list(let list): .list(list)
        case .dictionary(let dictionary): .dictionary(dictionary)
        }
    }

    /// An element of the list that this is.
    func element(_ list: ListView, _ index: Int) -> RecoverySpot {
        RecoverySpot(elementContent(list, index), in: self, isListElement: true)
    }

    /// The value of a key of the dictionary that this is.
    func entry(_ dictionary: DictionaryView, _ key: String) -> RecoverySpot {
        let content = dictionary.index(of: key).map { elementContent(dictionary.values, $0) }
        return RecoverySpot(content ?? .absent, in: self, isListElement: false)
    }

    private func elementContent(_ list: ListView, _ index: Int) -> Content {
        if let target = table.targetTable(column), target.stored.kind == .embedded {
            return list.linkKey(at: index).map { .object(target, $0) } ?? .absent
        }
        guard list.isMixed else { return .value(list.value(at: index)) }
        return RecoverySpot.content(list.mixed(at: index)) { list.value(at: index) }
    }

    // MARK: What it may hold

    /// Whether it holds one value, whatever that is.
    var isSingle: Bool { isElement || property.collection == .single }

    var isMixed: Bool { property.type == .mixed && isSingle }

    var isEmbedded: Bool { isSingle && table.targetTable(column)?.stored.kind == .embedded }

    /// Whether a link can be null here.
    var allowsNull: Bool { isMixed || !isListElement }

    /// Whether something may be below, though nothing that the path wants is.
    var mayContain: Bool { isMixed || isEmbedded }
}
