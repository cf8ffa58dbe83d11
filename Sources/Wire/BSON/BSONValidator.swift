import CBSON
import Foundation

/// Checks bytes before anything reads them. What it passes, libbson reads without a failing check of its own.
enum BSONValidator {
    /// Throws unless `bytes` is exactly one document whose every length, string, type and depth is right.
    static func validate(_ bytes: UnsafeRawBufferPointer, depthLimit: Int) throws(BSONError) {
        var scan = Scan(bytes: bytes, depthLimit: depthLimit)
        try scan.run()
    }

    private struct Scan {
        let bytes: UnsafeRawBufferPointer
        let depthLimit: Int
        var at = 0
        /// Ends (past the final 0) of the documents that surround the current one.
        var parents: [Int] = []

        mutating func run() throws(BSONError) {
            let length = try documentLength(limit: bytes.count)
            guard length == bytes.count else { throw BSONError(.badLength, at: 0) }
            guard depthLimit >= 1 else { throw BSONError(.tooDeep(limit: depthLimit), at: 0) }
            var end = length
            at = 4
            while true {
                // The last byte of a document is its end mark; elements lie before it.
                let type = bytes[at]
                at += 1
                if type == 0 {
                    guard at == end else { throw BSONError(.badLength, at: at - 1) }
                    guard let parent = parents.popLast() else { return }
                    end = parent
                    continue
                }
                guard at < end else { throw BSONError(.truncated, at: at - 1) }
                try key(end: end)
                switch type {
                case BSONType.document.rawValue, BSONType.array.rawValue:
                    let length = try documentLength(limit: end - 1 - at)
                    guard parents.count + 2 <= depthLimit else { throw BSONError(.tooDeep(limit: depthLimit), at: at) }
                    parents.append(end)
                    end = at + length
                    at += 4
                default:
                    try value(type, end: end)
                }
            }
        }

        /// Length of the document that starts here; it has its end mark and at most `limit` bytes.
        func documentLength(limit: Int) throws(BSONError) -> Int {
            guard limit >= 5 else { throw BSONError(.truncated, at: at) }
            let length = Int(int32(at))
            guard length >= 5 else { throw BSONError(.badLength, at: at) }
            guard length <= limit else { throw BSONError(.truncated, at: at) }
            guard bytes[at + length - 1] == 0 else { throw BSONError(.badLength, at: at + length - 1) }
            return length
        }

        mutating func key(end: Int) throws(BSONError) {
            let room = end - 1 - at
            guard room > 0, let start = bytes.baseAddress, let found = memchr(start + at, 0, room) else {
                throw BSONError(.truncated, at: at)
            }
            let length = start.distance(to: UnsafeRawPointer(found)) - at
            try checkUTF8(at, length)
            at += length + 1
        }

        mutating func value(_ type: UInt8, end: Int) throws(BSONError) {
            let room = end - 1 - at
            let size: Int
            switch BSONType(rawValue: type) {
            case .double, .date, .int64: size = 8
            case .int32: size = 4
            case .decimal128: size = 16
            case .objectId: size = 12
            case .null: size = 0
            case .bool:
                size = 1
                guard room >= 1 else { throw BSONError(.truncated, at: at) }
                guard bytes[at] <= 1 else { throw BSONError(.badValue, at: at) }
            case .string:
                let length = try lengthPrefix(minimum: 1, room: room)
                guard room - 4 >= length else { throw BSONError(.truncated, at: at) }
                guard bytes[at + 4 + length - 1] == 0 else { throw BSONError(.badValue, at: at + 4 + length - 1) }
                try checkUTF8(at + 4, length - 1)
                size = 4 + length
            case .binary:
                let length = try lengthPrefix(minimum: 0, room: room)
                guard room - 5 >= length else { throw BSONError(.truncated, at: at) }
                let subtype = bytes[at + 4]
                // Subtype 2 has a second length inside, which libbson would look at.
                guard subtype != 2, subtype != 4 || length == 16 else { throw BSONError(.badValue, at: at + 4) }
                size = 5 + length
            case .document, .array, nil:
                throw BSONError(.unsupportedType(type), at: at)
            }
            guard room >= size else { throw BSONError(.truncated, at: at) }
            at += size
        }

        func lengthPrefix(minimum: Int, room: Int) throws(BSONError) -> Int {
            guard room >= 5 else { throw BSONError(.truncated, at: at) }
            let length = Int(int32(at))
            guard length >= minimum else { throw BSONError(.badLength, at: at) }
            return length
        }

        func int32(_ offset: Int) -> Int32 {
            Int32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self))
        }

        func checkUTF8(_ offset: Int, _ length: Int) throws(BSONError) {
            guard length > 0 else { return }
            let part = UnsafeBufferPointer(rebasing: bytes.bindMemory(to: UInt8.self)[offset..<offset + length])
            do throws(UTF8.ValidationError) {
                _ = try UTF8Span(validating: part.span)
            } catch {
                throw BSONError(.invalidUTF8, at: offset)
            }
        }
    }
}
