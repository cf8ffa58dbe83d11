import Foundation

/// Where the agent keeps what must not be lost: the users of apps, with their tokens.
enum DataDirectory {
    /// `$REEVE_AGENT_DATA`, else `$XDG_DATA_HOME/reeve/agent`, else `~/.local/share/reeve/agent`; the home from `$HOME`,
    /// else from the user database.
    static func path(environment: [String: String], uid: uid_t = getuid()) -> String {
        if let named = environment["REEVE_AGENT_DATA"], named.hasPrefix("/") { return named }
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return "\(data)/reeve/agent" }
        if let home = environment["HOME"], home.hasPrefix("/") { return "\(home)/.local/share/reeve/agent" }
        if let entry = getpwuid(uid), let home = entry.pointee.pw_dir {
            return "\(String(cString: home))/.local/share/reeve/agent"
        }
        return "/tmp/reeve-\(uid)/data"
    }
}
