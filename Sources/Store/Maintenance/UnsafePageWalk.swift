import Foundation

/// Walks over the pages of an LMDB file (format 1) and checks what LMDB takes for granted and would abort on.
///
/// Unsafe: it reads a mapping of the file, whose pages of the walked state nobody may overwrite meanwhile.
struct UnsafePageWalk {
    private enum PageFlag {
        static let branch: UInt16 = 1
        static let leaf: UInt16 = 2
        static let overflow: UInt16 = 4
    }

    private enum NodeFlag {
        static let big: UInt16 = 1
        static let subDatabase: UInt16 = 2
    }

    private static let headerSize = 16
    private static let deepest = 32
    private static let findingLimit = 100
    private static let noPage = UInt64.max

    private let start: UnsafeRawPointer
    private let length: Int
    private let pageSize: Int
    private let pageCount: Int
    private var isUsed: [Bool]
    private(set) var findings: [String] = []
    private(set) var usedPages = 0
    private(set) var freePages = 0

    /// `meta`: the meta page of the state to walk.
    init(_ mapping: UnsafeRawBufferPointer, meta: [UInt8], start: UnsafeRawPointer) {
        self.start = start
        length = mapping.count
        pageSize = meta.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: 40, as: UInt32.self)) }
        let last = meta.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 136, as: UInt64.self) }
        // A page beyond the file's end can only be a free one that was never written.
        pageCount = Int(min(last &+ 1, UInt64(FileFormat.mapSize / max(pageSize, 512))))
        isUsed = Array(repeating: false, count: pageCount)
    }

    /// The findings about the state that `meta` names, at most a hundred.
    mutating func walk(_ meta: [UInt8]) {
        guard pageSize >= 512, pageSize <= 65_536, length >= 2 * pageSize else {
            return note("the file has no two pages of \(pageSize) bytes")
        }
        usedPages = 2
        for page in 0..<min(2, pageCount) { isUsed[page] = true }
        meta.withUnsafeBytes { meta in
            let free = meta.loadUnaligned(fromByteOffset: 40 + 40, as: UInt64.self)
            let main = meta.loadUnaligned(fromByteOffset: 88 + 40, as: UInt64.self)
            if main != UnsafePageWalk.noPage { tree(main, depth: 0, isOrdered: true, .main) }
            if free != UnsafePageWalk.noPage { tree(free, depth: 0, isOrdered: false, .free) }
        }
    }

    private enum Content {
        /// Names of databases and their roots.
        case main
        /// Numbers of free pages.
        case free
        case records
    }

    private mutating func note(_ finding: String) {
        if findings.count < UnsafePageWalk.findingLimit { findings.append(finding) }
    }

    /// Takes a page into use; nil if it can't be.
    private mutating func page(_ number: UInt64, count: Int = 1) -> UnsafeRawBufferPointer? {
        guard number < UInt64(pageCount), count <= pageCount - Int(number) else {
            note("page \(number) doesn't exist")
            return nil
        }
        let offset = Int(number) * pageSize
        guard offset + count * pageSize <= length else {
            note("page \(number) lies beyond the end of the file")
            return nil
        }
        for page in Int(number)..<(Int(number) + count) {
            guard !isUsed[page] else {
                note("page \(page) is used twice")
                return nil
            }
            isUsed[page] = true
        }
        usedPages += count
        return UnsafeRawBufferPointer(start: start + offset, count: count * pageSize)
    }

    private mutating func tree(_ number: UInt64, depth: Int, isOrdered: Bool, _ content: Content) {
        guard depth < UnsafePageWalk.deepest else { return note("the tree at page \(number) is too deep") }
        guard let page = page(number) else { return }
        guard page.loadUnaligned(as: UInt64.self) == number else { return note("page \(number) has another's number") }
        let flags = page.loadUnaligned(fromByteOffset: 10, as: UInt16.self) & 0x0F
        let lower = Int(page.loadUnaligned(fromByteOffset: 12, as: UInt16.self))
        let upper = Int(page.loadUnaligned(fromByteOffset: 14, as: UInt16.self))
        guard flags == PageFlag.branch || flags == PageFlag.leaf else {
            return note("page \(number) is neither branch nor leaf")
        }
        guard lower >= UnsafePageWalk.headerSize, lower & 1 == 0, lower <= upper, upper <= pageSize else {
            return note("page \(number) has an impossible header")
        }
        var previous: UnsafeRawBufferPointer?
        for index in 0..<((lower - UnsafePageWalk.headerSize) / 2) {
            let place = Int(
                page.loadUnaligned(fromByteOffset: UnsafePageWalk.headerSize + index * 2, as: UInt16.self))
            guard place >= upper, place + 8 <= pageSize else { return note("page \(number) has a node outside of it") }
            let low = UInt64(page.loadUnaligned(fromByteOffset: place, as: UInt16.self))
            let high = UInt64(page.loadUnaligned(fromByteOffset: place + 2, as: UInt16.self))
            let nodeFlags = page.loadUnaligned(fromByteOffset: place + 4, as: UInt16.self)
            let keySize = Int(page.loadUnaligned(fromByteOffset: place + 6, as: UInt16.self))
            guard place + 8 + keySize <= pageSize else { return note("page \(number) has a key outside of it") }
            let key = UnsafeRawBufferPointer(rebasing: page[(place + 8)..<(place + 8 + keySize)])
            // The first key of a branch means "everything before the second" and may be empty.
            if isOrdered, !(flags == PageFlag.branch && index == 0) {
                if let previous, !PendingKeys.isLess(previous, key) { note("page \(number) has keys out of order") }
                previous = key
            }
            if flags == PageFlag.branch {
                let child = low | high << 16 | UInt64(nodeFlags) << 32
                tree(child, depth: depth + 1, isOrdered: isOrdered, content)
                continue
            }
            let size = Int(low | high << 16)
            let data = place + 8 + keySize
            if nodeFlags & NodeFlag.big != 0 {
                guard data + 8 <= pageSize else { return note("page \(number) has a value outside of it") }
                overflow(page.loadUnaligned(fromByteOffset: data, as: UInt64.self), size: size, content)
                continue
            }
            guard data + size <= pageSize else { return note("page \(number) has a value outside of it") }
            let value = UnsafeRawBufferPointer(rebasing: page[data..<(data + size)])
            switch content {
            case .main:
                guard nodeFlags & NodeFlag.subDatabase != 0, size == 48 else {
                    note("page \(number) names something that isn't a database")
                    continue
                }
                let root = value.loadUnaligned(fromByteOffset: 40, as: UInt64.self)
                if root != UnsafePageWalk.noPage { tree(root, depth: depth + 1, isOrdered: true, .records) }
            case .free: markFree(value)
            case .records: break
            }
        }
    }

    private mutating func overflow(_ number: UInt64, size: Int, _ content: Content) {
        let needed = (UnsafePageWalk.headerSize + size + pageSize - 1) / pageSize
        guard let page = page(number, count: needed) else { return }
        let flags = page.loadUnaligned(fromByteOffset: 10, as: UInt16.self) & 0x0F
        let count = Int(page.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
        guard flags == PageFlag.overflow, count >= needed else {
            return note("page \(number) isn't the beginning of a value of \(size) bytes")
        }
        if content == .free {
            markFree(
                UnsafeRawBufferPointer(
                    rebasing: page[UnsafePageWalk.headerSize..<(UnsafePageWalk.headerSize + size)]))
        }
        // Room to spare counts as used.
        for spare in (Int(number) + needed)..<max(Int(number) + needed, Int(number) + count)
        where spare < pageCount && !isUsed[spare] {
            isUsed[spare] = true
            usedPages += 1
        }
    }

    private mutating func markFree(_ list: UnsafeRawBufferPointer) {
        guard list.count >= 8 else { return note("a list of free pages can't be read") }
        let count = Int(truncatingIfNeeded: list.loadUnaligned(as: UInt64.self))
        guard count >= 0, count <= list.count / 8 - 1 else { return note("a list of free pages is too short") }
        for index in 0..<count {
            let number = list.loadUnaligned(fromByteOffset: 8 + index * 8, as: UInt64.self)
            guard number >= 2, number < UInt64(pageCount) else {
                note("page \(number), listed as free, doesn't exist")
                continue
            }
            if isUsed[Int(number)] {
                note("page \(number) is listed as free but used")
            } else {
                isUsed[Int(number)] = true
                freePages += 1
            }
        }
    }
}
