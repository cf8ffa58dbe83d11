import CPlatform
import Foundation

/// The process at the other end of a Unix socket when it connected (SO_PEERCRED).
package struct PeerCredentials: Hashable, Sendable {
    package var uid: UInt32
    package var gid: UInt32
    package var pid: Int32

    package init(uid: UInt32, gid: UInt32, pid: Int32) {
        self.uid = uid
        self.gid = gid
        self.pid = pid
    }

    init?(ofSocket socket: Int32) {
        var uid = uid_t()
        var gid = gid_t()
        var pid = pid_t()
        guard reeve_peer_credentials(socket, &uid, &gid, &pid) == 0 else { return nil }
        self.init(uid: uid, gid: gid, pid: pid)
    }
}
