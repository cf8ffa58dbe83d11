import EventLoop
import Foundation
import History
import Model
import Store
import Sync
import TestSupport
import Testing

@testable import Server

/// A server with the auth API and sync, and what connects to it, on a network in memory, in time moved by hand.
@LoopActor
final class SyncYard {
    let directory = TemporaryDirectory()
    let time = ManualScheduler()
    let network: MemoryNetwork
    let auth: AuthEndpoint
    private(set) var endpoint: SyncEndpoint
    private(set) var administration: ServerAdministration?
    private var front: ServerFront?
    private let options: SyncOptions
    /// Seconds since 1970 when the scheduler's time began.
    private static let epoch: Int64 = 1_700_000_000

    static let app = "shop"

    init(_ change: (inout SyncOptions) -> Void = { _ in }) throws {
        network = MemoryNetwork(time)
        var options = SyncOptions()
        options.threads = .loop(time)
        change(&options)
        self.options = options
        var service = AuthService(random: SeededGenerator(seed: 3))
        _ = try service.createApp(Self.app, now: Self.epoch)
        _ = try service.createApp("other", now: Self.epoch)
        let time = time
        auth = AuthEndpoint(service, journal: NoJournal(), now: { Self.epoch + time.now.components.seconds })
        endpoint = SyncEndpoint(dataDirectory: directory.path, scheduler: time, options: options)
        try open()
    }

    private func open() throws {
        endpoint.options.flexible = { [auth] app in auth.service.directory.app(app)?.flexibleConfiguration }
        administration = ServerAdministration(auth: auth, sync: endpoint, dataDirectory: directory.path)
        let time = time
        let route = endpoint.route(now: { Self.epoch + time.now.components.seconds })
        let front = ServerFront(network, scheduler: time, auth: auth, sync: route)
        self.front = front
        try front.listen(Endpoint("h", 80))
    }

    /// Ends the server in order and begins another on what it left.
    func restart() throws {
        front?.close()
        var isDone = false
        endpoint.shutDown { isDone = true }
        #expect(advance { isDone })
        endpoint = SyncEndpoint(dataDirectory: directory.path, scheduler: time, options: options)
        try open()
    }

    /// Has the server do what its owner wants; throws its refusal. The answer comes while time passes.
    func administer(_ command: String, _ arguments: JSONValue) throws -> JSONValue {
        var result: Result<JSONValue, ServerAdministration.Failure>?
        administration?.perform(command, arguments) { result = $0 }
        #expect(advance { result != nil })
        return try #require(result).get()
    }

    func device(_ partition: PartitionValue = .string("p"), app: String = SyncYard.app) throws -> SyncDevice {
        let device = try SyncDevice(network, time, at: "h:80", app: app, partition)
        device.start()
        return device
    }

    /// Lets time pass until a condition holds; false after ten minutes.
    func advance(until condition: () throws -> Bool) rethrows -> Bool {
        let end = time.now + .seconds(600)
        while time.now < end {
            #expect(time.settle())
            if try condition() { return true }
            time.advance(by: .milliseconds(100))
        }
        return try condition()
    }

    /// Lets all that is due happen, and a little time pass.
    func settle() {
        #expect(time.settle())
        time.advance(by: .milliseconds(200))
        #expect(time.settle())
    }

    /// The realm of a partition, once the server has closed it.
    func realm(_ partition: PartitionValue = .string("p")) throws -> ServerRealm {
        let address = RealmAddress(appId: Self.app, partition: partition)
        return try ServerRealm(path: directory.path + "/" + address.path)
    }
}

/// Instructions that apps write.
enum Dogs {
    static let schema: [Instruction] = [
        .addTable(className: "Dog", kind: .topLevel, key: KeyColumn(name: "_id", type: .int, isNullable: false)),
        .addColumn(
            className: "Dog", property: "name",
            ColumnDeclaration(
                type: ValueType.string.rawValue, isNullable: false, collection: .single, target: nil, keyType: nil))
    ]

    static func put(_ id: Int64, name: String = "Rex") -> [Instruction] {
        [
            .createObject(className: "Dog", key: .int(id)),
            .update(InstructionPath("Dog", .int(id), "name"), .value(.string(name)), isDefault: false)
        ]
    }
}
