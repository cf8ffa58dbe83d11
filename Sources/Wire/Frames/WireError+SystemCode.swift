import Foundation

extension WireError.Code {
    /// The code for an `errno`; `ioError` for those that say nothing more.
    package init(systemCode: Int32) {
        self =
            switch systemCode {
            case EMFILE, ENFILE, ENOMEM, ENOBUFS: .outOfResources
            case ENOSPC, EDQUOT, EFBIG: .diskFull
            case EACCES, EPERM, EROFS: .permissionDenied
            case ENOENT, ENOTDIR: .fileNotFound
            default: .ioError
            }
    }
}
