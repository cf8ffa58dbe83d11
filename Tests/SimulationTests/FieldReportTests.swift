import EventLoop
import Lab
import Model
import Sync
import TestSupport
import Testing

@testable import Agent
@testable import Server

/// Field reports about waking up, tokens and logging out, in simulated time.
@Suite("Field reports, simulated")
struct FieldReportTests {
    /// A world with one agent that is connected and has the schema on the server.
    @LoopActor
    private func connected(clockOff seconds: Int64 = 0) throws -> (World, SimulatedAgent) {
        let world = try World()
        let agent = try world.agent()
        agent.clockOff = seconds
        agent.logIn()
        try agent.open("p")
        try agent.write("p", RandomApp.schema)
        #expect(world.advance { agent.link?.isConnected == true })
        return (world, agent)
    }

    /// Writes, and says how long it takes until the server has it.
    @LoopActor
    private func timeToUpload(_ world: World, _ agent: SimulatedAgent, key: Int64) throws -> Duration {
        try agent.write("p", [.createObject(className: "Dog", key: .int(key))])
        let start = world.time.now
        var isDone = false
        let session = try #require(agent.files["p"]?.session)
        agent.link?.awaitUpload(session) { isDone = $0 }
        #expect(world.advance { isDone })
        return world.time.now - start
    }

    @Test("R38: after ten minutes without a server, one is found within 5 s of the network's coming back, DNS or not")
    func afterOutage() throws {
        try EventLoop.shared.run {
            for isRefused in [true, false] {
                let (world, agent) = try connected()
                world.stopServer()
                world.network.isReachable = isRefused
                world.time.advance(by: .seconds(600))
                #expect(agent.link?.isConnected == false)
                try world.startServer()
                // Long delays by now, or an attempt that nobody will answer.
                world.network.isReachable = true
                var attempts = 0
                world.network.fault = { _ in
                    attempts += 1
                    return attempts == 1 ? NetworkError(.resolve, "no such host yet") : nil
                }
                agent.link?.reconnectNow()
                #expect(try timeToUpload(world, agent, key: 1) <= .seconds(5), "refused: \(isRefused)")
                #expect(attempts > 1)
                #expect(agent.reports() == [])
            }
        }
    }

    @Test("R38: a connection that died in the sleep of the machine is replaced within 5 s")
    func deadConnection() throws {
        try EventLoop.shared.run {
            let (world, agent) = try connected()
            for link in world.network.links { link.isStalled = true }
            world.time.advance(by: .seconds(20))
            #expect(agent.link?.isConnected == true)
            agent.link?.reconnectNow()
            #expect(try timeToUpload(world, agent, key: 1) <= .seconds(5))
            #expect(agent.reports() == [])
        }
    }

    @Test("R38: a token that was being fetched through a network that is gone is asked for again")
    func deadRefresh() throws {
        try EventLoop.shared.run {
            let (world, agent) = try connected()
            world.cutAll()
            world.network.isReachable = false
            // The token expires, and the next one is under way when the network comes back.
            world.time.advance(by: .seconds(4_000))
            world.network.isReachable = true
            agent.link?.reconnectNow()
            world.time.advance(by: .milliseconds(1))
            for link in world.network.links { link.isStalled = true }
            world.time.advance(by: .seconds(4))
            agent.link?.reconnectNow()
            #expect(try timeToUpload(world, agent, key: 1) <= .seconds(5))
            #expect(agent.reports() == [])
        }
    }

    @Test(
        "R45: after a sleep that outlasts the token sync goes on by itself, though the clock be ten minutes slow or fast"
    )
    func sleep() throws {
        try EventLoop.shared.run {
            for clockOff in [0, -600, 600] as [Int64] {
                let (world, agent) = try connected(clockOff: clockOff)
                let other = try world.agent()
                other.logIn()
                try other.open("p")
                for (round, seconds) in [1_860, 7_200, 2_300].enumerated() {
                    agent.sleep()
                    world.time.advance(by: .seconds(seconds))
                    try other.write("p", [.createObject(className: "Dog", key: .int(Int64(100 + round)))])
                    world.time.advance(by: .seconds(10))
                    agent.wake()
                    #expect(try timeToUpload(world, agent, key: Int64(round)) <= .seconds(5), "clock \(clockOff)")
                    let start = world.time.now
                    let dogs = { try agent.files["p"]?.snapshot().table(named: "Dog")?.count }
                    #expect(try world.advance { try dogs() == 2 * (round + 1) })
                    #expect(world.time.now - start <= .seconds(5))
                }
                #expect(agent.reports() == [], "clock \(clockOff)")
            }
        }
    }
}
