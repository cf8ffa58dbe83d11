import CLMDB
import Foundation
import Glibc

extension RealmFile {
    /// Walks over the newest version: first the pages, as LMDB would abort on damaged ones, then, if they are sound,
    /// everything that they hold. Writers may go on meanwhile.
    package func verify() throws -> VerifyReport {
        gate.enter()
        let environment: Environment
        let snapshot: Snapshot
        let meta: [UInt8]
        do {
            defer { gate.leave() }
            environment = try self.environment()
            snapshot = try Snapshot(environment)
            meta = try MetaPage.read(environment, transaction: mdb_txn_id(snapshot.transaction.pointer))
        }
        var report = try RealmFile.verifyPages(environment.descriptor, meta, path: path)
        report.version = snapshot.version
        report.generation = generation
        if let file = environment.encrypted, let durability {
            // A compaction may have put another file in its place meanwhile; then its own checkpoint has just been written.
            report.findings += try durability.betweenCheckpoints { try file.findings() }
        }
        guard report.isClean else { return report }
        var walk = InvariantWalk(snapshot)
        walk.run()
        try environment.checkIntact()
        report.tables = walk.tables
        report.findings = walk.findings
        return report
    }

    /// Walks over the pages of the newest state of a file that nobody writes, without LMDB.
    package static func verifyPages(path: String) throws -> VerifyReport {
        try FilePreflight.check(path)
        let descriptor = try FileSystem.openFile(path, O_RDONLY)
        defer { Glibc.close(descriptor) }
        var newest: [UInt8] = []
        var pageSize = 0
        for page in 0..<2 {
            var bytes = [UInt8](repeating: 0, count: MetaPage.usedSize)
            guard pread(descriptor, &bytes, bytes.count, off_t(page * pageSize)) == bytes.count else { continue }
            pageSize = bytes.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: 40, as: UInt32.self)) }
            if newest.isEmpty || MetaPage.transaction(bytes) > MetaPage.transaction(newest) { newest = bytes }
        }
        return try verifyPages(descriptor, newest, path: path)
    }

    private static func verifyPages(_ descriptor: Int32, _ meta: [UInt8], path: String) throws -> VerifyReport {
        let length = FileSystem.size(descriptor)
        guard length > 0, let start = mmap(nil, length, PROT_READ, MAP_SHARED, descriptor, 0), start != MAP_FAILED
        else {
            throw StoreError(lmdb: errno, "mapping the file", path: path)
        }
        defer { munmap(start, length) }
        var walk = UnsafePageWalk(UnsafeRawBufferPointer(start: start, count: length), meta: meta, start: start)
        walk.walk(meta)
        var report = VerifyReport()
        report.pageSize = meta.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: 40, as: UInt32.self)) }
        report.usedPages = walk.usedPages
        report.freePages = walk.freePages
        report.findings = walk.findings
        return report
    }
}

extension Snapshot {
    /// Everything that must hold in a realm and doesn't, in this version; empty when all is well.
    package func checkInvariants() -> [String] {
        var walk = InvariantWalk(self)
        walk.run()
        return walk.findings
    }
}

extension MetaPage {
    /// Number of the transaction that wrote a meta page.
    static func transaction(_ meta: [UInt8]) -> UInt64 {
        meta.withUnsafeBytes { $0.count >= 152 ? $0.loadUnaligned(fromByteOffset: 144, as: UInt64.self) : 0 }
    }
}
