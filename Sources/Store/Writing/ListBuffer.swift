import Model

/// A list, a set, or the values or keys of a dictionary while a transaction changes it. Pieces are loaded as they are
/// needed.
final class ListBuffer {
    private struct Piece {
        /// Number of its record; nil as long as it has none.
        var number: UInt32?
        var count: Int
        /// Nil while it is only in the file.
        var builder: ChunkBuilder?
        var isDirty = false
    }

    let address: CollectionAddress
    let kind: ChunkKind
    private let store: UnsafeRecordStore
    private var pieces: [Piece] = []
    private var nextNumber: UInt32 = 1
    private var isDirty = false
    /// Records of pieces that are no more.
    private var goneNumbers: [UInt32] = []
    private(set) var count = 0

    init(_ address: CollectionAddress, _ kind: ChunkKind, _ store: UnsafeRecordStore) throws {
        self.address = address
        self.kind = kind
        self.store = store
        guard let root = store.get(store.databases.lists, address.recordKey(0)) else { return }
        if ListRoot.isInline(root) == true {
            let chunk = try checked(UnsafeRawBufferPointer(rebasing: root.dropFirst(ListRoot.headerSize)))
            pieces = [Piece(number: 0, count: chunk.count, builder: ChunkBuilder(chunk, rows: 0..<chunk.count))]
        } else {
            guard let directory = ListRoot(root) else { throw damaged }
            pieces = directory.pieces.map { Piece(number: $0.number, count: Int($0.count), builder: nil) }
            nextNumber = (directory.pieces.map(\.number).max() ?? 0) + 1
        }
        count = pieces.reduce(0) { $0 + $1.count }
    }

    private var damaged: StoreError {
        StoreError(
            .corrupt, "the elements of object \(address.object.raw), column \(address.column.raw), can't be read",
            path: store.path)
    }

    private func checked(_ bytes: UnsafeRawBufferPointer) throws -> UnsafeChunk {
        guard let header = ChunkHeader(checking: bytes), header.kind == kind, let start = bytes.baseAddress else {
            throw damaged
        }
        return UnsafeChunk(start)
    }

    // MARK: Elements

    /// The piece of an element, loaded, and its place in it. The end of the list belongs to the last piece.
    private func locate(_ index: Int) throws -> (piece: Int, row: Int) {
        var row = index
        // From the end: appending is what is done most.
        if !pieces.isEmpty, index >= count - pieces[pieces.count - 1].count {
            let last = pieces.count - 1
            try load(last)
            return (last, index - (count - pieces[last].count))
        }
        for place in pieces.indices {
            if row < pieces[place].count {
                try load(place)
                return (place, row)
            }
            row -= pieces[place].count
        }
        throw damaged
    }

    private func load(_ place: Int) throws {
        guard pieces[place].builder == nil, let number = pieces[place].number else { return }
        guard let bytes = store.get(store.databases.lists, address.recordKey(number)) else { throw damaged }
        let chunk = try checked(bytes)
        guard chunk.count == pieces[place].count else { throw damaged }
        pieces[place].builder = ChunkBuilder(chunk, rows: 0..<chunk.count)
    }

    private func edit<R>(_ place: Int, _ body: (inout ChunkBuilder) -> R) throws -> R {
        guard pieces[place].builder != nil else { throw damaged }
        isDirty = true
        pieces[place].isDirty = true
        // Taken out, so that it is changed in place.
        var builder = pieces[place].builder.take() ?? ChunkBuilder(kind)
        defer { pieces[place].builder = builder }
        return body(&builder)
    }

    /// Stored link of an element: target + 1.
    func link(at index: Int) throws -> Int64 {
        let (piece, row) = try locate(index)
        return pieces[piece].builder?.int(row) ?? 0
    }

    /// An element by itself.
    func single(at index: Int) throws -> ChunkBuilder {
        let (piece, row) = try locate(index)
        guard let builder = pieces[piece].builder else { throw damaged }
        return builder.single(row)
    }

    /// An element. Strings and binaries are valid inside `body` only.
    func withScalar<R>(at index: Int, _ body: (UnsafeScalar) throws -> R) throws -> R {
        let (piece, row) = try locate(index)
        guard let builder = pieces[piece].builder else { throw damaged }
        return try builder.withThrowingScalar(row, body)
    }

    /// Calls `body` with each element that isn't null.
    func forEachScalar(_ body: (UnsafeScalar) throws -> Void) throws {
        for place in pieces.indices {
            try load(place)
            guard let builder = pieces[place].builder else { throw damaged }
            for row in 0..<builder.count where !builder.isNull(row) { try builder.withThrowingScalar(row, body) }
        }
    }

    func set(_ index: Int, _ single: ChunkBuilder) throws {
        let (piece, row) = try locate(index)
        try edit(piece) { $0.replace(row, with: single) }
    }

    func insert(_ single: ChunkBuilder, at index: Int) throws {
        if pieces.isEmpty { pieces.append(Piece(number: nil, count: 0, builder: ChunkBuilder(kind))) }
        var (place, row) = try locate(index)
        if isFull(place) {
            if row == pieces[place].count, place == pieces.count - 1 {
                pieces.append(Piece(number: nil, count: 0, builder: ChunkBuilder(kind)))
                (place, row) = (place + 1, 0)
            } else {
                try split(place)
                (place, row) = try locate(index)
            }
        }
        try edit(place) { $0.insert(single, at: row) }
        pieces[place].count += 1
        count += 1
    }

    func remove(at index: Int) throws {
        let (place, row) = try locate(index)
        try edit(place) { $0.remove(at: row) }
        pieces[place].count -= 1
        count -= 1
        if pieces[place].count == 0 { drop(place) }
    }

    /// C-55.
    func move(_ from: Int, to: Int) throws {
        let (place, row) = try locate(from)
        guard let chunk = pieces[place].builder?.encoded() else { throw damaged }
        var single = ChunkBuilder(kind)
        chunk.withUnsafeBytes { bytes in
            if let start = bytes.baseAddress { single.append(UnsafeChunk(start), rows: row..<(row + 1)) }
        }
        try remove(at: from)
        try insert(single, at: to)
    }

    func removeAll() {
        guard count > 0 else { return }
        isDirty = true
        for place in pieces.indices.reversed() { drop(place) }
        count = 0
    }

    /// Calls `body` with each stored link.
    func forEachLink(_ body: (Int64) throws -> Void) throws {
        for place in pieces.indices {
            try load(place)
            guard let builder = pieces[place].builder else { throw damaged }
            for row in 0..<builder.count { try body(builder.int(row)) }
        }
    }

    /// Makes defaults of all null elements.
    func fillNulls() throws {
        var single = ChunkBuilder(kind)
        single.appendDefault()
        for place in pieces.indices {
            try load(place)
            guard let loaded = pieces[place].builder, (0..<loaded.count).contains(where: loaded.isNull) else {
                continue
            }
            try edit(place) { builder in
                for row in 0..<builder.count where builder.isNull(row) { builder.replace(row, with: single) }
            }
        }
    }

    // MARK: Searching

    /// Where, among elements in ascending order, the first is that `order` doesn't call less, and whether it is equal.
    /// `order` says how an element of a builder's row stands to what is looked for.
    func search(_ order: (ChunkBuilder, Int) -> ValueOrder) throws -> (index: Int, isFound: Bool) {
        var low = 0
        var high = pieces.count
        // The last piece whose first element is less, or the first piece.
        while high - low > 1 {
            let middle = (low + high) / 2
            try load(middle)
            guard let builder = pieces[middle].builder else { throw damaged }
            if order(builder, 0) == .less { low = middle } else { high = middle }
        }
        guard low < pieces.count else { return (0, false) }
        try load(low)
        guard let builder = pieces[low].builder else { throw damaged }
        let before = pieces[..<low].reduce(0) { $0 + $1.count }
        var from = 0
        var to = builder.count
        while from < to {
            let middle = (from + to) / 2
            if order(builder, middle) == .less { from = middle + 1 } else { to = middle }
        }
        if from < builder.count { return (before + from, order(builder, from) == .equal) }
        guard low + 1 < pieces.count else { return (before + from, false) }
        try load(low + 1)
        guard let next = pieces[low + 1].builder else { throw damaged }
        return (before + from, order(next, 0) == .equal)
    }

    // MARK: Pieces

    private func isFull(_ place: Int) -> Bool {
        pieces[place].count >= FileFormat.listPieceCapacity
            || (pieces[place].builder?.dataSize ?? 0) >= FileFormat.listPieceBytes && pieces[place].count > 1
    }

    private func split(_ place: Int) throws {
        guard let builder = pieces[place].builder else { throw damaged }
        let half = builder.count / 2
        builder.encoded().withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            let chunk = UnsafeChunk(start)
            pieces[place].builder = ChunkBuilder(chunk, rows: 0..<half)
            pieces[place].count = half
            pieces[place].isDirty = true
            let rest = ChunkBuilder(chunk, rows: half..<chunk.count)
            pieces.insert(Piece(number: nil, count: rest.count, builder: rest, isDirty: true), at: place + 1)
        }
        isDirty = true
    }

    private func drop(_ place: Int) {
        if let number = pieces.remove(at: place).number, number != 0 { goneNumbers.append(number) }
        isDirty = true
    }

    /// Writes what was changed.
    func flush(_ store: UnsafeRecordStore) throws {
        guard isDirty else { return }
        let lists = store.databases.lists
        for number in goneNumbers { try store.delete(lists, address.recordKey(number)) }
        goneNumbers = []
        isDirty = false
        guard count > 0 else {
            try store.delete(lists, address.recordKey(0))
            return
        }
        if pieces.count == 1 {
            try load(0)
            guard let builder = pieces[0].builder else { throw damaged }
            if let number = pieces[0].number, number != 0 { try store.delete(lists, address.recordKey(number)) }
            try store.put(lists, address.recordKey(0), ListRoot.encoded(inline: builder))
            pieces[0].number = 0
            pieces[0].isDirty = false
            return
        }
        for place in pieces.indices {
            // The root's place is the directory's now.
            let isNew = pieces[place].number == nil || pieces[place].number == 0
            if isNew {
                pieces[place].number = nextNumber
                nextNumber += 1
            }
            guard isNew || pieces[place].isDirty, let builder = pieces[place].builder,
                let number = pieces[place].number
            else { continue }
            try store.put(lists, address.recordKey(number), builder.encoded())
            pieces[place].isDirty = false
        }
        let root = ListRoot(
            pieces: pieces.map { ListRoot.Piece(number: $0.number ?? 0, count: UInt32($0.count)) })
        try store.put(lists, address.recordKey(0), root.encoded())
    }
}
