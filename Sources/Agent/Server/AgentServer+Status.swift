import Foundation
import Wire

extension AgentServer {
    /// Who is connected, what is open, who holds what.
    func status() -> AgentStatusReply {
        AgentStatusReply(
            agent: options.version, pid: pid, protocolVersion: protocolVersion, socket: location.path,
            uptimeMilliseconds: (.now - startedAt).milliseconds, residentBytes: Self.residentBytes(),
            descriptors: Self.openDescriptors(),
            clients: sessions.values.sorted { $0.number < $1.number }.map { $0.info() }, realms: realms.info())
    }

    private static func residentBytes() -> Int64 {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
        let fields = text.split(separator: " ")
        return fields.count > 1 ? (Int64(fields[1]) ?? 0) * Int64(getpagesize()) : 0
    }

    private static func openDescriptors() -> Int32 {
        // One of them is the directory being read.
        Int32((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0)
    }
}

extension ClientSession {
    func info() -> ClientInfo {
        ClientInfo(
            client: name, pid: pid, version: rules.hello?.version ?? "", session: rules.hello?.session,
            connectedMilliseconds: (.now - connectedAt).milliseconds, inFlight: Int32(rules.inFlight),
            queuedBytes: Int64(connection.queuedBytes),
            pins: Int32(pinCount),
            subscriptions: Int32(subscriptions.count), realms: Set(handles.values.map(\.host.path)).sorted())
    }

    private var pinCount: Int {
        var hosts: [ObjectIdentifier: RealmHost] = [:]
        for handle in handles.values { hosts[ObjectIdentifier(handle.host)] = handle.host }
        return hosts.values.reduce(0) { $0 + $1.pins.count(of: number) }
    }
}

extension Duration {
    /// Whole milliseconds, rounded down.
    var milliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}
