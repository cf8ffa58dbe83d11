import Agent
import Wire

/// Who is connected, what is open, who pins what.
enum StatusCommand: Command {
    static let name = "status"
    static let summary = "say what the agent is doing: clients, realms, pinned snapshots"
    static let synopsis = "[--json]"
    static let options: [Arguments.Option] = [.init("json", nil, "print one JSON document")]

    static func run(_ arguments: Arguments) throws -> Int32 {
        try arguments.expect()
        let status: AgentStatusReply
        do {
            status = try AgentClient(starting: false).call(AgentStatus(verbose: true))
        } catch let error as WireError where error.code == .agentUnavailable {
            if arguments.has("json") { Output.json(["running": false]) } else { Output.line("no agent is running") }
            return 1
        }
        if arguments.has("json") { Output.json(json(status)) } else { show(status) }
        return 0
    }

    private static func show(_ status: AgentStatusReply) {
        let uptime = Output.duration(milliseconds: status.uptimeMilliseconds)
        Output.line(
            "agent \(status.agent), pid \(status.pid), up \(uptime), \(Output.size(status.residentBytes)), "
                + "\(status.descriptors) descriptors")
        Output.line("socket \(status.socket)")
        if let warning = versionWarning(agent: status.agent) { Output.line(warning) }
        if !status.clients.isEmpty {
            Output.line("")
            Output.table(
                ["CLIENT", "PID", "CONNECTED", "PINS", "REALMS"],
                status.clients.map {
                    [
                        $0.client, "\($0.pid)", Output.duration(milliseconds: $0.connectedMilliseconds), "\($0.pins)",
                        "\($0.realms.count)"
                    ]
                })
        }
        for realm in status.realms {
            Output.line("")
            Output.line(emphasising: realm.path)
            Output.line(
                "  version \(realm.version), generation \(realm.generation), \(Output.size(realm.fileSize)) "
                    + "(\(Output.size(realm.usedSize)) used), \(realm.handles) handles"
                    + (realm.encrypted ? ", encrypted" : ""))
            if realm.diskFull { Output.line("  disk full: there is no room for further commits") }
            if let writer = realm.writer {
                Output.line("  being written by \(writer.client) (pid \(writer.pid)), \(realm.waitingWriters) waiting")
            }
            for pin in realm.pins.sorted(by: { $0.version < $1.version }) {
                let age = Output.duration(milliseconds: pin.ageMilliseconds)
                Output.line("  version \(pin.version) pinned by \(pin.client) (pid \(pin.pid)) for \(age)")
            }
        }
    }

    /// After an upgrade the former agent runs on until somebody ends it.
    private static func versionWarning(agent: String) -> String? {
        guard agent != ReeveVersion.current else { return nil }
        return ReeveVersion.isOlder(agent, than: ReeveVersion.current)
            ? "warning: the running agent is \(agent), older than the installed \(ReeveVersion.current): "
                + "`reeve shutdown` ends it, the next program starts the installed one"
            : "warning: the running agent is \(agent), newer than this command, \(ReeveVersion.current)"
    }

    static func json(_ status: AgentStatusReply) -> [String: Any] {
        [
            "running": true, "agent": status.agent, "installed": ReeveVersion.current, "pid": Int(status.pid),
            "protocol": Int(status.protocolVersion),
            "socket": status.socket, "uptimeMs": Int(status.uptimeMilliseconds),
            "residentBytes": Int(status.residentBytes), "descriptors": Int(status.descriptors),
            "clients": status.clients.map { client in
                [
                    "client": client.client, "pid": Int(client.pid), "version": client.version,
                    "connectedMs": Int(client.connectedMilliseconds), "inFlight": Int(client.inFlight),
                    "queuedBytes": Int(client.queuedBytes), "pins": Int(client.pins),
                    "subscriptions": Int(client.subscriptions), "realms": client.realms
                ] as [String: Any]
            },
            "realms": status.realms.map(RealmDescription.json)
        ]
    }
}
