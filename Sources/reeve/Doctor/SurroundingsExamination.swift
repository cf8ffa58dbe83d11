import Agent
import Foundation

/// Disk, limits, clock: what the machine has to give.
enum SurroundingsExamination {
    static func findings() -> [Finding] {
        let environment = ProcessInfo.processInfo.environment
        let state = StateDirectory.path(environment: environment)
        return [stateDirectory(state), disk(nearest(state)), descriptors(), clock(), home(environment)]
    }

    /// The directory itself, or the one above that exists.
    private static func nearest(_ path: String) -> String {
        var path = path
        while path != "/", access(path, F_OK) != 0 { path = (path as NSString).deletingLastPathComponent }
        return path
    }

    private static func stateDirectory(_ path: String) -> Finding {
        let existing = nearest(path)
        if access(existing, W_OK) == 0 { return .ok("state", path) }
        return .warning(
            "state", "\(existing) can't be written: the agent runs without a log",
            cure: "make it yours (chown), or set XDG_STATE_HOME")
    }

    /// Below that, commits will soon be refused.
    private static let scarce: UInt64 = 100 << 20

    private static func disk(_ path: String) -> Finding {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else {
            return .problem(
                "disk", "\(path) can't be examined: \(String(cString: strerror(errno)))", cure: "see to the file system"
            )
        }
        if status.f_flag & UInt(ST_RDONLY) != 0 {
            return .problem(
                "disk", "\(path) is on a read-only file system",
                cure: "mount -o remount,rw, after fsck if errors caused it")
        }
        let free = UInt64(status.f_bavail) * UInt64(status.f_frsize)
        let words = "\(Output.size(Int64(clamping: free))) free at \(path)"
        if free < scarce {
            return .problem(
                "disk", words,
                cure: "make room: a commit that doesn't fit is refused, nothing that was committed is lost")
        }
        if status.f_files > 0, status.f_favail < 100 {
            return .problem("disk", "no file can be made at \(path): no inodes are free", cure: "remove some files")
        }
        return .ok("disk", words)
    }

    private static func descriptors() -> Finding {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return .ok("limits", "not known")
        }
        let count = UInt64(limit.rlim_max)
        guard count >= 1024 else {
            return .warning(
                "limits", "at most \(count) open files: each client and each realm takes some",
                cure: "raise it: ulimit -n, LimitNOFILE= of a unit")
        }
        return .ok("limits", "\(count) open files")
    }

    /// Before this release was made.
    private static let earliest = Date(timeIntervalSince1970: 1_735_689_600)

    private static func clock() -> Finding {
        let now = Date()
        guard now > earliest else {
            return .problem(
                "clock", "it is said to be \(now.formatted(.iso8601))",
                cure: "set the clock: tokens and certificates look expired or not yet valid, and merges order by time")
        }
        return .ok("clock", now.formatted(.iso8601))
    }

    private static func home(_ environment: [String: String]) -> Finding {
        guard let home = environment["HOME"], home.hasPrefix("/") else {
            return .warning(
                "home", "HOME isn't set: programs find no place for default realms",
                cure: "set it to a directory of yours")
        }
        guard access(home, W_OK) == 0 else {
            return .warning("home", "\(home) can't be written", cure: "open realms at paths that can, or set HOME")
        }
        return .ok("home", home)
    }
}
