import Foundation

/// The descriptors 0, 1 and 2 of a process that was started without some of them.
package enum StandardDescriptors {
    /// Puts something where one is closed. Otherwise the next socket or file that is opened would get its number, and
    /// what is meant for the output would be written there. Reading and writing fail as they would have before.
    package static func occupy() {
        for (descriptor, flags) in [(Int32(0), O_WRONLY), (1, O_RDONLY), (2, O_RDONLY)]
        where fcntl(descriptor, F_GETFD) < 0 {
            let opened = open("/dev/null", flags)
            if opened != descriptor, opened >= 0 { close(opened) }
        }
    }
}
