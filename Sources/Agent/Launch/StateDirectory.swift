import Foundation
import Wire

/// Where the agent keeps what is its own, such as its log.
package enum StateDirectory {
    /// `$XDG_STATE_HOME/reeve`, else `~/.local/state/reeve`; the home from `$HOME`, else from the user database.
    package static func path(environment: [String: String], uid: uid_t = getuid()) -> String {
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return "\(state)/reeve" }
        if let home = environment["HOME"], home.hasPrefix("/") { return "\(home)/.local/state/reeve" }
        if let entry = getpwuid(uid), let home = entry.pointee.pw_dir {
            return "\(String(cString: home))/.local/state/reeve"
        }
        return "/tmp/reeve-\(uid)/state"
    }

    /// Makes a directory and those above it, closed to others.
    static func make(_ path: String) throws(WireError) {
        var partial = ""
        for part in path.split(separator: "/") {
            partial += "/\(part)"
            if mkdir(partial, 0o700) != 0, errno != EEXIST, errno != EISDIR {
                let code = errno
                throw WireError(
                    WireError.Code(systemCode: code),
                    "can't make the directory \(partial): \(String(cString: strerror(code)))",
                    facts: ["path": .string(partial), "errno": .int32(code)])
            }
        }
    }
}
