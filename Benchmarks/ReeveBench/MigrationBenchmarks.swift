import Foundation
import RealmSwift

/// An object that is synced by partition.
final class SyncedEntry: Object {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var name: String
    @Persisted var number: Int
}

/// A server that migrates an app's objects from partitions to flexible sync, and back.
struct MigrationBenchmarks {
    let bench: Bench
    let binaries: URL

    private static let objects = 100_000
    private static let partitions = 10
    /// Objects of one transaction.
    private static let batch = 1_000

    func run() throws -> [Measurement] {
        print("filling \(Self.partitions) partitions of a server…")
        let server = try BenchServer(binaries: binaries, data: bench.path("server"))
        defer { server.end() }
        try fill(server)
        print("migrating…")
        let there = try server.migrate(to: "flexible")
        let back = try server.migrate(to: "partition")
        let what = "\(Self.objects) objects of \(Self.partitions) partitions"
        return [
            .atMost(1, "server: migrate \(what)", there, "s", peer: "goal", 10),
            .atMost(1, "server: and back", back, "s", peer: "goal", 10)
        ]
    }

    private func fill(_ server: BenchServer) throws {
        let app = App(id: "bench", configuration: AppConfiguration(baseURL: server.url))
        let user = try completed { app.login(credentials: .anonymous, $0) }
        for partition in 0..<Self.partitions {
            var configuration = user.configuration(partitionValue: "p\(partition)")
            configuration.objectTypes = [SyncedEntry.self]
            let realm = try Realm(configuration: configuration)
            let count = Self.objects / Self.partitions
            for start in stride(from: partition * count, to: (partition + 1) * count, by: Self.batch) {
                try realm.write {
                    for id in start..<start + Self.batch {
                        realm.create(
                            SyncedEntry.self, value: ["_id": id, "name": "entry number \(id)", "number": id * 7])
                    }
                }
            }
            guard let session = realm.syncSession else { throw BenchError("the realm isn't synced") }
            try completed { done in
                session.wait(for: .upload) { error in done(error.map { .failure($0) } ?? .success(())) }
            }
        }
    }

    /// Waits for an answer.
    private func completed<Value: Sendable>(
        _ start: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
    ) throws -> Value {
        let answer = Answer<Value>()
        start { answer.put($0) }
        return try answer.wait()
    }

    /// Carries a result from one thread to another: written before the signal, read after it.
    private final class Answer<Value: Sendable>: @unchecked Sendable {
        private let done = DispatchSemaphore(value: 0)
        private var result: Result<Value, any Error>?

        func put(_ result: Result<Value, any Error>) {
            self.result = result
            done.signal()
        }

        func wait() throws -> Value {
            guard done.wait(timeout: .now() + 300) == .success, let result else { throw BenchError("no answer came") }
            return try result.get()
        }
    }
}

/// A sync server as a process.
private struct BenchServer {
    private let process = Process()
    private let reeve: URL
    private let data: String
    let url: String

    init(binaries: URL, data: String) throws {
        self.data = data
        reeve = binaries.appendingPathComponent("reeve")
        let log = Pipe()
        process.executableURL = reeve
        process.arguments = ["server", "--development", "--data", data, "--listen", "127.0.0.1:0"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = log
        try process.run()
        var text = ""
        while !text.contains("event=server.listening") || !text.hasSuffix("\n") {
            let bytes = log.fileHandleForReading.availableData
            guard !bytes.isEmpty else { throw BenchError("the server did not start: \(text)") }
            text += String(decoding: bytes, as: UTF8.self)
        }
        // It isn't to wait for who reads its log.
        log.fileHandleForReading.readabilityHandler = { _ = $0.availableData }
        guard let address = text.firstMatch(of: /address=(\S+)/)?.1 else { throw BenchError("no address: \(text)") }
        url = "http://\(address)"
    }

    /// Seconds that the command takes.
    func migrate(to kind: String) throws -> Double {
        let command = Process()
        command.executableURL = reeve
        command.arguments = [
            "app", "migrate", "bench", "--to", kind, "--partition-key", "realm_id:string", "--data", data, "--json"
        ]
        command.standardOutput = FileHandle.nullDevice
        let start = Date()
        try command.run()
        command.waitUntilExit()
        guard command.terminationStatus == 0 else { throw BenchError("the app wasn't migrated to \(kind)") }
        return Date().timeIntervalSince(start)
    }

    func end() {
        process.terminate()
        process.waitUntilExit()
    }
}
