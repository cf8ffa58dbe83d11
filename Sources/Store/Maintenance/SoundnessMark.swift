import Foundation

/// A note in the file's first page, where LMDB never writes: the page structure is sound, and nobody has written to the
/// file since this was noted. Without it all pages that lead to records are looked at before LMDB opens the file, which
/// ends the process over a damaged one.
///
/// That nobody has written is told by the file's time of modification, which is part of the note and set with it.
enum SoundnessMark {
    /// Where it lies in the file.
    static let offset = 1_088
    static let size = 40
    private static let magic: UInt64 = 0x444E_554F_5345_5652  // "RVESOUND"

    private static func encoded(_ modified: timespec, _ inode: ino_t) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(magic)
        writer.append(Int64(modified.tv_sec))
        writer.append(Int64(modified.tv_nsec))
        writer.append(UInt64(inode))
        writer.append(UInt64(CRC32C.checksum(of: writer.bytes)))
        return writer.bytes
    }

    /// When the file was modified last.
    static func modified(_ descriptor: Int32) -> timespec? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status.st_mtim : nil
    }

    /// Whether the file has the note, and it still holds.
    static func holds(_ descriptor: Int32) -> Bool {
        var status = stat()
        var bytes = [UInt8](repeating: 0, count: size)
        return fstat(descriptor, &status) == 0 && pread(descriptor, &bytes, size, off_t(offset)) == size
            && bytes == encoded(status.st_mtim, status.st_ino)
    }

    /// Notes that all is well. `modified`: when the file was, if not now. A failure only costs the next opening time.
    static func set(_ descriptor: Int32, modified: timespec?) {
        var status = stat()
        var time = timespec()
        guard fstat(descriptor, &status) == 0, clock_gettime(CLOCK_REALTIME, &time) == 0 else { return }
        time = modified ?? time
        let bytes = encoded(time, status.st_ino)
        guard FileSystem.write(bytes, to: descriptor, at: offset) else { return }
        let times = [status.st_atim, time]
        _ = futimens(descriptor, times)
    }

    /// Takes the note back: should this process end without closing the file, the next one looks for itself.
    static func clear(_ descriptor: Int32, path: String) throws {
        guard FileSystem.write([UInt8](repeating: 0, count: size), to: descriptor, at: offset) else {
            throw StoreError(lmdb: errno, "writing to the file", path: path)
        }
    }
}
