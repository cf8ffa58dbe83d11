import Model

/// An instruction on its way through a merge: names as symbols, and operands where rules can change them.
///
/// An operand that this kind of instruction doesn't have keeps its initial value.
struct MergeInstruction: Sendable {
    /// In the order of the matrix (M-38), which is that of the opcodes.
    enum Kind: UInt8, Sendable, CaseIterable, Comparable {
        case addTable, eraseTable, createObject, eraseObject, update, addInteger, addColumn, eraseColumn
        case arrayInsert, arrayMove, arrayErase, clear, setInsert, setErase

        static func < (a: Kind, b: Kind) -> Bool { a.rawValue < b.rawValue }
    }

    /// What AddTable and AddColumn declare.
    enum Declaration: Hashable, Sendable {
        case table(ClassKind, KeyColumn?)
        /// The target's symbol is empty for columns that are no links.
        case column(ColumnDeclaration, target: Symbol?)
    }

    var kind: Kind { didSet { isChanged = true } }
    let rank: Rank
    let className: Symbol
    /// Of the object; null where there is none.
    let key: PrimaryKey
    let property: Symbol
    /// Below the property.
    var path: [PathStep] { didSet { isChanged = true } }
    /// Of Update, ArrayInsert, SetInsert, SetErase.
    var payload: Payload { didSet { isChanged = true } }
    /// Of Updates of list elements, ArrayInsert, ArrayMove and ArrayErase.
    var priorSize: Int { didSet { isChanged = true } }
    /// Where ArrayMove moves to.
    var destination: Int { didSet { isChanged = true } }
    /// Of Update.
    let isDefault: Bool
    /// Of AddInteger.
    let amount: Int64
    /// Of Clear.
    var collection: CollectionKind { didSet { isChanged = true } }
    let declaration: Declaration?

    /// The mark of an Update or Clear (M-138): the other side has put content of this kind below the same path, which the
    /// two sides don't have in common.
    var hidden: Hidden? { didSet { isChanged = true } }
    /// Out of the merge: takes no part in later pairs (M-17).
    var isDiscarded = false { didSet { isChanged = true } }
    /// Whether something was assigned; not necessarily something else.
    private(set) var isChanged = false

    init(
        _ kind: Kind, rank: Rank, className: Symbol, key: PrimaryKey = .null, property: Symbol = -1,
        path: [PathStep] = [], payload: Payload = .value(.null), priorSize: UInt32 = 0, destination: UInt32 = 0,
        isDefault: Bool = false, amount: Int64 = 0, collection: CollectionKind = .single,
        declaration: Declaration? = nil
    ) {
        self.kind = kind
        self.rank = rank
        self.className = className
        self.key = key
        self.property = property
        self.path = path
        self.payload = payload
        self.priorSize = Int(priorSize)
        self.destination = Int(destination)
        self.isDefault = isDefault
        self.amount = amount
        self.collection = collection
        self.declaration = declaration
    }

    mutating func discard() { isDiscarded = true }

    mutating func forgetChange() { isChanged = false }
}

/// What the mark of an Update or Clear says is there (M-138).
public enum Hidden: UInt8, Sendable {
    case list = 1
    case dictionary = 2

    var collection: CollectionKind { self == .list ? .list : .dictionary }
}

extension MergeInstruction {
    /// How deep it acts; of two instructions the shallower is the outer one (C-48).
    var depth: Int {
        switch kind {
        case .addTable, .eraseTable: 1
        case .addColumn, .eraseColumn, .createObject, .eraseObject: 2
        default: 3 + path.count
        }
    }

    /// Whether it acts on something inside an object.
    var hasPath: Bool {
        switch kind {
        case .addTable, .eraseTable, .addColumn, .eraseColumn, .createObject, .eraseObject: false
        default: true
        }
    }

    /// Whether it declares or erases a class or property.
    var isSchema: Bool {
        switch kind {
        case .addTable, .eraseTable, .addColumn, .eraseColumn: true
        default: false
        }
    }

    var erasesSchema: Bool { kind == .eraseTable || kind == .eraseColumn }

    /// Whether its path ends in a list index.
    var endsInIndex: Bool { path.last?.index != nil }

    /// The list index that the path ends in; 0 if it doesn't.
    var index: Int {
        get { path.last?.index ?? 0 }
        set { if !path.isEmpty { path[path.count - 1] = .index(newValue) } }
    }

    /// Whether it says the same as another of the same origin.
    func isSame(as other: MergeInstruction) -> Bool {
        kind == other.kind && isDiscarded == other.isDiscarded && path == other.path && payload == other.payload
            && priorSize == other.priorSize && destination == other.destination && collection == other.collection
            && hidden == other.hidden && className == other.className
    }
}
