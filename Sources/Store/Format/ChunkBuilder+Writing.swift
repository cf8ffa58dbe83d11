import Foundation
import Model

extension ChunkBuilder {
    /// What the chunk will look like; decides the widths.
    package var header: ChunkHeader {
        var flags: ChunkHeader.Flags = []
        if nulls.isAnySet { flags.insert(.nulls) }
        if externals.isAnySet { flags.insert(.externals) }
        var width = 0
        switch kind {
        case .int, .link, .bool: width = ChunkBuilder.signedWidth(first)
        case .float: width = 4
        case .double: width = 8
        case .timestamp:
            width = 8
            if !second.contains(where: { $0 != 0 }) { flags.insert(.wholeSeconds) }
        case .objectId: width = 12
        case .uuid, .decimal: width = 16
        case .string, .binary, .mixed: width = bytes.count <= Int(UInt16.max) ? 2 : 4
        case .keys: preconditionFailure("keys are written by KeyChunk")
        }
        return ChunkHeader(
            kind: kind, width: UInt8(width), flags: flags, count: UInt32(count),
            aux: isVariable ? UInt64(bytes.count) : 0)
    }

    /// Writes the chunk that `header` described. `start` must have room for `header.totalSize` bytes.
    package func write(_ header: ChunkHeader, to start: UnsafeMutableRawPointer) {
        header.store(to: start)
        let payload = start + ChunkHeader.size
        switch kind {
        case .int, .link, .bool: ChunkBuilder.store(first, width: Int(header.width), to: payload)
        case .float: ChunkBuilder.store(first, width: 4, to: payload)
        case .double: ChunkBuilder.store(first, width: 8, to: payload)
        case .timestamp:
            ChunkBuilder.store(first, width: 8, to: payload)
            if !header.flags.contains(.wholeSeconds) {
                ChunkBuilder.store(second, width: 4, to: payload + count * 8)
            }
        case .objectId:
            for row in 0..<count {
                ObjectId(high: UInt64(bitPattern: first[row]), low: UInt32(truncatingIfNeeded: second[row]))
                    .store(to: payload + row * 12)
            }
        case .uuid, .decimal:
            for row in 0..<count {
                // A UUID's words are its bytes as they lie in memory; a decimal's are numbers.
                let swap = kind == .decimal
                let words = (first[row], second[row])
                payload.storeBytes(of: swap ? words.0.littleEndian : words.0, toByteOffset: row * 16, as: Int64.self)
                payload.storeBytes(
                    of: swap ? words.1.littleEndian : words.1, toByteOffset: row * 16 + 8, as: Int64.self)
            }
        case .string, .binary, .mixed:
            let width = Int(header.width)
            if width == 2 {
                for row in 0..<count {
                    payload.storeBytes(
                        of: UInt16(ends[row]).littleEndian, toByteOffset: row * 2, as: UInt16.self)
                }
            } else {
                for row in 0..<count {
                    payload.storeBytes(of: ends[row].littleEndian, toByteOffset: row * 4, as: UInt32.self)
                }
            }
            bytes.withUnsafeBytes { data in
                guard let source = data.baseAddress else { return }
                (payload + count * width).copyMemory(from: source, byteCount: data.count)
            }
        case .keys: break
        }
        guard !header.flags.isDisjoint(with: [.nulls, .externals]) else { return }
        let end = ChunkHeader.size + header.payloadSize
        for offset in end..<header.bitmapOffset { start.storeBytes(of: 0, toByteOffset: offset, as: UInt8.self) }
        var bitmap = start + header.bitmapOffset
        if header.flags.contains(.nulls) {
            nulls.store(to: bitmap, count: count)
            bitmap += header.bitmapSize
        }
        if header.flags.contains(.externals) { externals.store(to: bitmap, count: count) }
    }

    /// The chunk as an array.
    package func encoded() -> [UInt8] {
        let header = self.header
        let size = header.totalSize ?? 0
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, initialized in
            if let start = buffer.baseAddress { write(header, to: UnsafeMutableRawPointer(start)) }
            initialized = size
        }
    }

    /// Narrowest width for all numbers; 0 when all are zero.
    static func signedWidth(_ values: ContiguousArray<Int64>) -> Int {
        // A value fits a width if shifting out all but the sign leaves the sign; folding the sign in gives one mask.
        var mask: Int64 = 0
        for value in values { mask |= value ^ (value >> 63) }
        if mask == 0 {
            return values.contains { $0 != 0 } ? 1 : 0
        }
        return mask < 1 << 7 ? 1 : mask < 1 << 15 ? 2 : mask < 1 << 31 ? 4 : 8
    }

    static func store(_ values: ContiguousArray<Int64>, width: Int, to target: UnsafeMutableRawPointer) {
        switch width {
        case 1:
            for row in 0..<values.count {
                target.storeBytes(of: Int8(truncatingIfNeeded: values[row]), toByteOffset: row, as: Int8.self)
            }
        case 2:
            for row in 0..<values.count {
                target.storeBytes(
                    of: Int16(truncatingIfNeeded: values[row]).littleEndian, toByteOffset: row * 2, as: Int16.self)
            }
        case 4:
            for row in 0..<values.count {
                target.storeBytes(
                    of: Int32(truncatingIfNeeded: values[row]).littleEndian, toByteOffset: row * 4, as: Int32.self)
            }
        case 8:
            for row in 0..<values.count {
                target.storeBytes(of: values[row].littleEndian, toByteOffset: row * 8, as: Int64.self)
            }
        default: break
        }
    }
}

extension ChunkBuilder {
    /// Takes the rows of a chunk over for editing.
    package init(_ chunk: UnsafeChunk, rows: Range<Int>) {
        self.init(chunk.kind, capacity: rows.count)
        append(chunk, rows: rows)
    }

    /// Appends rows of a chunk of this kind.
    package mutating func append(_ chunk: UnsafeChunk, rows: Range<Int>) {
        precondition(chunk.kind == kind && rows.upperBound <= chunk.count)
        let begin = count
        switch kind {
        case .int, .link, .bool: for row in rows { first.append(chunk.int(row)) }
        case .float: for row in rows { first.append(Int64(chunk.float(row).bitPattern)) }
        case .double: for row in rows { first.append(Int64(bitPattern: chunk.double(row).bitPattern)) }
        case .timestamp:
            for row in rows {
                let value = chunk.timestamp(row)
                first.append(value.seconds)
                second.append(Int64(value.nanoseconds))
            }
        case .objectId:
            for row in rows {
                let value = chunk.objectId(row)
                first.append(Int64(bitPattern: value.high))
                second.append(Int64(value.low))
            }
        case .uuid:
            for row in rows {
                let words = ChunkBuilder.words(chunk.uuid(row))
                first.append(words.0)
                second.append(words.1)
            }
        case .decimal:
            for row in rows {
                let value = chunk.decimal(row)
                first.append(Int64(bitPattern: value.low))
                second.append(Int64(bitPattern: value.high))
            }
        case .string, .binary, .mixed:
            for row in rows {
                bytes.append(contentsOf: chunk.bytes(row))
                ends.append(UInt32(truncatingIfNeeded: bytes.count))
            }
        case .keys: preconditionFailure("keys are read by KeyChunk")
        }
        if chunk.nulls != nil {
            for row in rows where chunk.isNull(row) { nulls.set(begin + row - rows.lowerBound, true) }
        }
        if chunk.externals != nil {
            for row in rows where chunk.isExternal(row) { externals.set(begin + row - rows.lowerBound, true) }
        }
        count += rows.count
    }

    package func isNull(_ row: Int) -> Bool { nulls[row] }

    package func isExternal(_ row: Int) -> Bool { externals[row] }

    /// The number in a row of an int, link or bool column.
    package func int(_ row: Int) -> Int64 { first[row] }
}
