import CLMDB
import CPlatform
import CSodium
import Foundation

extension EncryptedFile {
    /// A checkpoint whose pages are in the file, and which counts once its header is written.
    struct Staged {
        var header: EncryptedHeader
        var tree: PageTree
    }

    /// Pages that are encrypted at a time.
    private static let batchPages = 64

    /// Bytes of a file with so many pages.
    static func length(pages: Int, pageSize: Int) -> Int {
        (BlockLayout.block(ofPage: max(0, pages - 1)) + 1) * pageSize
    }

    /// Writes the pages that the version of `transaction`, named by `meta`, has and the last checkpoint hasn't. Nothing
    /// counts before `write(header:)`; what the last checkpoint uses stays as it is.
    ///
    /// A read transaction of the last checkpoint must have been held since it was taken: LMDB doesn't change pages that a
    /// reader may see, so what both use is the same in both.
    func stage(
        _ environment: Environment, _ transaction: OpaquePointer, meta: [UInt8], version: UInt64, isClean: Bool
    ) throws -> Staged {
        let stamp = try FileStamp.read(environment.descriptor, path: path)
        let used = try PageSet(environment, transaction, meta: meta)
        let last = state.withLock { state in
            defer { state.hasTornBlocks = true }
            return state
        }
        var tree = last.tree
        tree.grow(toPages: used.count)
        try reachLength(pages: used.count, pageSize: last.header.pageSize, cutsRest: last.hasTornBlocks)
        var dirty = Set<Int>()
        for page in 0..<used.count where used[page] != (last.tree.usedPages[page]) || last.hasTornBlocks {
            tree.setPage(page, isUsed: used[page])
            dirty.insert(page / BlockLayout.fanOut)
        }
        let before = last.tree.usedPages
        try writePages((0..<used.count).filter { used[$0] && !before[$0] }, environment, &tree, last.header.pageSize)
        if last.hasTornBlocks {
            try clearPages((0..<used.count).filter { !used[$0] && !before[$0] }, &tree, last.header.pageSize)
        }
        try writeNodes(dirty, &tree, last.header.pageSize)
        var header = last.header
        header.sequence += 1
        header.isClean = isClean
        header.version = version
        header.pageCount = used.count
        header.rootSlot = tree.rootSlot
        header.rootEnvelope = tree.rootEnvelope
        header.stamp = stamp
        header.meta = meta
        return Staged(header: header, tree: tree)
    }

    /// Writes the header that makes a checkpoint count; the file must be synced before and after.
    func write(header: EncryptedHeader) throws {
        try write(header.encoded(key), at: EncryptedHeader.offsets[Int(header.sequence & 1)])
    }

    /// The staged checkpoint is the last one from now on.
    func adopt(_ staged: Staged) {
        state.withLock { $0 = State(header: staged.header, tree: staged.tree) }
    }

    /// Lets the file say that it is being written, so that after a crash torn blocks are taken for what they are.
    func markInUse(sync: () throws -> Void) throws {
        var header = state.withLock { $0.header }
        guard header.isClean else { return }
        header.sequence += 1
        header.isClean = false
        try write(header: header)
        try sync()
        state.withLock { $0.header = header }
    }

    /// `cutsRest`: behind the end may be what a checkpoint that a crash interrupted had made room for, or written. It was
    /// of more pages if its transactions are lost, or took fewer when they were applied anew.
    private func reachLength(pages: Int, pageSize: Int, cutsRest: Bool) throws {
        let needed = EncryptedFile.length(pages: pages, pageSize: pageSize)
        let known = EncryptedFile.length(pages: state.withLock { $0.header.pageCount }, pageSize: pageSize)
        let length = FileSystem.size(descriptor)
        // A new file has no length yet.
        guard length >= known || version == 0 else {
            throw StoreError(
                .corrupt, "the file was truncated while it was open; close it everywhere, and open it again",
                path: path)
        }
        guard length < needed || (cutsRest && length > max(needed, known)) else { return }
        guard ftruncate(descriptor, off_t(max(needed, known))) == 0 else {
            throw StoreError(lmdb: errno, "setting the length of the file", path: path)
        }
    }

    private func writePages(
        _ pages: [Int], _ environment: Environment, _ tree: inout PageTree, _ pageSize: Int
    ) throws {
        let envelopeSize = AuthenticatedCipher.envelopeSize
        let buffer = UnsafeMutableRawPointer.allocate(
            byteCount: EncryptedFile.batchPages * pageSize, alignment: MemoryLayout<UInt64>.alignment)
        defer {
            // What failed in the middle is still to be read in it.
            sodium_memzero(buffer, EncryptedFile.batchPages * pageSize)
            buffer.deallocate()
        }
        var next = 0
        while next < pages.count {
            let first = pages[next]
            var count = 1
            while count < EncryptedFile.batchPages, next + count < pages.count, pages[next + count] == first + count,
                (first + count) % BlockLayout.fanOut != 0
            {
                count += 1
            }
            next += count
            let got = try EncryptedFile.read(
                environment.descriptor, at: first * pageSize, to: buffer, count * pageSize)
            // A page that was taken and given back in one transaction may never have been written.
            if got < count * pageSize { memset(buffer + got, 0, count * pageSize - got) }
            for index in 0..<count {
                var envelope = RealmKey.random(envelopeSize)
                envelope.withUnsafeMutableBytes { envelope in
                    guard let start = envelope.baseAddress else { return }
                    pageCipher.seal(
                        buffer + index * pageSize, pageSize, to: buffer + index * pageSize,
                        at: .init(kind: EncryptedFile.pageKind, first: UInt64(first + index)), envelope: start)
                }
                tree.setPage(first + index, envelope: envelope)
            }
            try write(buffer, count * pageSize, at: BlockLayout.block(ofPage: first) * pageSize)
        }
    }

    /// Forgets what pages that neither checkpoint uses may hold since a crash.
    private func clearPages(_ pages: [Int], _ tree: inout PageTree, _ pageSize: Int) throws {
        let none = [UInt8](repeating: 0, count: AuthenticatedCipher.envelopeSize)
        for page in pages {
            tree.setPage(page, envelope: none)
            try clear(block: BlockLayout.block(ofPage: page), pageSize)
        }
    }

    private func clear(block: Int, _ pageSize: Int) throws {
        if reeve_punch_hole(descriptor, off_t(block * pageSize), off_t(pageSize)) == 0 { return }
        // Some file systems have no holes.
        try write([UInt8](repeating: 0, count: pageSize), at: block * pageSize)
    }

    /// Writes the nodes of the first level that are named, and all above them, to those of their blocks that the last
    /// checkpoint doesn't use.
    private func writeNodes(_ changed: Set<Int>, _ tree: inout PageTree, _ pageSize: Int) throws {
        var changed = changed
        for level in 0..<tree.height {
            for node in 0..<tree.nodeCount(level) where tree.envelope(level: level, node: node).allSatisfy({ $0 == 0 })
            {
                changed.insert(node)
            }
            for node in changed.sorted() {
                let slot = 1 - tree.slot(level: level, node: node)
                let block = seal(tree, level: level, node: node, slot: slot, pageSize)
                try write(block, at: BlockLayout.block(level: level, node: node, slot: slot) * pageSize)
                tree.setNode(
                    level: level, node: node, slot: slot,
                    envelope: Array(block[..<AuthenticatedCipher.envelopeSize]))
            }
            changed = Set(changed.map { $0 / BlockLayout.fanOut })
        }
    }

    /// A node's block: its envelope, and encrypted what it holds.
    private func seal(_ tree: PageTree, level: Int, node: Int, slot: Int, _ pageSize: Int) -> [UInt8] {
        let envelopeSize = AuthenticatedCipher.envelopeSize
        var block = RealmKey.random(envelopeSize)
        block += tree.content(level: level, node: node, size: pageSize - envelopeSize)
        block.withUnsafeMutableBytes { block in
            guard let start = block.baseAddress else { return }
            nodeCipher.seal(
                start + envelopeSize, pageSize - envelopeSize, to: start + envelopeSize,
                at: EncryptedFile.place(level: level, node: node, slot: slot), envelope: start)
        }
        return block
    }

    static func place(level: Int, node: Int, slot: Int) -> AuthenticatedCipher.Place {
        .init(kind: nodeKind, first: UInt64(level), second: UInt64(node), third: UInt64(slot))
    }

    // MARK: New files

    /// Fills an empty file with the newest version of an environment. The descriptor stays the caller's.
    static func create(_ descriptor: Int32, _ path: String, _ key: RealmKey, _ environment: Environment) throws {
        let snapshot = try Snapshot(environment)
        let transaction = snapshot.transaction.pointer
        let meta = try MetaPage.read(environment, transaction: mdb_txn_id(transaction))
        let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard own >= 0 else { throw StoreError(lmdb: errno, "making an encrypted file", path: path) }
        let header = EncryptedHeader(
            pageSize: environment.pageSize, fileId: RealmKey.random(EncryptedHeader.fileIdSize), version: 0,
            pageCount: 1, stamp: try FileStamp.read(environment.descriptor, path: path), meta: meta)
        let file = EncryptedFile(own, path, key, State(header: header, tree: PageTree(pages: 1)))
        var staged = try file.stage(
            environment, transaction, meta: meta, version: snapshot.version, isClean: true)
        try file.write(header: staged.header)
        staged.header.sequence += 1
        try file.write(header: staged.header)
        withExtendedLifetime(snapshot) {}
    }
}
