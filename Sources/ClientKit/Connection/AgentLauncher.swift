import CPlatform
import Foundation
import Wire

/// Finds the agent's program and starts it. Two processes may do so at once: the second agent finds the first one's
/// lock and leaves, and both clients connect to the first.
package enum AgentLauncher {
    /// Agents that may fail to start before it is given up.
    private static let startLimit = 3

    /// Connects by `dial`, and starts an agent when there is none, until one answers or the time is over. Throws what
    /// the last attempt threw. `program` is the agent's, if it is known.
    package static func connect<Link>(
        until deadline: ContinuousClock.Instant, program: String? = nil, _ dial: () throws -> Link
    ) throws -> Link {
        var isStarted = false
        var failures = 0
        while true {
            do {
                return try dial()
            } catch let error as WireError where isTransient(error) {
                guard ContinuousClock.now < deadline else { throw error }
                // An agent on its way out still holds its lock: a new one started now would give up, so start
                // again if the first attempt led nowhere.
                if !isStarted || error.code == .agentUnavailable {
                    if try start(program ?? self.program()) == false {
                        // It has said why. Another try helps when somebody else's agent was just ending.
                        failures += 1
                        guard failures < startLimit else { throw error }
                        usleep(100_000)
                    }
                    isStarted = true
                }
                usleep(10_000)
            }
        }
    }

    private static func isTransient(_ error: WireError) -> Bool {
        [.agentUnavailable, .connectionLost, .shuttingDown].contains(error.code)
    }

    /// `$REEVE_AGENT`, else `reeve` beside this program, else `reeve` in PATH.
    static func program(environment: [String: String] = ProcessInfo.processInfo.environment) throws(WireError) -> String
    {
        if let path = environment["REEVE_AGENT"], !path.isEmpty {
            guard access(path, X_OK) == 0 else {
                throw WireError(
                    .agentUnavailable, "REEVE_AGENT names \(path), which can't be run", facts: ["path": .string(path)])
            }
            return path
        }
        var candidates: [String] = []
        if let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") {
            candidates.append((own as NSString).deletingLastPathComponent + "/reeve")
        }
        for directory in (environment["PATH"] ?? "/usr/local/bin:/usr/bin").split(separator: ":") {
            candidates.append("\(directory)/reeve")
        }
        guard let found = candidates.first(where: { access($0, X_OK) == 0 }) else {
            throw WireError(
                .agentUnavailable,
                "no agent is running, and no program `reeve` was found beside this one or in PATH to start it; "
                    + "set REEVE_AGENT to its path")
        }
        return found
    }

    /// Runs `reeve agent --daemon` and waits until that command has left, that is until the agent listens or has
    /// given up. Returns whether it succeeded.
    private static func start(_ path: String) throws(WireError) -> Bool {
        var attributes = posix_spawnattr_t()
        var actions = posix_spawn_file_actions_t()
        posix_spawnattr_init(&attributes)
        posix_spawn_file_actions_init(&actions)
        defer {
            posix_spawnattr_destroy(&attributes)
            posix_spawn_file_actions_destroy(&actions)
        }
        // The agent outlives this program: it gets neither its terminal input, nor its signal mask, nor its group.
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETPGROUP))
        var arguments: [UnsafeMutablePointer<CChar>?] = [path, "agent", "--daemon"].map { (text: String) in
            strdup(text)
        }
        var environment: [UnsafeMutablePointer<CChar>?] = ProcessInfo.processInfo.environment.map { name, value in
            strdup("\(name)=\(value)")
        }
        defer { for text in arguments + environment { free(text) } }
        arguments.append(nil)
        environment.append(nil)
        var pid = pid_t()
        let code = posix_spawn(&pid, path, &actions, &attributes, &arguments, &environment)
        guard code == 0 else {
            throw WireError(
                .agentUnavailable, "can't start the agent \(path): \(String(cString: strerror(code)))",
                facts: ["path": .string(path), "errno": .int32(code)])
        }
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 {
            // Somebody who waits for all children, or ignores them, has got the status.
            guard errno == EINTR else { return true }
        }
        return status == 0
    }
}
