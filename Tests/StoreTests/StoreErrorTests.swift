import CLMDB
import Foundation
import TestSupport
import Testing

@testable import Store

/// What becomes of the codes of the system and of LMDB.
@Suite struct StoreErrorTests {
    @Test(
        arguments: [
            (EMFILE, .outOfResources), (ENFILE, .outOfResources), (ENOMEM, .outOfResources),
            (MDB_READERS_FULL, .outOfResources), (ENOSPC, .diskFull), (EDQUOT, .diskFull), (MDB_MAP_FULL, .diskFull),
            (EACCES, .permissionDenied), (EROFS, .permissionDenied), (ENOENT, .fileNotFound), (EIO, .inputOutput),
            (MDB_CORRUPTED, .corrupt), (MDB_INVALID, .notARealm)
        ] as [(Int32, StoreError.Code)])
    func eachSortOfTroubleHasItsCode(code: Int32, expected: StoreError.Code) {
        let error = StoreError(lmdb: code, "doing it", path: "/a.realm")
        #expect(error.code == expected)
        #expect(error.systemCode == code)
    }

    /// Whether the disk or its room is at fault shows by asking for more room.
    @Test func aFailureOfTheDiskIsOneWhereThereIsRoom() throws {
        let directory = TemporaryDirectory()
        let path = directory.path("file")
        let descriptor = try FileSystem.openFile(path, O_RDWR | O_CREAT)
        defer { close(descriptor) }
        #expect(FileSystem.write([1, 2, 3], to: descriptor, at: 5))
        #expect(!FileSystem.isFull(descriptor))
        #expect(StoreError(lmdb: EIO, "writing", path: path, writingTo: descriptor).code == .inputOutput)
        #expect(FileSystem.size(path) == 8)
        let full = try FileSystem.openFile("/dev/full", O_RDWR)
        defer { close(full) }
        #expect(!FileSystem.write([1], to: full, at: 0))
        #expect(errno == ENOSPC)
    }
}
