import Foundation

/// Device and inode: what a path leads to, apart from its name.
package struct FileIdentity: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64

    /// Nil if there is no such file. Symbolic links are not followed.
    package init?(path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }
}
