import EventLoop
import Lab
import Model
import Store
import Sync
import TestSupport
import Testing

@testable import Agent
@testable import Server

@Suite("Simulation")
struct SystemTests {
    @Test("two devices log in, write offline and meet on the server")
    func twoDevices() throws {
        try EventLoop.shared.run {
            let world = try World()
            world.network.isReachable = false
            let devices = [try world.agent(), try world.agent(skew: 5_000)]
            for (number, device) in devices.enumerated() {
                try device.open("p")
                try device.write("p", RandomApp.schema)
                try device.write(
                    "p", [.createObject(className: "Dog", key: .int(Int64(number)))])
            }
            world.network.isReachable = true
            for device in devices { device.logIn() }
            #expect(
                try world.advance {
                    try devices.allSatisfy { device in
                        try device.files["p"]?.snapshot().table(named: "Dog")?.count == 2
                    }
                })
            #expect(devices.flatMap { $0.reports() } == [])
        }
    }

    @Test("a token that has expired is replaced, and the application sees nothing (P-124, P-129)")
    func expiry() throws {
        try EventLoop.shared.run {
            let world = try World()
            let devices = [try world.agent(), try world.agent()]
            for device in devices {
                device.logIn()
                try device.open("p")
            }
            try devices[0].write("p", RandomApp.schema)
            #expect(world.advance { devices.allSatisfy { $0.link?.isConnected == true } })
            // Longer than an access token and its grace.
            world.time.advance(by: .seconds(4 * 3600))
            try devices[0].write("p", [.createObject(className: "Dog", key: .int(1))])
            #expect(
                try world.advance { try devices[1].files["p"]?.snapshot().table(named: "Dog")?.count == 1 })
            #expect(devices.flatMap { $0.reports() } == [])
        }
    }

    @Test("whatever befalls network, agents and server: nothing is lost, nothing leaks, all converge")
    func random() throws {
        let seed = randomSeed
        for round in 0..<UInt64(6 * soakFactor) {
            try EventLoop.shared.run {
                var system = RandomSystem(seed: seed &+ round)
                try system.run()
            }
        }
    }

    @Test("the same under flexible sync: each device has what its last subscriptions ask for, and nothing else")
    func randomViews() throws {
        let seed = randomSeed
        for round in 0..<UInt64(3 * soakFactor) {
            try EventLoop.shared.run {
                var system = RandomFlexibleSystem(seed: seed &+ round)
                try system.run()
            }
        }
    }
}
