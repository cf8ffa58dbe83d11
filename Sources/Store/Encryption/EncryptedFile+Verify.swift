import Foundation

extension EncryptedFile {
    /// Findings that are listed.
    private static let findingLimit = 200

    /// Everything in the file that isn't what was written there. No checkpoint may be taken meanwhile.
    ///
    /// Blocks that the last checkpoint doesn't use are looked at as well, unless a crash may have torn them.
    func findings() throws -> [String] {
        let state = self.state.withLock { $0 }
        let pageSize = state.header.pageSize
        var findings: [String] = []
        func note(_ isIntact: Bool, _ part: @autoclosure () -> String) {
            if !isIntact, findings.count < EncryptedFile.findingLimit {
                findings.append("\(part()) of the encrypted file isn't what was written")
            }
        }
        do {
            let header = try EncryptedFile.newestHeader(descriptor, path, key)
            note(header.sequence == state.header.sequence, "the newest header")
        } catch {
            note(false, "a header")
        }
        let length = EncryptedFile.length(pages: state.tree.pageCount, pageSize: pageSize)
        guard FileSystem.size(descriptor) >= length else { return findings + ["the encrypted file is truncated"] }
        note(FileSystem.size(descriptor) == length || state.hasTornBlocks, "the end")
        let size = EncryptedHeader.size
        for (start, end) in zip(EncryptedHeader.offsets, [EncryptedHeader.offsets[1], 2 * pageSize]) {
            note(try isZero(at: start + size, end - start - size), "the room after a header")
        }
        for level in 0..<BlockLayout.levels {
            for node in 0..<(level < state.tree.height ? state.tree.nodeCount(level) : 1) {
                for slot in 0..<2 {
                    note(
                        try isIntact(level: level, node: node, slot: slot, state),
                        "node \(node) of level \(level)")
                }
            }
        }
        for page in 0..<state.tree.pageCount { note(try isIntact(page, state), "page \(page)") }
        return findings
    }

    private func isIntact(level: Int, node: Int, slot: Int, _ state: State) throws -> Bool {
        let pageSize = state.header.pageSize
        let opened = try open(level: level, node: node, slot: slot, pageSize)
        if level < state.tree.height, state.tree.slot(level: level, node: node) == slot {
            return opened?.envelope.elementsEqual(state.tree.envelope(level: level, node: node)) ?? false
        }
        if opened != nil || state.hasTornBlocks { return true }
        return try isZero(at: BlockLayout.block(level: level, node: node, slot: slot) * pageSize, pageSize)
    }

    private func isIntact(_ page: Int, _ state: State) throws -> Bool {
        let pageSize = state.header.pageSize
        let isUsed = state.tree.usedPages[page]
        if !isUsed, state.hasTornBlocks { return true }
        let offset = BlockLayout.block(ofPage: page) * pageSize
        if !isUsed, state.tree.levels[0].isEmpty(page) { return try isZero(at: offset, pageSize) }
        return try withUnsafeTemporaryAllocation(byteCount: pageSize, alignment: 8) { buffer in
            guard let start = buffer.baseAddress else { return false }
            try read(at: offset, to: start, pageSize)
            defer { memset(start, 0, pageSize) }
            return open(page, state.tree, pageSize, in: start)
        }
    }
}
