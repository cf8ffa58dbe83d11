import Foundation
import Model
import RealmSwift
import TestSupport
import Wire

/// An app for the scenarios of bundled realms, on a server, and a directory for what they make.
struct BundlePlace {
    static let partition = "Some Partition Value"

    static let schema = RealmSchema([
        ClassSchema(
            "Task", primaryKey: "_id",
            [
                PropertySchema("_id", .objectId), PropertySchema("name", .string), PropertySchema("owner", .string),
                PropertySchema("status", .string)
            ])
    ])

    let app: App
    let url: String
    let directory = TemporaryDirectory()

    init(_ name: String, _ url: String = SharedServer.url) {
        SharedAgent.ensure()
        self.url = url
        app = App(id: name, configuration: AppConfiguration(baseURL: url))
    }

    /// A user of that name, who is logged in from now on.
    func user(_ name: String) async throws -> User {
        let email = "\(name)@example.net"
        try? await app.emailPasswordAuth.registerUser(email: email, password: "secret-1")
        return try await app.login(credentials: .emailPassword(email: email, password: "secret-1"))
    }

    func file(_ name: String) -> URL { URL(fileURLWithPath: directory.path(name)) }

    /// Another device, with the partition open.
    func device() throws -> SyncedDevice {
        let device = try SyncedDevice(url, app: app.appId)
        try device.open(Self.partition, schema: Self.schema)
        return device
    }

    /// Puts tasks onto the server.
    func put(_ device: SyncedDevice, owner: String, _ names: [String], status: String = "Open") throws {
        let objects = names.map { name -> BSONDocument in
            [
                "_id": .objectId(ObjectId.generate()), "name": .string(name), "owner": .string(owner),
                "status": .string(status)
            ]
        }
        try device.put(objects, in: "Task")
        try device.wait(.upload)
    }

    /// Deletes the tasks that a query selects.
    func delete(_ device: SyncedDevice, _ filter: String) throws {
        _ = try device.wire.call(ObjectDelete(realm: device.realm, className: "Task", filter: filter))
        try device.wait(.upload)
    }

    /// Gives a task one name after the other.
    func rename(_ device: SyncedDevice, _ name: String, to names: [String]) throws {
        let task = try device.objects("Task").first { $0["name"] == .string(name) }
        guard let id = task?["_id"] else { throw TestFailure("there is no task \(name)") }
        for name in names { try device.put([["_id": id, "name": .string(name)]], in: "Task") }
        try device.wait(.upload)
    }

    func names(_ device: SyncedDevice) throws -> [String] {
        try device.wait(.download)
        return OtherDevice.names(device, of: "Task").sorted()
    }

    /// Bytes of changes that were downloaded since the realm was opened; 0 while the server hasn't said what there is.
    @MainActor static func downloaded(_ realm: Realm) async throws -> Int {
        try await realm.syncSession?.wait(for: .download)
        let bytes = Counter()
        let done = Flag()
        let token = realm.syncSession?.addProgressNotification(for: .download, mode: .forCurrentlyOutstandingWork) {
            bytes.set(($0 as any TransferredBytes).transferredBytes)
            if $0.isTransferComplete { done.set() }
        }
        defer { token?.invalidate() }
        guard eventually({ done.isSet }) else { throw TestFailure("nothing is said of the download") }
        return bytes.value
    }
}

/// Without the warning of what is deprecated.
private protocol TransferredBytes { var transferredBytes: Int { get } }

extension SyncSession.Progress: TransferredBytes {}

/// Set by another thread.
final class Counter: @unchecked Sendable {
    // Behind the lock.
    private let lock = NSLock()
    private var number = 0

    func set(_ value: Int) { lock.withLock { number = value } }
    func add(_ value: Int) { lock.withLock { number += value } }
    var value: Int { lock.withLock { number } }
}
