import EventLoop
import Foundation
import Store
import Wire

/// The realms that are open, each once, by canonical path.
@LoopActor
final class RealmRegistry {
    unowned let server: AgentServer
    private var hosts: [ExactName: RealmHost] = [:]
    /// Hosts whose files are no longer at their paths, until their last handle is gone.
    private var retired: [RealmHost] = []
    private var memoryNumber = 0
    /// Who waits for what is being done with files of realms that nobody has open, by path.
    var filesUnderWay: [String: [@LoopActor (Result<Bool, WireError>) -> Void]] = [:]
    /// The sessions that know of what is to be done with a file: see `noteTold`.
    var told: [String: Set<UInt64>] = [:]
    /// Files that are to be dealt with as soon as nobody has them open.
    var requested: Set<String> = []

    init(server: AgentServer) {
        self.server = server
    }

    /// Realms open at a time: each maps a terabyte of address space, of which there are 128.
    static let limit = 100

    var all: [RealmHost] { hosts.values.sorted { $0.path < $1.path } }
    /// Whether every file is closed.
    var isEmpty: Bool { (all + retired).allSatisfy(\.isFileClosed) }

    /// The host of the realm at `text`; begins to open it if it isn't open.
    /// Who gets one that was open must ask it whether the key is its own.
    func host(at text: String, create: Bool, inMemory: Bool, key: RealmKey?) throws(WireError) -> RealmHost {
        if inMemory { return try memoryHost(text, key) }
        let path = try RealmPath(resolving: text)
        if let host = hosts[ExactName(path.path)] {
            if create { host.mayCreate.store(true, ordering: .sequentiallyConsistent) }
            if host.isClosing || host.isInPlace { return host }
            AgentLog.write("\(path.path) was deleted or replaced while it was open")
            retire(host)
        }
        guard path.exists || create else {
            throw WireError(.fileNotFound, "there is no realm at \(path.path)", facts: ["path": .string(path.path)])
        }
        if let identity = FileIdentity(path: path.path),
            let other = (all + retired).first(where: { $0.identity == identity })
        {
            throw WireError(
                .alreadyOpen, "\(path.path) is the same file as \(other.path), which is open; use one name",
                facts: ["path": .string(path.path), "other": .string(other.path)])
        }
        return try add(
            RealmHost(path: path.path, file: path.path, isInMemory: false, create: create, key: key, registry: self))
    }

    /// The open host at a path, if there is one.
    func openHost(at text: String) -> RealmHost? {
        (try? RealmPath(resolving: text)).flatMap { hosts[ExactName($0.path)] }
    }

    /// Where the files of realms in memory are. Nobody else's: the socket's lock is the agent's.
    private var memoryDirectory: String { server.location.path + ".memory" }

    /// Removes the files of realms in memory that an agent which was killed has left.
    func removeLeftovers() {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: memoryDirectory)) ?? [] {
            unlink("\(memoryDirectory)/\(name)")
        }
    }

    private func memoryHost(_ identifier: String, _ key: RealmKey?) throws(WireError) -> RealmHost {
        // A canonical path begins with a slash, so names can't meet.
        let name = "memory:\(identifier)"
        if let host = hosts[ExactName(name)] { return host }
        memoryNumber += 1
        try StateDirectory.make(memoryDirectory)
        let file = "\(memoryDirectory)/\(getpid())-\(memoryNumber).realm"
        return try add(RealmHost(path: name, file: file, isInMemory: true, create: true, key: key, registry: self))
    }

    private func add(_ host: RealmHost) throws(WireError) -> RealmHost {
        guard hosts.count + retired.count < Self.limit else {
            throw WireError(
                .outOfResources, "\(Self.limit) realms are open; close some",
                facts: ["limit": .int32(Int32(Self.limit))])
        }
        hosts[ExactName(host.path)] = host
        host.begin()
        return host
    }

    /// Forgets a host whose file is gone, so that the path can be opened anew.
    func retire(_ host: RealmHost) {
        guard hosts[ExactName(host.path)] === host else { return }
        hosts[ExactName(host.path)] = nil
        retired.append(host)
        host.wasReplaced()
    }

    func closed(_ host: RealmHost) {
        if hosts[ExactName(host.path)] === host { hosts[ExactName(host.path)] = nil }
        retired.removeAll { $0 === host }
        server.checkDrained()
    }

    func info() -> [RealmInfoReply] { all.compactMap { $0.info() } }
}

// MARK: - Synced realms
extension RealmRegistry {
    /// Goes on with the realms that the last agent hadn't finished with. Encrypted ones wait for somebody with the key.
    func resumeSync() {
        // What can't be synced any more waits for whoever opens it.
        for path in server.apps.unfinishedRealms() where server.apps.fileAction(path) == nil {
            do throws(WireError) {
                try host(at: path, create: false, inMemory: false, key: nil).enter { error in
                    if let error { return AgentLog.write("\(path) can't be synced now: \(error)") }
                    self.openHost(at: path)?.leave()
                }
            } catch {
                if error.code == .fileNotFound { server.apps.dropRealm(path) }
                AgentLog.write("\(path) can't be synced now: \(error)")
            }
        }
    }
}

// MARK: - The end
extension RealmRegistry {
    /// Whether no transaction is open or on its way to the disk.
    var isQuiet: Bool { (all + retired).allSatisfy(\.isQuiet) }

    /// Takes no more transactions. Those that clients hold open may still commit, or with `abandoning` are rolled back.
    func drain(abandoning: Bool) {
        for host in all + retired { host.drain(abandoning: abandoning) }
    }
}

/// A name by its bytes: strings that look alike are equal to Swift, but are names of different files.
private struct ExactName: Hashable {
    let bytes: [UInt8]

    init(_ name: String) {
        bytes = Array(name.utf8)
    }
}
