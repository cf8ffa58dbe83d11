import Foundation
import Model

/// The elements of one list or set, or the values or keys of a dictionary, at one snapshot, read in place. Use it only
/// while the snapshot lives.
package struct ListView: @unchecked Sendable {
    package let count: Int
    /// Which collection it is. That of one inside a Mixed stays the same while the collection does.
    package let address: CollectionAddress
    private let pieces: Pieces
    private unowned let table: Table
    private let column: StoredColumn

    private enum Pieces {
        case none
        case one(UnsafeChunk)
        case many([(firstIndex: Int, chunk: UnsafeChunk)])
    }

    init(_ table: Table, _ column: StoredColumn, _ address: CollectionAddress) {
        self.table = table
        self.column = column
        self.address = address
        let lists = table.transaction.environment.databases.lists
        let kind = address.isKeys ? ChunkKind.string : ChunkKind(column.property.type)
        func chunk(_ bytes: UnsafeRawBufferPointer) -> UnsafeChunk? {
            guard let header = ChunkHeader(checking: bytes), header.kind == kind else { return nil }
            return bytes.baseAddress.map { UnsafeChunk($0) }
        }
        guard let root = table.transaction.get(lists, address.recordKey(0)) else {
            pieces = .none
            count = 0
            return
        }
        if ListRoot.isInline(root) == true {
            if let only = chunk(UnsafeRawBufferPointer(rebasing: root.dropFirst(ListRoot.headerSize))) {
                pieces = .one(only)
                count = only.count
                return
            }
        } else if let directory = ListRoot(root) {
            var found: [(firstIndex: Int, chunk: UnsafeChunk)] = []
            var index = 0
            for piece in directory.pieces {
                guard let record = table.transaction.get(lists, address.recordKey(piece.number)),
                    let part = chunk(record), part.count == piece.count
                else { break }
                found.append((index, part))
                index += part.count
            }
            if found.count == directory.pieces.count {
                pieces = .many(found)
                count = index
                return
            }
        }
        table.snapshot.note(
            fault: "\(table.stored.name).\(column.property.name) of object \(address.object.raw) is unreadable")
        pieces = .none
        count = 0
    }

    /// The chunk that holds an element, and its row in it.
    package func locate(_ index: Int) -> (chunk: UnsafeChunk, row: Int) {
        precondition(index >= 0 && index < count, "index \(index) out of range: the list has \(count) elements")
        switch pieces {
        case .one(let chunk): return (chunk, index)
        case .many(let pieces):
            var low = 0
            var high = pieces.count
            while high - low > 1 {
                let middle = (low + high) / 2
                if pieces[middle].firstIndex <= index { low = middle } else { high = middle }
            }
            return (pieces[low].chunk, index - pieces[low].firstIndex)
        case .none: preconditionFailure("an empty list has no elements")
        }
    }

    /// Calls `body` with each piece of the list in order.
    package func eachChunk(_ body: (UnsafeChunk) throws -> Void) rethrows {
        switch pieces {
        case .none: break
        case .one(let chunk): try body(chunk)
        case .many(let pieces): for piece in pieces { try body(piece.chunk) }
        }
    }

    /// The element at `index`; null for collections inside a Mixed.
    package func value(at index: Int) -> Value {
        let (chunk, row) = locate(index)
        if chunk.kind == .mixed { return table.snapshot.value(scalar(at: index)) }
        guard chunk.kind == .link else { return chunk.value(row) }
        return table.link(chunk.link(row), column).map { .link($0) } ?? .null
    }

    /// Whether it is a set's property.
    var isSet: Bool { column.property.collection == .set && address.nested == nil }

    /// An element of any type; a link to an object that doesn't exist is null.
    func anyScalar(at index: Int) -> UnsafeScalar {
        let (chunk, row) = locate(index)
        guard chunk.kind == .link else { return visible(chunk.storedScalar(row)) }
        guard let key = linkKey(at: index), let target = table.targetTable(column) else { return .null }
        return .link(target.stored.id, key)
    }

    func node(of scalar: UnsafeScalar) -> MixedNode { MixedNode(scalar, table, column, address) }

    /// Whether the elements are mixed values.
    package var isMixed: Bool { column.property.type == .mixed && !address.isKeys }

    /// What the Mixed at `index` holds.
    package func mixed(at index: Int) -> MixedContent {
        table.content(scalar(at: index), address, column)
    }

    /// A value as it is seen.
    func visible(_ scalar: UnsafeScalar) -> UnsafeScalar { table.snapshot.visible(scalar) }

    /// The target of the link at `index`; nil for one whose object doesn't exist.
    package func linkKey(at index: Int) -> ObjectKey? {
        let (chunk, row) = locate(index)
        return chunk.link(row).flatMap { table.resolved($0, column) }
    }

    /// All targets in order, those whose object doesn't exist left out.
    package var linkKeys: [ObjectKey] {
        var keys: [ObjectKey] = []
        keys.reserveCapacity(count)
        eachChunk { chunk in
            for row in 0..<chunk.count {
                if let key = chunk.link(row), let target = table.resolved(key, column) { keys.append(target) }
            }
        }
        return keys
    }

    /// All elements in order.
    package var values: [Value] {
        (0..<count).map { value(at: $0) }
    }
}
