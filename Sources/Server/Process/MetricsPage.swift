import EventLoop
import Foundation

/// The server's counters in the text form of Prometheus.
@LoopActor
struct MetricsPage {
    private(set) var text = ""

    init(_ sync: SyncEndpoint, uptime: Duration) {
        let metrics = sync.metrics
        gauge("reeve_uptime_seconds", "Seconds since the server began.", Int(uptime.components.seconds))
        gauge("reeve_sync_connections", "Sync connections that are open.", sync.connectionCount)
        gauge("reeve_sync_sessions", "Sync sessions that are bound.", sync.sessionCount)
        gauge("reeve_realms_open", "Realm files that are open.", sync.openRealmCount)
        if let resident = Self.residentBytes { gauge("process_resident_memory_bytes", "Memory in use.", resident) }
        counter("reeve_sync_connections_total", "Sync connections accepted.", metrics.acceptedConnections)
        counter("reeve_sync_refused_total", "Sync connections beyond the limit.", metrics.refusedConnections)
        counter("reeve_sync_changesets_total", "Changesets that clients have uploaded.", metrics.changesets)
        counter("reeve_sync_client_failures_total", "Clients that couldn't take a download.", metrics.clientFailures)
        counter("reeve_sync_history_faults_total", "Answers that would have broken a client.", metrics.historyFaults)
        head("reeve_sync_messages_total", "Messages of the sync protocol.", "counter")
        sample("reeve_sync_messages_total", metrics.messagesIn, ("direction", "in"))
        sample("reeve_sync_messages_total", metrics.messagesOut, ("direction", "out"))
        head("reeve_sync_bytes_total", "Bytes of these messages.", "counter")
        sample("reeve_sync_bytes_total", metrics.bytesIn, ("direction", "in"))
        sample("reeve_sync_bytes_total", metrics.bytesOut, ("direction", "out"))
        head("reeve_sync_errors_total", "Errors that ended sessions or connections, by code.", "counter")
        for (code, count) in metrics.failures.sorted(by: { $0.key < $1.key }) {
            sample("reeve_sync_errors_total", count, ("code", String(code)))
        }
    }

    private mutating func gauge(_ name: String, _ help: String, _ value: Int) {
        head(name, help, "gauge")
        sample(name, value)
    }

    private mutating func counter(_ name: String, _ help: String, _ value: Int) {
        head(name, help, "counter")
        sample(name, value)
    }

    private mutating func head(_ name: String, _ help: String, _ type: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    private mutating func sample(_ name: String, _ value: Int, _ label: (name: String, value: String)? = nil) {
        let labels = label.map { "{\($0.name)=\"\($0.value)\"}" } ?? ""
        text += "\(name)\(labels) \(value)\n"
    }

    private static var residentBytes: Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        let fields = text.split(separator: " ")
        return fields.count > 1 ? Int(fields[1]).map { $0 * sysconf(Int32(_SC_PAGESIZE)) } : nil
    }
}
