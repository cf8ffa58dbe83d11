import Model

extension ChunkKind {
    /// The kind of chunk that holds values of a type.
    package init(_ type: ValueType) {
        switch type {
        case .mixed: self = .mixed
        case .int: self = .int
        case .bool: self = .bool
        case .string: self = .string
        case .binary: self = .binary
        case .timestamp: self = .timestamp
        case .float: self = .float
        case .double: self = .double
        case .decimal: self = .decimal
        case .link: self = .link
        case .objectId: self = .objectId
        case .uuid: self = .uuid
        }
    }
}

/// What a cluster shows for a column that it has no record of: the column was added after the cluster was written, or
/// holds nothing but defaults.
///
/// One chunk per kind and nullability, for the life of the process; longer than any cluster.
package enum DefaultChunk {
    /// Rows of a default chunk. No cluster has more.
    package static let capacity = 1_024

    private struct Chunks: @unchecked Sendable {
        var zero: [ChunkKind: UnsafeRawPointer] = [:]
        var null: [ChunkKind: UnsafeRawPointer] = [:]
    }

    private static let chunks: Chunks = {
        var chunks = Chunks()
        for kind in ChunkKind.allCases where kind != .keys {
            chunks.zero[kind] = make(kind, null: false)
            chunks.null[kind] = make(kind, null: true)
        }
        return chunks
    }()

    private static func make(_ kind: ChunkKind, null: Bool) -> UnsafeRawPointer {
        var builder = ChunkBuilder(kind, capacity: capacity)
        for _ in 0..<capacity {
            // A link's null is its zero.
            if null && kind != .link { builder.appendNull() } else { builder.appendDefault() }
        }
        let bytes = builder.encoded()
        let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes.count, alignment: 16)
        memory.copyMemory(from: bytes, byteCount: bytes.count)
        return UnsafeRawPointer(memory)
    }

    package static func chunk(_ kind: ChunkKind, nullable: Bool) -> UnsafeRawPointer {
        guard let chunk = nullable ? chunks.null[kind] : chunks.zero[kind] else {
            preconditionFailure("no default for a chunk of \(kind)")
        }
        return chunk
    }
}

extension DefaultChunk {
    private struct Pointer: @unchecked Sendable {
        let start: UnsafeRawPointer
    }

    /// Keys of a cluster that can't be read: none.
    static var noKeys: UnsafeRawPointer { emptyKeys.start }

    private static let emptyKeys: Pointer = {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: ChunkHeader.size, alignment: 16)
        ChunkHeader(kind: .keys, width: 0, flags: .dense, count: 0).store(to: memory)
        return Pointer(start: UnsafeRawPointer(memory))
    }()
}
