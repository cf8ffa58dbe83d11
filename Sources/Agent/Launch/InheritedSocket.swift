import Foundation

/// What systemd passes to a service that it starts for a socket (sd_listen_fds(3)).
struct InheritedSocket: Hashable {
    static let firstDescriptor: Int32 = 3

    var descriptor: Int32

    /// The first descriptor passed to the process `pid`; nil if there is none or it was meant for another process.
    init?(environment: [String: String], pid: Int32) {
        guard let text = environment["LISTEN_PID"], Int32(text) == pid,
            let count = environment["LISTEN_FDS"].flatMap({ Int32($0) }), count >= 1
        else { return nil }
        descriptor = Self.firstDescriptor
    }

    /// The descriptor if it is a listening Unix stream socket, with the path that it is bound to.
    var boundPath: String? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
        var address = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let found = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard found == 0, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
        return withUnsafeBytes(of: &address.sun_path) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
