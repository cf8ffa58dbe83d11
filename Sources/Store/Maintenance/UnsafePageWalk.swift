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
    private static let nodeHeaderSize = 8
    private static let databaseSize = 48
    /// Flag of a database whose keys are numbers: the list of free pages.
    private static let numberKeys: UInt16 = 8
    /// Set in the first database's flags by the way that the file was opened.
    private static let noSubdirectory: UInt16 = 0x4000
    private static let deepest = 32
    private static let findingLimit = 100
    private static let noPage = UInt64.max

    private let start: UnsafeRawPointer
    private let length: Int
    private let pageSize: Int
    /// Pages that the state knows of; the file may end before those that were never written.
    private let pageCount: Int
    /// By page, as far as the file goes.
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
        pageCount = Int(min(last &+ 1, UInt64(FileFormat.largestFile / max(pageSize, 512))))
        isUsed = Array(repeating: false, count: min(pageCount, length / max(pageSize, 512)))
    }

    /// The findings about the state that `meta` names, at most a hundred.
    mutating func walk(_ meta: [UInt8]) {
        guard pageSize >= 512, pageSize <= 65_536, length >= 2 * pageSize, isUsed.count >= 2 else {
            return note("the file has no two pages of \(pageSize) bytes")
        }
        usedPages = 2
        isUsed[0] = true
        isUsed[1] = true
        meta.withUnsafeBytes { meta in
            let free = UnsafeRawBufferPointer(rebasing: meta[40..<(40 + UnsafePageWalk.databaseSize)])
            let main = UnsafeRawBufferPointer(rebasing: meta[88..<(88 + UnsafePageWalk.databaseSize)])
            database(main, .main)
            database(free, .free)
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

    /// Walks over the tree that a database's record names.
    private mutating func database(_ record: UnsafeRawBufferPointer, _ content: Content) {
        var flags = record.loadUnaligned(fromByteOffset: 4, as: UInt16.self)
        if content == .free { flags = flags & ~UnsafePageWalk.noSubdirectory ^ UnsafePageWalk.numberKeys }
        guard flags == 0 else { return note("a database has flags that no realm's has") }
        let depth = Int(record.loadUnaligned(fromByteOffset: 6, as: UInt16.self))
        let root = record.loadUnaligned(fromByteOffset: 40, as: UInt64.self)
        guard root != UnsafePageWalk.noPage else { return }
        guard depth > 0, depth <= UnsafePageWalk.deepest else { return note("a tree of \(depth) levels") }
        tree(root, levels: depth, content)
    }

    /// Takes a page into use; nil if it can't be.
    private mutating func page(_ number: UInt64, count: Int = 1) -> UnsafeRawBufferPointer? {
        guard number < UInt64(pageCount), count <= pageCount - Int(number) else {
            note("page \(number) doesn't exist")
            return nil
        }
        guard count <= isUsed.count - Int(number) else {
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
        return UnsafeRawBufferPointer(start: start + Int(number) * pageSize, count: count * pageSize)
    }

    /// One page of a tree and all below it. LMDB's leaves are all at one depth.
    private mutating func tree(_ number: UInt64, levels: Int, _ content: Content) {
        guard let page = page(number) else { return }
        guard page.loadUnaligned(as: UInt64.self) == number else { return note("page \(number) has another's number") }
        // Other flags are for pages in memory, and for databases of a kind that no realm has.
        guard
            page.loadUnaligned(fromByteOffset: 10, as: UInt16.self) == (levels > 1 ? PageFlag.branch : PageFlag.leaf)
        else { return note("page \(number) isn't a \(levels > 1 ? "branch" : "leaf")") }
        let lower = Int(page.loadUnaligned(fromByteOffset: 12, as: UInt16.self))
        let upper = Int(page.loadUnaligned(fromByteOffset: 14, as: UInt16.self))
        guard lower > UnsafePageWalk.headerSize, lower & 1 == 0, lower <= upper, upper <= pageSize else {
            return note("page \(number) has an impossible header")
        }
        guard let count = nodes(of: page, number, lower: lower, upper: upper, isBranch: levels > 1) else { return }
        guard levels == 1 || count > 1 || content == .free else { return note("page \(number) leads to one page only") }
        checkOrder(of: page, number, count, isBranch: levels > 1, content)
        for index in 0..<count {
            let place = node(index, of: page)
            let low = UInt64(page.loadUnaligned(fromByteOffset: place, as: UInt16.self))
            let high = UInt64(page.loadUnaligned(fromByteOffset: place + 2, as: UInt16.self))
            let flags = page.loadUnaligned(fromByteOffset: place + 4, as: UInt16.self)
            if levels > 1 {
                tree(low | high << 16 | UInt64(flags) << 32, levels: levels - 1, content)
            } else {
                record(page, place, flags, size: Int(low | high << 16), number, content)
            }
        }
    }

    private func node(_ index: Int, of page: UnsafeRawBufferPointer) -> Int {
        Int(page.loadUnaligned(fromByteOffset: UnsafePageWalk.headerSize + index * 2, as: UInt16.self))
    }

    private func key(_ place: Int, of page: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let size = Int(page.loadUnaligned(fromByteOffset: place + 6, as: UInt16.self))
        let from = place + UnsafePageWalk.nodeHeaderSize
        return UnsafeRawBufferPointer(rebasing: page[from..<(from + size)])
    }

    /// Spreads a place in a page over 64 bits.
    @inline(__always)
    private static func spread(_ place: Int) -> UInt64 {
        var value = UInt64(truncatingIfNeeded: place) &* 0x9E37_79B9_7F4A_7C15
        value = (value ^ value >> 32) &* 0xBF58_476D_1CE4_E5B9
        return value ^ value >> 29
    }

    /// Checks that the nodes fill the page from `upper` on without gaps, as LMDB leaves and expects them.
    ///
    /// They do if the places where one begins, and the page's end, are those where one ends, and `upper`: then they can
    /// only make one chain. Both are compared by sums, since nodes lie in no order.
    /// - Returns: how many there are; nil if they don't.
    private mutating func nodes(
        of page: UnsafeRawBufferPointer, _ number: UInt64, lower: Int, upper: Int, isBranch: Bool
    ) -> Int? {
        let count = (lower - UnsafePageWalk.headerSize) / 2
        var begins = UnsafePageWalk.spread(pageSize)
        var ends = UnsafePageWalk.spread(upper)
        for index in 0..<count {
            let place = node(index, of: page)
            guard place >= upper, place + UnsafePageWalk.nodeHeaderSize <= pageSize else {
                note("page \(number) has a node outside of it")
                return nil
            }
            var size = UnsafePageWalk.nodeHeaderSize
            size += Int(page.loadUnaligned(fromByteOffset: place + 6, as: UInt16.self))
            if !isBranch {
                let isBig = page.loadUnaligned(fromByteOffset: place + 4, as: UInt16.self) & NodeFlag.big != 0
                size += isBig ? 8 : Int(page.loadUnaligned(fromByteOffset: place, as: UInt32.self))
            }
            // Padded to an even size.
            size += size & 1
            guard size <= pageSize - place else {
                note("page \(number) has a node outside of it")
                return nil
            }
            begins &+= UnsafePageWalk.spread(place)
            ends &+= UnsafePageWalk.spread(place + size)
        }
        guard begins == ends else {
            note("page \(number) has nodes that overlap or leave gaps")
            return nil
        }
        return count
    }

    private mutating func checkOrder(
        of page: UnsafeRawBufferPointer, _ number: UInt64, _ count: Int, isBranch: Bool, _ content: Content
    ) {
        var previous: UnsafeRawBufferPointer?
        // The first key of a branch means "everything before the second" and may be empty.
        for index in (isBranch ? 1 : 0)..<count {
            let key = key(node(index, of: page), of: page)
            guard content != .free || key.count == 8 else {
                return note("page \(number) has a key of \(key.count) bytes")
            }
            if let previous {
                let isAscending =
                    content == .free
                    ? previous.loadUnaligned(as: UInt64.self) < key.loadUnaligned(as: UInt64.self)
                    : PendingKeys.isLess(previous, key)
                if !isAscending { note("page \(number) has keys out of order") }
            }
            previous = key
        }
    }

    private mutating func record(
        _ page: UnsafeRawBufferPointer, _ place: Int, _ flags: UInt16, size: Int, _ number: UInt64, _ content: Content
    ) {
        guard flags == (content == .main ? NodeFlag.subDatabase : flags & NodeFlag.big) else {
            return note("page \(number) has a record with flags that no realm's has")
        }
        let data = place + UnsafePageWalk.nodeHeaderSize + key(place, of: page).count
        if flags & NodeFlag.big != 0 {
            return overflow(page.loadUnaligned(fromByteOffset: data, as: UInt64.self), size: size, content)
        }
        let value = UnsafeRawBufferPointer(rebasing: page[data..<(data + size)])
        switch content {
        case .main:
            guard size == UnsafePageWalk.databaseSize else {
                return note("page \(number) names something that isn't a database")
            }
            database(value, .records)
        case .free: markFree(value)
        case .records: break
        }
    }

    private mutating func overflow(_ number: UInt64, size: Int, _ content: Content) {
        let needed = (UnsafePageWalk.headerSize + size + pageSize - 1) / pageSize
        guard let page = page(number, count: needed) else { return }
        let count = Int(page.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
        guard page.loadUnaligned(as: UInt64.self) == number,
            page.loadUnaligned(fromByteOffset: 10, as: UInt16.self) == PageFlag.overflow, count >= needed,
            count <= pageCount - Int(number)
        else { return note("page \(number) isn't the beginning of a value of \(size) bytes") }
        if content == .free {
            markFree(
                UnsafeRawBufferPointer(
                    rebasing: page[UnsafePageWalk.headerSize..<(UnsafePageWalk.headerSize + size)]))
        }
        // Room to spare counts as used; it may never have been written.
        for spare in (Int(number) + needed)..<(Int(number) + count) where spare < isUsed.count {
            guard !isUsed[spare] else { return note("page \(spare) is used twice") }
            isUsed[spare] = true
            usedPages += 1
        }
    }

    private mutating func markFree(_ list: UnsafeRawBufferPointer) {
        guard list.count >= 8 else { return note("a list of free pages can't be read") }
        let count = Int(truncatingIfNeeded: list.loadUnaligned(as: UInt64.self))
        guard count >= 0, count <= list.count / 8 - 1 else { return note("a list of free pages is too short") }
        var previous = UInt64.max
        for index in 0..<count {
            let number = list.loadUnaligned(fromByteOffset: 8 + index * 8, as: UInt64.self)
            guard number >= 2, number < UInt64(pageCount) else {
                note("page \(number), listed as free, doesn't exist")
                continue
            }
            if number >= previous { note("page \(number) is out of order in a list of free pages") }
            previous = number
            // A page beyond the file's end was never written.
            if number < UInt64(isUsed.count) {
                if isUsed[Int(number)] {
                    note("page \(number) is listed as free but used")
                    continue
                }
                isUsed[Int(number)] = true
            }
            freePages += 1
        }
    }
}
