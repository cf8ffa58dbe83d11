import CSodium

/// The envelopes of a checkpoint's pages and of the nodes that keep them, as they are in an encrypted file.
struct PageTree {
    /// What the file knows of all children of one level: pages, or the nodes of the level below.
    struct Level {
        /// 40 bytes for each child; zeros for one that was never written.
        var envelopes: [UInt8]
        /// For each page whether the checkpoint uses it, for each node which of its blocks counts.
        var bits: [UInt8]

        init(count: Int) {
            envelopes = [UInt8](repeating: 0, count: count * AuthenticatedCipher.envelopeSize)
            bits = [UInt8](repeating: 0, count: count)
        }

        mutating func grow(to count: Int) {
            guard count > bits.count else { return }
            let more = count - bits.count
            envelopes += [UInt8](repeating: 0, count: more * AuthenticatedCipher.envelopeSize)
            bits += [UInt8](repeating: 0, count: more)
        }

        func envelope(_ child: Int) -> ArraySlice<UInt8> {
            let start = child * AuthenticatedCipher.envelopeSize
            return envelopes[start..<(start + AuthenticatedCipher.envelopeSize)]
        }

        func isEmpty(_ child: Int) -> Bool { envelope(child).allSatisfy { $0 == 0 } }

        mutating func setEnvelope(_ child: Int, _ envelope: some Collection<UInt8>) {
            let start = child * AuthenticatedCipher.envelopeSize
            envelopes.replaceSubrange(start..<(start + AuthenticatedCipher.envelopeSize), with: envelope)
        }
    }

    /// Children of the nodes of each level, pages first.
    private(set) var levels: [Level]
    var rootSlot = 0
    var rootEnvelope = [UInt8](repeating: 0, count: AuthenticatedCipher.envelopeSize)

    /// One that knows of no page's content.
    init(pages: Int) {
        levels = [Level(count: pages)] + BlockLayout.nodeCounts(pages: pages).dropLast().map { Level(count: $0) }
    }

    var pageCount: Int { levels[0].bits.count }
    var height: Int { levels.count }
    var usedPages: PageSet { PageSet(levels[0].bits) }

    func nodeCount(_ level: Int) -> Int {
        level + 1 < levels.count ? levels[level + 1].bits.count : 1
    }

    /// Makes room for more pages.
    mutating func grow(toPages pages: Int) {
        guard pages > pageCount else { return }
        levels[0].grow(to: pages)
        let counts = BlockLayout.nodeCounts(pages: pages)
        for (level, count) in counts.dropLast().enumerated() {
            if level + 1 < levels.count {
                levels[level + 1].grow(to: count)
            } else {
                // What was the topmost node is the first of several.
                var added = Level(count: count)
                added.setEnvelope(0, rootEnvelope)
                added.bits[0] = UInt8(rootSlot)
                levels.append(added)
                rootSlot = 0
                rootEnvelope = [UInt8](repeating: 0, count: AuthenticatedCipher.envelopeSize)
            }
        }
    }

    mutating func setPage(_ page: Int, isUsed: Bool) {
        levels[0].bits[page] = isUsed ? 1 : 0
    }

    mutating func setPage(_ page: Int, envelope: some Collection<UInt8>) {
        levels[0].setEnvelope(page, envelope)
    }

    // MARK: Nodes

    func slot(level: Int, node: Int) -> Int {
        level + 1 < levels.count ? Int(levels[level + 1].bits[node]) : rootSlot
    }

    func envelope(level: Int, node: Int) -> ArraySlice<UInt8> {
        level + 1 < levels.count ? levels[level + 1].envelope(node) : rootEnvelope[...]
    }

    mutating func setNode(level: Int, node: Int, slot: Int, envelope: [UInt8]) {
        if level + 1 < levels.count {
            levels[level + 1].setEnvelope(node, envelope)
            levels[level + 1].bits[node] = UInt8(slot)
        } else {
            rootEnvelope = envelope
            rootSlot = slot
        }
    }

    private static let bitBytes = (BlockLayout.fanOut + 7) / 8

    /// What a node's block holds, but for its own envelope: envelopes, bits, zeros.
    func content(level: Int, node: Int, size: Int) -> [UInt8] {
        let children = levels[level]
        let first = node * BlockLayout.fanOut
        let end = min(first + BlockLayout.fanOut, children.bits.count)
        let envelopeSize = AuthenticatedCipher.envelopeSize
        var bytes = Array(children.envelopes[(first * envelopeSize)..<(end * envelopeSize)])
        bytes += [UInt8](repeating: 0, count: size - bytes.count)
        let bits = BlockLayout.fanOut * envelopeSize
        for child in first..<end where children.bits[child] != 0 {
            bytes[bits + (child - first) / 8] |= 1 << UInt8((child - first) % 8)
        }
        return bytes
    }

    mutating func setContent(level: Int, node: Int, _ bytes: [UInt8]) {
        let first = node * BlockLayout.fanOut
        let end = min(first + BlockLayout.fanOut, levels[level].bits.count)
        let envelopeSize = AuthenticatedCipher.envelopeSize
        levels[level].envelopes.replaceSubrange(
            (first * envelopeSize)..<(end * envelopeSize), with: bytes[..<((end - first) * envelopeSize)])
        let bits = BlockLayout.fanOut * envelopeSize
        for child in first..<end {
            levels[level].bits[child] = bytes[bits + (child - first) / 8] >> UInt8((child - first) % 8) & 1
        }
    }
}
