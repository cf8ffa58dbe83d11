import TestSupport

@testable import Sync

/// A client file of a simulation. What it has answered is durable.
protocol SimulatedFile {
    init(seed: UInt64)
    var state: ClientFile { get }
    /// Commits something that nobody else will ever commit; returns the version.
    mutating func write(_ generator: inout SeededGenerator, number: Int, now: Int64) -> Int64
    mutating func answer(_ work: StoreRequest.Work) -> StoreAnswer
    mutating func disconnected()
    /// What is in the file, independent of the way there.
    var digest: String { get }
}

/// A server realm of a simulation. What it has answered is durable.
protocol SimulatedRealm: ServerHistory {
    init(seed: UInt64, isFlexible: Bool)
    var current: SaltedVersion { get }
    var digest: String { get }
}

extension MemoryFile: SimulatedFile {
    init(seed: UInt64) { self.init() }

    mutating func write(_ generator: inout SeededGenerator, number: Int, now: Int64) -> Int64 {
        let size = Int.random(in: 0..<40, using: &generator) == 0 ? 3000 : 0
        return commit(Array("\(number)".utf8) + [UInt8](repeating: 0, count: size))
    }

    /// Every changeset once, own and others'.
    var digest: String { memoryDigest(local + received) }
}

extension MemoryHistory: SimulatedRealm {
    var digest: String { memoryDigest(entries.map(\.changeset).filter { !$0.isEmpty }) }
}

private func memoryDigest(_ changesets: [[UInt8]]) -> String {
    changesets.map { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }.sorted().joined(separator: " ")
}

/// One connection, as both ends see it. Either may believe in it when the other doesn't any more.
struct SimulatedLink {
    var client: Int
    var toServer: [[UInt8]] = []
    var toClient: [[UInt8]] = []
    var isOpenAtClient = true
    var server: ServerConnection?
    /// What the history has been asked, and what it has answered.
    var requests: [ServerRequest] = []
    var answers: [(ServerRequest, ServerAnswer)] = []
    /// The realm that each session is bound to, and the file.
    var paths: [Int64: String] = [:]
    var files: [Int64: Int64] = [:]

    /// Messages on the way in one direction; more wait where they are made.
    static let capacity = 3
}

/// A device with one process that has several files.
struct SimulatedClient<File: SimulatedFile> {
    var connection: ClientConnection
    /// Survive a restart.
    var files: [String: File] = [:]
    /// Which session is for which path, in this run of the process.
    var sessions: [Int64: String] = [:]
    var lastSession: Int64 = 0
    /// The connection in use.
    var link: Int?
    var wantsToConnect = false
    var wantsToken = false
    var wantsLocation = false
    var requests: [StoreRequest] = []
    var answers: [(StoreRequest, StoreAnswer)] = []
    /// What somebody waits for: the version of the server, or of the file, that must have been reached.
    var downloads: [Int64: Int64] = [:]
    var uploads: [Int64: Int64] = [:]
    var lastWaiter: Int64 = 0
    var lastQuery: Int64 = 0
}
