import Foundation
import Wire

/// The socket, the agent behind it, and the files that it has open.
enum AgentExamination {
    static func findings() -> [Finding] {
        let location: SocketLocation
        do {
            location = try SocketLocation.resolve()
        } catch {
            return [.problem("socket", error.message, cure: "unset REEVE_SOCKET, or set it to a short absolute path")]
        }
        do {
            try location.checkDirectory()
        } catch {
            guard error.code == .agentUnavailable else {
                return [
                    .problem("socket", error.message, cure: "nobody else may be able to replace the agent's socket")
                ]
            }
            return [notRunning(location)] + starter()
        }
        do {
            let status = try AgentClient(starting: false).call(AgentStatus(verbose: true))
            return [.ok("socket", location.path)] + agent(status) + status.realms.flatMap(realm)
        } catch let error as WireError where error.code == .agentUnavailable {
            return [notRunning(location)] + starter()
        } catch let error as WireError {
            return [.problem("agent", error.messageWithPath, cure: "end it; the next program starts another")]
        } catch {
            return [.problem("agent", "\(error)", cure: "end it; the next program starts another")]
        }
    }

    private static func notRunning(_ location: SocketLocation) -> Finding {
        .ok("agent", "none runs at \(location.path); the first program that opens a realm starts one")
    }

    /// What programs start when none runs.
    private static func starter() -> [Finding] {
        let environment = ProcessInfo.processInfo.environment
        if let program = environment["REEVE_AGENT"], !program.isEmpty {
            guard access(program, X_OK) == 0 else {
                return [
                    .problem(
                        "starting",
                        "REEVE_AGENT is \(program), which can't be run: \(String(cString: strerror(errno)))",
                        cure: "set it to the reeve command, or unset it")
                ]
            }
            return [.ok("starting", "programs start \(program)")]
        }
        let folders = (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        guard let found = folders.first(where: { access("\($0)/reeve", X_OK) == 0 }) else {
            return [
                .warning(
                    "starting", "no reeve command is in PATH: programs can't start an agent by themselves",
                    cure: "install it (make install), or set REEVE_AGENT to it, or run reeve agent --daemon")
            ]
        }
        return [.ok("starting", "programs start \(found)/reeve")]
    }

    private static func agent(_ status: AgentStatusReply) -> [Finding] {
        var findings: [Finding] = []
        let words = "version \(status.agent), pid \(status.pid), \(status.clients.count) clients"
        if status.agent == ReeveVersion.current {
            findings.append(.ok("agent", words))
        } else if ReeveVersion.isOlder(status.agent, than: ReeveVersion.current) {
            findings.append(
                .warning(
                    "agent", "\(words); this command is \(ReeveVersion.current)",
                    cure: "reeve shutdown ends it, the next program starts the installed one"))
        } else {
            findings.append(
                .warning(
                    "agent", "\(words); this command is older, \(ReeveVersion.current)",
                    cure: "install the newer command as well"))
        }
        for client in status.clients
        where !client.version.isEmpty && ReeveVersion.isOlder(client.version, than: status.agent) {
            findings.append(
                .warning(
                    "client", "\(client.client) (pid \(client.pid)) is of version \(client.version)",
                    cure: "build it again with the library that belongs to the agent"))
        }
        return findings
    }

    private static func realm(_ realm: RealmInfoReply) -> [Finding] {
        guard !realm.inMemory else { return [] }
        var findings: [Finding] = []
        var status = stat()
        if lstat(realm.path, &status) != 0 {
            findings.append(
                .problem(
                    realm.path, "is open, and its file is gone: \(String(cString: strerror(errno)))",
                    cure: "reeve copy \(realm.path) TO saves what is in it before the programs that have it open end"))
        } else if status.st_mode & 0o077 != 0, !realm.encrypted {
            findings.append(
                .warning(
                    realm.path, "other users may read it (mode \(String(status.st_mode & 0o777, radix: 8)))",
                    cure: "chmod 600 \(realm.path), unless they are to"))
        }
        let hour: Int64 = 3_600_000
        for pin in realm.pins where pin.ageMilliseconds > hour && realm.fileSize > 2 * max(realm.usedSize, 1 << 20) {
            findings.append(
                .warning(
                    realm.path,
                    "\(pin.client) (pid \(pin.pid)) has kept version \(pin.version) for "
                        + "\(Output.duration(milliseconds: pin.ageMilliseconds)), and the file has grown to "
                        + "\(Output.size(realm.fileSize)) for \(Output.size(realm.usedSize))",
                    cure: "end that program, or let it refresh or invalidate its realm"))
        }
        return findings.isEmpty
            ? [.ok(realm.path, "\(Output.size(realm.fileSize)), \(realm.handles) handles")] : findings
    }
}
