import CSodium
import Foundation

extension EncryptedFile {
    /// Whether an open file is an encrypted realm, by its first bytes.
    static func isEncrypted(_ descriptor: Int32) throws -> Bool {
        try clearHeaders(descriptor).contains { EncryptedHeader.Clear($0) != nil }
    }

    private static func clearHeaders(_ descriptor: Int32) throws -> [[UInt8]] {
        try EncryptedHeader.offsets.map { offset in
            var bytes = [UInt8](repeating: 0, count: EncryptedHeader.size)
            let got = try bytes.withUnsafeMutableBytes { bytes in
                try bytes.baseAddress.map { try read(descriptor, at: offset, to: $0, bytes.count) } ?? 0
            }
            return got == bytes.count ? bytes : []
        }
    }

    /// Opens the file behind a descriptor, which it takes over, and decrypts its last checkpoint into memory.
    static func open(
        _ descriptor: Int32, _ path: String, _ key: RealmKey
    ) throws -> (file: EncryptedFile, memory: MemoryFile) {
        let header: EncryptedHeader
        do {
            header = try newestHeader(descriptor, path, key)
        } catch {
            close(descriptor)
            throw error
        }
        let tree = PageTree(pages: header.pageCount)
        let file = EncryptedFile(
            descriptor, path, key, State(header: header, tree: tree, hasTornBlocks: !header.isClean))
        try file.readTree()
        return (file, try file.decrypted())
    }

    /// Throws for a file that isn't encrypted, a wrong key, and unless both headers are what was written.
    static func newestHeader(_ descriptor: Int32, _ path: String, _ key: RealmKey) throws -> EncryptedHeader {
        let bytes = try clearHeaders(descriptor)
        let clear = bytes.map { EncryptedHeader.Clear($0) }
        guard clear.contains(where: { $0 != nil }) else {
            // Says what is wrong with a file that isn't a realm at all.
            _ = try FileStamp.read(descriptor, path: path)
            throw StoreError.keySuperfluous(path)
        }
        if let newer = clear.compactMap({ $0?.format }).max(), newer > EncryptedHeader.format,
            clear.allSatisfy({ $0?.format == newer })
        {
            throw StoreError(
                .newerFormat,
                "the encrypted file has format \(newer); this version reads formats up to \(EncryptedHeader.format)",
                path: path)
        }
        let isKey = clear.contains { clear in
            clear.map { key.check(fileId: $0.fileId) == $0.check } ?? false
        }
        guard isKey else { throw StoreError.keyWrong(path) }
        let headers = bytes.enumerated().compactMap { EncryptedHeader($1, slot: $0, key) }
        guard headers.count == 2, headers[0].fileId == headers[1].fileId, headers[0].pageSize == headers[1].pageSize,
            let newest = headers.max(by: { $0.sequence < $1.sequence }),
            let oldest = headers.min(by: { $0.sequence < $1.sequence }), newest.sequence == oldest.sequence + 1,
            headers[Int(newest.sequence & 1)].sequence == newest.sequence
        else { throw damaged("a header", path) }
        return newest
    }

    static func damaged(_ part: String, _ path: String) -> StoreError {
        StoreError(.corrupt, "the file is damaged: \(part) isn't what was written", path: path)
    }

    private func readTree() throws {
        var (header, tree) = state.withLock { ($0.header, $0.tree) }
        tree.rootSlot = header.rootSlot
        tree.rootEnvelope = header.rootEnvelope
        for level in (0..<tree.height).reversed() {
            for node in 0..<tree.nodeCount(level) {
                let slot = tree.slot(level: level, node: node)
                guard let (envelope, content) = try open(level: level, node: node, slot: slot, header.pageSize),
                    envelope.elementsEqual(tree.envelope(level: level, node: node))
                else { throw EncryptedFile.damaged("node \(node) of level \(level)", path) }
                tree.setContent(level: level, node: node, content)
            }
        }
        header.pageCount = tree.pageCount
        state.withLock { $0.tree = tree }
    }

    /// The envelope and content of a node; nil if it isn't what was written there at some time.
    func open(level: Int, node: Int, slot: Int, _ pageSize: Int) throws -> (envelope: [UInt8], content: [UInt8])? {
        let envelopeSize = AuthenticatedCipher.envelopeSize
        let offset = BlockLayout.block(level: level, node: node, slot: slot) * pageSize
        return try withUnsafeTemporaryAllocation(byteCount: pageSize, alignment: 8) { block in
            guard let start = block.baseAddress else { return nil }
            try read(at: offset, to: start, pageSize)
            var content = [UInt8](repeating: 0, count: pageSize - envelopeSize)
            let isIntact = content.withUnsafeMutableBytes { content in
                content.baseAddress.map {
                    nodeCipher.open(
                        start + envelopeSize, pageSize - envelopeSize, to: $0,
                        at: EncryptedFile.place(level: level, node: node, slot: slot), envelope: start)
                } ?? false
            }
            return isIntact ? (Array(block[..<envelopeSize]), content) : nil
        }
    }

    /// Throws unless LMDB can trust what was decrypted: the one who has the key may have made anything.
    func checkStructure(_ memory: MemoryFile) throws {
        do {
            try FilePreflight.check(memory.path)
            try FilePreflight.checkStructure(memory.descriptor, path)
        } catch var error as StoreError {
            error.path = path
            throw error
        }
    }

    private func decrypted() throws -> MemoryFile {
        let (header, tree) = state.withLock { ($0.header, $0.tree) }
        let memory = try MemoryFile("reeve-realm", of: path)
        let pageSize = header.pageSize
        try memory.fill(header.pageCount * pageSize, of: path) { target in
            var page = 0
            while page < tree.pageCount {
                guard tree.usedPages[page] else {
                    page += 1
                    continue
                }
                var end = page + 1
                while end < tree.pageCount, end % BlockLayout.fanOut != 0, tree.usedPages[end] { end += 1 }
                try readPages(page..<end, tree, pageSize, to: target + page * pageSize)
                page = end
            }
            writeMetaPages(header, to: target)
        }
        return memory
    }

    /// Reads pages whose blocks follow each other.
    private func readPages(
        _ pages: Range<Int>, _ tree: PageTree, _ pageSize: Int, to target: UnsafeMutableRawPointer
    ) throws {
        try read(
            at: BlockLayout.block(ofPage: pages.lowerBound) * pageSize, to: target, pages.count * pageSize)
        for page in pages {
            let start = target + (page - pages.lowerBound) * pageSize
            guard open(page, tree, pageSize, in: start) else { throw EncryptedFile.damaged("page \(page)", path) }
        }
    }

    /// Decrypts a page where it is.
    func open(_ page: Int, _ tree: PageTree, _ pageSize: Int, in bytes: UnsafeMutableRawPointer) -> Bool {
        tree.levels[0].envelopes.withUnsafeBytes { envelopes in
            envelopes.baseAddress.map {
                pageCipher.open(
                    bytes, pageSize, to: bytes, at: .init(kind: EncryptedFile.pageKind, first: UInt64(page)),
                    envelope: $0 + page * AuthenticatedCipher.envelopeSize)
            } ?? false
        }
    }

    /// LMDB's meta pages aren't in the file: the header has what they say.
    private func writeMetaPages(_ header: EncryptedHeader, to target: UnsafeMutableRawPointer) {
        for page in 0..<min(2, header.pageCount) {
            let start = target + page * header.pageSize
            start.copyMemory(from: header.meta, byteCount: header.meta.count)
            start.storeBytes(of: UInt64(page).littleEndian, as: UInt64.self)
        }
        let stamp = header.stamp.encoded()
        (target + FileStamp.offset).copyMemory(from: stamp, byteCount: stamp.count)
    }
}
