import CPlatform
import Foundation
import Wire

/// Starts an agent that outlives its starter: a session of its own, no terminal, the log in a file, none of the
/// starter's descriptors. The starter learns through a pipe when the agent serves, or why it doesn't.
enum Daemon {
    /// Names the pipe's descriptor to the agent.
    static let readinessVariable = "REEVE_READY_FD"
    private static let readyDescriptor: Int32 = 3

    /// Spawns the agent and waits until it is ready. Returns the exit status for the starter.
    static func start(_ options: AgentOptions, environment: [String: String]) throws -> Int32 {
        let (log, logDescriptor) = try openLog(options, environment: environment)
        defer { close(logDescriptor) }
        var pipeEnds: [Int32] = [-1, -1]
        guard reeve_pipe(&pipeEnds) == 0 else {
            throw WireError(.outOfResources, "can't make a pipe: \(String(cString: strerror(errno)))")
        }
        defer { close(pipeEnds[0]) }
        let status = spawn(options, environment: environment, log: logDescriptor, ready: pipeEnds[1])
        close(pipeEnds[1])
        guard status == 0 else {
            throw WireError(
                .agentUnavailable, "can't start the agent: \(String(cString: strerror(status)))",
                facts: ["errno": .int32(status)])
        }
        let report = readAll(pipeEnds[0])
        guard report != "ready" else { return 0 }
        throw WireError(
            .agentUnavailable,
            report.isEmpty ? "the agent ended before it was ready; see \(log)" : "the agent could not start: \(report)",
            facts: ["log": .string(log)])
    }

    /// The log and its path. Without `options.log` an agent is worth more than its log: if that can't be written, there
    /// is none, and the starter is told on standard error.
    private static func openLog(
        _ options: AgentOptions, environment: [String: String]
    ) throws(WireError) -> (path: String, descriptor: Int32) {
        let path = options.log ?? StateDirectory.path(environment: environment) + "/agent.log"
        do throws(WireError) {
            try StateDirectory.make(URL(fileURLWithPath: path).deletingLastPathComponent().path)
            let descriptor = AgentLog.open(path)
            guard descriptor < 0 else { return (path, descriptor) }
            let code = errno
            throw WireError(
                WireError.Code(systemCode: code), "can't write the log \(path): \(String(cString: strerror(code)))",
                facts: ["path": .string(path), "errno": .int32(code)])
        } catch {
            guard options.log == nil else { throw error }
            let descriptor = open("/dev/null", O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw error }
            AgentLog.write("\(error.message); the agent runs without a log")
            return ("/dev/null", descriptor)
        }
    }

    /// Tells the starter, if there is one: "ready", or the reason why not. Once.
    static func report(_ message: String, environment: [String: String]) {
        guard let descriptor = environment[readinessVariable].flatMap({ Int32($0) }), descriptor > 2 else { return }
        let bytes = Array(message.utf8)
        _ = write(descriptor, bytes, bytes.count)
        close(descriptor)
        unsetenv(readinessVariable)
    }

    private static func spawn(
        _ options: AgentOptions, environment: [String: String], log: Int32, ready: Int32
    ) -> Int32 {
        var arguments = ["reeve", "agent"]
        if let socket = options.socket { arguments += ["--socket", AgentProcess.absolute(socket)] }
        if let seconds = options.idleExitSeconds { arguments += ["--idle-exit", "\(seconds)"] }
        var variables = environment
        variables[readinessVariable] = "\(readyDescriptor)"
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "NOTIFY_SOCKET"] { variables[name] = nil }
        return withCStrings(arguments) { arguments in
            withCStrings(variables.map { "\($0.key)=\($0.value)" }) { variables in
                var pid = pid_t()
                let status = reeve_spawn_detached(
                    "/proc/self/exe", arguments, variables, log, ready, &pid)
                guard status == ENOENT, let own = CommandLine.arguments.first, own.contains("/") else { return status }
                // The program's file was replaced while it ran: the new one is at its path.
                return reeve_spawn_detached(own, arguments, variables, log, ready, &pid)
            }
        }
    }

    private static func withCStrings<Result>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }

    private static func readAll(_ descriptor: Int32) -> String {
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count > 0 {
                text += buffer.prefix(count)
            } else if count == 0 || errno != EINTR {
                return String(decoding: text, as: UTF8.self)
            }
        }
    }
}
