import EventLoop
import History
import Model
import Store
import Sync
import TestSupport
import Testing

@testable import Server

/// Devices and a server with everything in between but sockets: log-in, upgrade, frames, machines, realm files.
@Suite("Sync: devices converge")
struct ConvergenceTests {
    @Test("what one device writes, the other has, at once while both are connected (P-65, P-67, P-68)")
    func two() throws {
        try onServerLoop {
            let yard = try SyncYard()
            let first = try yard.device()
            let second = try yard.device()
            try first.write(Dogs.schema)
            try first.write(Dogs.put(1))
            #expect(try yard.advance { try second.count("Dog") == 1 })
            try second.write(Dogs.put(2))
            try first.write(Dogs.put(3))
            yard.settle()
            #expect(try first.count("Dog") == 3)
            #expect(try second.count("Dog") == 3)
            #expect(try first.snapshot().stateDigest() == second.snapshot().stateDigest())
            #expect(first.reports.map(\.message) + second.reports.map(\.message) == [])
            #expect(yard.endpoint.metrics.historyFaults == 0 && yard.endpoint.metrics.failures == [:])
            #expect(yard.endpoint.openRealmCount == 1 && yard.endpoint.sessionCount == 2)
            try first.stop()
            try second.stop()
        }
    }

    @Test("partitions and apps share nothing, also with values that only look the same")
    func partitions() throws {
        try onServerLoop {
            let yard = try SyncYard()
            let places: [(PartitionValue, String)] = [
                (.string("p"), "shop"), (.string("p"), "other"), (.string("42"), "shop"), (.int(42), "shop"),
                (.null, "shop"), (.string("null"), "shop"), (.string("\u{E9}"), "shop"), (.string("e\u{301}"), "shop")
            ]
            let devices = try places.map { try yard.device($0.0, app: $0.1) }
            for (number, device) in devices.enumerated() {
                try device.write(Dogs.schema)
                try device.write(Dogs.put(Int64(number)))
            }
            yard.settle()
            yard.settle()
            for device in devices { #expect(try device.count("Dog") == 1 && device.uploaded > 0) }
            #expect(yard.endpoint.openRealmCount == places.count)
            for device in devices { try device.stop() }
        }
    }

    @Test("realms close when nobody is bound to them, and are there again for the next one")
    func idle() throws {
        try onServerLoop {
            let yard = try SyncYard()
            let first = try yard.device()
            try first.write(Dogs.schema)
            try first.write(Dogs.put(1))
            yard.settle()
            try first.stop()
            #expect(yard.advance { yard.endpoint.openRealmCount == 0 })
            #expect(try yard.realm().snapshot().table(named: "Dog")?.count == 1)
            let second = try yard.device()
            #expect(try yard.advance { try second.count("Dog") == 1 })
            try second.stop()
        }
    }

    @Test("a server that ends in order loses nothing, and applications see nothing of it (P-27)")
    func restart() throws {
        try onServerLoop {
            let yard = try SyncYard()
            let devices = try (0..<3).map { _ in try yard.device() }
            for device in devices { try device.write(Dogs.schema) }
            for round in 0..<6 {
                for (number, device) in devices.enumerated() { try device.write(Dogs.put(Int64(round * 3 + number))) }
                // The next restart meets the devices in the middle of something.
                yard.time.advance(by: .seconds(2))
                for _ in 0..<(11 * round) { yard.time.step() }
                if round % 2 == 1 { try yard.restart() }
            }
            #expect(try yard.advance { try devices.allSatisfy { try $0.count("Dog") == 18 } })
            for device in devices {
                #expect(device.reports.filter { $0.code != nil || $0.isFatal }.map(\.message) == [])
                #expect(device.connections > 1)
                try device.stop()
            }
        }
    }

    @Test("a connection outlives its token by the grace period, then the client comes back with a new one (P-129)")
    func expiry() throws {
        try onServerLoop {
            let yard = try SyncYard()
            let device = try yard.device()
            try device.write(Dogs.schema)
            yard.settle()
            for _ in 0..<40 { yard.time.advance(by: .seconds(60)) }
            #expect(device.refreshes == 1 && device.connections == 2)
            #expect(device.reports.filter(\.isFatal).map(\.message) == [])
            try device.write(Dogs.put(1))
            let other = try yard.device()
            #expect(try yard.advance { try other.count("Dog") == 1 })
            try device.stop()
            try other.stop()
        }
    }
}
