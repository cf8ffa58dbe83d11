import Model

/// The row of the object that was created last, with its columns at hand: in bulk inserts nearly every instruction
/// gives it the next value, and counting references on the way would cost more than storing it.
///
/// Unsafe: it holds the columns without retaining them. Whatever may drop or rebuild the cluster must `forget` first.
struct UnsafeHotRow {
    private struct Column {
        var buffer: Unmanaged<ColumnBuffer>
        var type: ValueType
        var isNullable: Bool
    }

    /// Interned indices of property names beyond this go the general way.
    private static let capacity = 128

    private let columns = UnsafeMutablePointer<Column?>.allocate(capacity: UnsafeHotRow.capacity)
    private var target = UInt32.max
    private var key = RawKey.null
    private var row = 0
    private var cluster: Unmanaged<ClusterBuffer>?

    init() {
        columns.initialize(repeating: nil, count: UnsafeHotRow.capacity)
    }

    func deallocate() {
        columns.deallocate()
    }

    mutating func forget() {
        guard target != .max else { return }
        target = .max
        cluster = nil
        columns.update(repeating: nil, count: UnsafeHotRow.capacity)
    }

    /// Goes on to the row of a new object.
    @inline(__always)
    mutating func adopt(_ target: UInt32, _ key: RawKey, _ cluster: ClusterBuffer, _ row: Int) {
        if target != self.target || self.cluster?.toOpaque() != Unmanaged.passUnretained(cluster).toOpaque() {
            forget()
            self.target = target
            self.cluster = .passUnretained(cluster)
        }
        self.key = key
        self.row = row
    }

    /// Remembers the column of a property of the row, which got its value just now.
    mutating func note(_ property: UInt32, _ plan: ColumnPlan) {
        guard property < UnsafeHotRow.capacity, plan.kind != .link, plan.collection == .single else { return }
        guard let buffer = cluster?.takeUnretainedValue().columns[plan.slot] else { return }
        columns[Int(property)] = Column(
            buffer: .passUnretained(buffer), type: plan.type, isNullable: plan.isNullable)
    }

    /// Whether an instruction is about the row.
    @inline(__always)
    func isRow(_ path: RawPath) -> Bool {
        path.target == target && UnsafeHotRow.isSame(path.key, key)
    }

    /// Stores a value if it is the next one of a known column and needs no further care.
    @inline(__always)
    func append(_ property: UInt32, _ payload: RawPayload) -> Bool {
        guard property < UnsafeHotRow.capacity, let column = columns[Int(property)] else { return false }
        return column.buffer._withUnsafeGuaranteedRef { buffer in
            guard buffer.builder.count == row else { return false }
            switch payload {
            case .int(let value) where column.type == .int: buffer.builder.append(int: value)
            case .string(let bytes)
            where column.type == .string && bytes.count <= FileFormat.longestInlineValue && UTF8Check.isValid(bytes):
                buffer.builder.append(bytes: bytes)
            case .bool(let value) where column.type == .bool: buffer.builder.append(int: value ? 1 : 0)
            case .double(let value) where column.type == .double: buffer.builder.append(double: value)
            case .timestamp(let value) where column.type == .timestamp && value.isValid:
                buffer.builder.append(timestamp: value)
            case .objectId(let value) where column.type == .objectId: buffer.builder.append(objectId: value)
            case .float(let value) where column.type == .float: buffer.builder.append(float: value)
            case .null where column.isNullable: buffer.builder.appendNull()
            default: return false
            }
            return true
        }
    }

    @inline(__always)
    private static func isSame(_ a: RawKey, _ b: RawKey) -> Bool {
        switch (a, b) {
        case (.int(let a), .int(let b)): a == b
        case (.objectId(let a), .objectId(let b)): a.high == b.high && a.low == b.low
        case (.string(let a), .string(let b)): a == b
        case (.uuid(let a), .uuid(let b)): a == b
        case (.global(let a, let b), .global(let c, let d)): a == c && b == d
        default: false
        }
    }
}
