/// Where the parts of an encrypted file lie. Each page of LMDB has a block of its own, always at the same place. The
/// envelopes of a hundred pages lie in a node, those of a hundred nodes in a node of the next level; each node has two
/// blocks, of which one holds the newest checkpoint's.
enum BlockLayout {
    /// Envelopes in a node.
    static let fanOut = 100
    /// Levels that the file has room for.
    static let levels = 5
    /// Blocks before the first: the headers'.
    private static let headerBlocks = 2

    /// Pages under a node of each level.
    static let spans: [Int] = (1...levels).map { level in (0..<level).reduce(1) { span, _ in span * fanOut } }

    /// The block of a page.
    static func block(ofPage page: Int) -> Int {
        headerBlocks + page + 2 * spans.reduce(0) { $0 + page / $1 + 1 }
    }

    /// One of the two blocks of a node: before those of its first page, the lower levels first.
    static func block(level: Int, node: Int, slot: Int) -> Int {
        let page = node * spans[level]
        let before = page == 0 ? 0 : spans.reduce(0) { $0 + (page - 1) / $1 + 1 }
        return headerBlocks + page + 2 * (before + level) + slot
    }

    /// How many nodes there are on each level over so many pages; the last level has one.
    static func nodeCounts(pages: Int) -> [Int] {
        var counts: [Int] = []
        var count = max(pages, 1)
        repeat {
            count = (count + fanOut - 1) / fanOut
            counts.append(count)
        } while count > 1
        return counts
    }
}
