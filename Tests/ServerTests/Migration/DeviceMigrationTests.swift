import EventLoop
import History
import Model
import Sync
import TestSupport
import Testing

@testable import Server

/// Devices of an app that is migrated under them: nothing is lost.
@Suite("Device migration")
struct DeviceMigrationTests {
    private static let modes: [ClientResetMode] = [
        .recoverUnsyncedChanges, .recoverOrDiscardUnsyncedChanges, .manual
    ]

    @LoopActor
    private static func migrate(_ yard: SyncYard, to type: String) throws {
        let answer = try yard.administer(
            "app.migrate", ["name": "shop", "to": .string(type), "partitionKey": "realm_id:string"])
        #expect(answer["migrated"] == .bool(true))
    }

    @LoopActor
    private static func device(
        _ yard: SyncYard, _ partition: String = "a", _ dogs: [Instruction] = []
    ) throws -> MigratingDevice {
        let device = try MigratingDevice(yard, .string(partition))
        try device.start()
        try device.write(Dogs.schema + dogs)
        #expect(device.settle())
        return device
    }

    /// All have the same, and no reset has failed.
    @LoopActor
    private static func expect(
        _ devices: [MigratingDevice], _ dogs: [Int64: String], _ location: SourceLocation = #_sourceLocation
    ) throws {
        // What one has written comes to the others with their own next turn.
        for device in devices + devices { #expect(device.settle(), sourceLocation: location) }
        for device in devices {
            #expect(try device.dogs() == dogs, sourceLocation: location)
            #expect(device.failures == [], sourceLocation: location)
            #expect(device.reports.filter(\.isFatal) == [], sourceLocation: location)
            #expect(device.reports.filter { !$0.rejectedUpdates.isEmpty } == [], sourceLocation: location)
        }
    }

    @Test(arguments: modes)
    func `F-95, F-101: online, offline with unsent writes, and not yet updated`(mode: ClientResetMode) throws {
        try onServerLoop {
            let yard = try SyncYard.quick()
            let online = try Self.device(yard, "a", Dogs.put(1) + Dogs.put(2))
            var offline = try Self.device(yard)
            let other = try Self.device(yard, "b", Dogs.put(9))
            for device in [online, offline, other] { device.mode = mode }
            offline.stop()
            let name = InstructionPath("Dog", .int(1), "name")
            try MigratingDevice.writeOffline(
                &offline, [.update(name, .value(.string("Offline")), isDefault: false)] + Dogs.put(3))
            try online.write(Dogs.put(4))
            #expect(online.settle())
            try Self.migrate(yard, to: "flexible")
            try online.write(Dogs.put(5))
            try MigratingDevice.next(after: &offline)
            try Self.expect([online, offline], [1: "Offline", 2: "Rex", 3: "Rex", 4: "Rex", 5: "Rex"])
            try Self.expect([other], [9: "Rex"])
            #expect(online.resets == 1 && offline.resets == 1)
            #expect(online.history?.migration?.state == .migrated)
            #expect(try online.history?.pendingReset == nil)
            // An installation that has never synced anything.
            let new = try Self.device(yard, "a", Dogs.put(6))
            try Self.expect(
                [online, offline, new], [1: "Offline", 2: "Rex", 3: "Rex", 4: "Rex", 5: "Rex", 6: "Rex"])
        }
    }

    @Test(arguments: MigratingDevice.Step.allCases)
    func `F-102: a process that dies on the way begins again where that does no harm`(step: MigratingDevice.Step) throws
    {
        try onServerLoop {
            let yard = try SyncYard.quick()
            var device = try Self.device(yard, "a", Dogs.put(1))
            device.stop()
            try MigratingDevice.writeOffline(&device, Dogs.put(2))
            try Self.migrate(yard, to: "flexible")
            device.diesAt = step
            try device.start()
            #expect(yard.advance { device.isStopped })
            try MigratingDevice.next(after: &device)
            try device.write(Dogs.put(3))
            try Self.expect([device], [1: "Rex", 2: "Rex", 3: "Rex"])
            let witness = try Self.device(yard)
            try Self.expect([witness, device], [1: "Rex", 2: "Rex", 3: "Rex"])
            // The way back.
            device.stop()
            try MigratingDevice.writeOffline(&device, Dogs.put(4))
            try Self.migrate(yard, to: "partition")
            device.diesAt = step
            try device.start()
            // Without subscriptions one step isn't there.
            let dies = step != .subscribed
            #expect(yard.advance { device.isStopped || !dies && device.resets == 1 })
            try MigratingDevice.next(after: &device)
            try Self.expect([witness, device], [1: "Rex", 2: "Rex", 3: "Rex", 4: "Rex"])
            #expect(device.history?.migration == nil)
            #expect(device.history?.subscriptions == nil)
        }
    }

    @Test func `F-100: back, and migrated once more, with a device that has slept through it`() throws {
        try onServerLoop {
            let yard = try SyncYard.quick()
            let device = try Self.device(yard, "a", Dogs.put(1))
            var sleeper = try Self.device(yard)
            sleeper.stop()
            try MigratingDevice.writeOffline(&sleeper, Dogs.put(2))
            try Self.migrate(yard, to: "flexible")
            try device.write(Dogs.put(3))
            try Self.expect([device], [1: "Rex", 3: "Rex"])
            try Self.migrate(yard, to: "partition")
            try device.write(Dogs.put(4))
            try Self.expect([device], [1: "Rex", 3: "Rex", 4: "Rex"])
            #expect(device.resets == 2)
            // The sleeper's file is as good as it was.
            try MigratingDevice.next(after: &sleeper)
            let all: [Int64: String] = [1: "Rex", 2: "Rex", 3: "Rex", 4: "Rex"]
            try Self.expect([sleeper, device], all)
            #expect(sleeper.resets == 0)
            try Self.migrate(yard, to: "flexible")
            try sleeper.write(Dogs.put(5))
            try Self.expect([device, sleeper], all.merging([5: "Rex"]) { $1 })
            #expect(device.resets == 3 && sleeper.resets == 1)
        }
    }

    @Test func `a device that has slept while the app went there and back and there`() throws {
        try onServerLoop {
            let yard = try SyncYard.quick()
            let device = try Self.device(yard, "a", Dogs.put(1))
            try Self.migrate(yard, to: "flexible")
            var sleeper = try Self.device(yard)
            #expect(device.settle())
            sleeper.stop()
            try MigratingDevice.writeOffline(&sleeper, Dogs.put(2))
            try Self.migrate(yard, to: "partition")
            try Self.migrate(yard, to: "flexible")
            // It finds an app of the kind that it knows, which knows nothing of its file.
            try MigratingDevice.next(after: &sleeper)
            try Self.expect([sleeper, device], [1: "Rex", 2: "Rex"])
            #expect(sleeper.resets == 1)
        }
    }

    @Test func `F-97: classes that come later are subscribed to`() throws {
        try onServerLoop {
            let yard = try SyncYard.quick()
            let device = try Self.device(yard, "a", Dogs.put(1))
            var offline = try Self.device(yard)
            offline.stop()
            let key = KeyColumn(name: "_id", type: .int, isNullable: false)
            let cat: [Instruction] = [
                .addTable(className: "Cat", kind: .topLevel, key: key), .createObject(className: "Cat", key: .int(1))
            ]
            // Before the migration, unsent.
            try MigratingDevice.writeOffline(&offline, cat)
            try Self.migrate(yard, to: "flexible")
            try MigratingDevice.next(after: &offline)
            try Self.expect([offline, device], [1: "Rex"])
            #expect(try yard.advance { try device.count("Cat") == 1 })
            // And afterwards.
            try device.write([.addTable(className: "Cow", kind: .topLevel, key: key)])
            try device.write([.createObject(className: "Cow", key: .int(1))])
            try Self.expect([device, offline], [1: "Rex"])
            #expect(try yard.advance { try offline.count("Cow") == 1 })
            let names = device.history?.subscriptions?.latest.subscriptions.compactMap(\.name).sorted()
            #expect(names == ["flx_migrated_Cat", "flx_migrated_Cow", "flx_migrated_Dog"])
        }
    }

    @Test func `F-95, R-47: without development mode, a class that only the device has doesn't stop the rest`() throws {
        try onServerLoop {
            let yard = try SyncYard.quick()
            let device = try Self.device(yard, "a", Dogs.put(1))
            var offline = try Self.device(yard)
            offline.stop()
            try MigratingDevice.writeOffline(&offline, Dogs.put(2))
            try Self.migrate(yard, to: "flexible")
            // The partition key can be queried whatever the permissions say.
            _ = try yard.administer(
                "app.permissions", ["name": "shop", "permissions": .string(Self.permissions(fields: "{}"))])
            try MigratingDevice.next(after: &offline)
            try Self.expect([offline, device], [1: "Rex", 2: "Rex"])
            try Self.migrate(yard, to: "partition")
            try Self.expect([offline, device], [1: "Rex", 2: "Rex"])
            offline.stop()
            let key = KeyColumn(name: "_id", type: .int, isNullable: false)
            try MigratingDevice.writeOffline(&offline, [.addTable(className: "Cat", kind: .topLevel, key: key)])
            try Self.migrate(yard, to: "flexible")
            _ = try yard.administer(
                "app.permissions", ["name": "shop", "permissions": .string(Self.permissions(fields: "{}"))])
            try MigratingDevice.next(after: &offline)
            #expect(yard.advance { offline.reports.contains { $0.code == .invalidSchemaChange } })
            #expect(offline.failures == [])
            #expect(try offline.dogs() == [1: "Rex", 2: "Rex"])
            #expect(offline.history?.migration?.state == .migrated)
        }
    }

    private static func permissions(fields: String) -> String {
        #"{"development_mode_enabled":false,"default_roles":[{"name":"all","apply_when":{},"read":true,"write":true,"#
            + #""document_filters":{"read":true,"write":true},"insert":true,"delete":true,"fields":"# + fields + "}]}"
    }

    @Test func `F-98: that a user may not write the partition key doesn't hinder the server`() throws {
        try onServerLoop {
            let yard = try SyncYard.quick()
            let device = try Self.device(yard, "a", Dogs.put(1))
            try Self.migrate(yard, to: "flexible")
            let fields = #"{"realm_id":{"read":true,"write":false}}"#
            _ = try yard.administer(
                "app.permissions", ["name": "shop", "permissions": .string(Self.permissions(fields: fields))])
            try device.write(Dogs.put(2))
            try Self.expect([device], [1: "Rex", 2: "Rex"])
        }
    }

    @Test func `F-99: an application that knows flexible sync goes on with the file of one that didn't`() throws {
        try onServerLoop {
            let yard = try SyncYard.quick()
            var device = try Self.device(yard, "a", Dogs.put(1))
            try Self.migrate(yard, to: "flexible")
            try device.write(Dogs.put(2))
            try Self.expect([device], [1: "Rex", 2: "Rex"])
            device.stop()
            try MigratingDevice.writeOffline(&device, Dogs.put(3))
            try MigratingDevice.next(after: &device, isNative: true)
            // Written while the server is still in the dark.
            try device.write(
                Dogs.put(4) + [
                    .update(InstructionPath("Dog", .int(4), "realm_id"), .value(.string("a")), isDefault: false)
                ])
            #expect(yard.advance { device.history?.migration == nil })
            try Self.expect([device], [1: "Rex", 2: "Rex", 3: "Rex", 4: "Rex"])
            // It has been told which partition its objects are in.
            let value = Value.string("a")
            #expect(try device.partitions() == [1: value, 2: value, 3: value, 4: value])
            try MigratingDevice.next(after: &device, isNative: true)
            try Self.expect([device], [1: "Rex", 2: "Rex", 3: "Rex", 4: "Rex"])
            #expect(device.resets == 0)
        }
    }

    @Test func `R-60, F-101: unsent writes go if the application wants it so`() throws {
        try onServerLoop {
            let yard = try SyncYard.quick()
            var device = try Self.device(yard, "a", Dogs.put(1))
            device.mode = .discardUnsyncedChanges
            device.stop()
            try MigratingDevice.writeOffline(&device, Dogs.put(2))
            try Self.migrate(yard, to: "flexible")
            try MigratingDevice.next(after: &device)
            try Self.expect([device], [1: "Rex"])
        }
    }

    @Test func `the server ends and begins, and the network breaks, while devices migrate`() throws {
        try onServerLoop {
            let yard = try SyncYard.quick()
            let devices = try (0..<3).map { try Self.device(yard, "a", Dogs.put(Int64($0))) }
            try Self.migrate(yard, to: "flexible")
            for (index, device) in devices.enumerated() {
                try device.write(Dogs.put(Int64(10 + index)))
                yard.settle()
                device.cut()
                yard.settle()
            }
            try yard.restart()
            let all = Dictionary(uniqueKeysWithValues: [0, 1, 2, 10, 11, 12].map { (Int64($0), "Rex") })
            try Self.expect(devices, all)
            try Self.migrate(yard, to: "partition")
            try yard.restart()
            try Self.expect(devices, all)
        }
    }
}
