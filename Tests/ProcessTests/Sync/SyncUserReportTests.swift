import Foundation
import TestSupport
import Testing
import Wire

/// Field reports about tokens, logging out and servers that are out of their minds, with processes.
@Suite struct SyncUserReportTests {
    private let refresh = "POST /api/client/v2.0/auth/session"

    @Test(
        "R45: an agent that was stopped beyond its token's life, with a slow clock, goes on by itself, and nobody is told"
    )
    func stopped() throws {
        let server = try ServerUnderTest()
        let proxy = try ServerProxy(to: server)
        defer { proxy.close() }
        let (a, b) = (try SyncedDevice(proxy.url), try SyncedDevice(server.url))
        for device in [a, b] {
            try device.open()
            try device.wait(.upload)
        }
        a.agent.kill(SIGSTOP)
        // The connection is lost meanwhile, and the token, which the agent takes for a good one, is refused.
        proxy.refuseConnections(1)
        proxy.cutAll()
        try b.put([(1, "while a was stopped")])
        try b.wait(.upload)
        a.agent.kill(SIGCONT)
        let start = ContinuousClock.now
        #expect(try eventually { try a.tasks().count == 1 })
        #expect(ContinuousClock.now - start < .seconds(5))
        #expect(proxy.count(refresh) == 1)
        try a.put([(2, "afterwards")])
        try a.wait(.upload)
        #expect(try a.state().error == nil)
        #expect(!a.agent.output.contains("sync:"), "\(a.agent.output)")
    }

    @Test("R46: logging out wins over a token that is being fetched") func logOutWins() throws {
        let server = try ServerUnderTest()
        let proxy = try ServerProxy(to: server)
        defer { proxy.close() }
        let a = try SyncedDevice(proxy.url, email: "ann@example.net")
        try a.open()
        try a.wait(.upload)
        try a.restartAgent(opening: nil)
        proxy.refuseConnections(1)
        proxy.delay(refresh, by: .seconds(2))
        try a.open()
        #expect(eventually { proxy.count(refresh) == 1 })
        Thread.sleep(forTimeInterval: 0.5)
        let requests = proxy.requests
        #expect(try a.wire.call(AppLogout(app: a.app, user: a.user)).user.state == .loggedOut)
        // Until long after the answer.
        Thread.sleep(forTimeInterval: 2.5)
        let later = proxy.requests.dropFirst(requests.count)
        #expect(
            later.map { $0.split(separator: " ").prefix(2).joined(separator: " ") } == [
                "DELETE /api/client/v2.0/auth/session"
            ])
        let users = try a.wire.call(AppUsers(app: a.app, tokens: true)).users
        #expect(users.map(\.state) == [.loggedOut])
        #expect(users.allSatisfy { $0.accessToken == nil && $0.refreshToken == nil })
        let state = try a.state()
        #expect(state.session == .inactive && state.connection == .disconnected)
        // Nor in the next agent, which knows what the last one has kept.
        try a.restartAgent()
        #expect(try a.state().session == .inactive)
        #expect(performing { try a.wait(.upload) } == .syncFailed)
        #expect(proxy.requests.count == requests.count + 1)
    }

    @Test(
        "R90: of two users the server of one has gone mad; the other one's realm is as before",
        arguments: ServerProxy.Fault.allCases)
    func madServer(_ fault: ServerProxy.Fault) throws {
        let server = try ServerUnderTest()
        let proxy = try ServerProxy(to: server)
        defer { proxy.close() }
        let (a, b) = (try SyncedDevice(server.url), try SyncedDevice(server.url))
        for device in [a, b] {
            try device.open()
            try device.wait(.upload)
        }
        func latencies(from first: Int64, _ between: () throws -> Void = {}) throws -> [Duration] {
            try (first..<first + 40).map { key in
                try between()
                return try ContinuousClock().measure {
                    try a.put([(key, "task")])
                    _ = try a.tasks()
                }
            }.sorted()
        }
        _ = try latencies(from: 0)
        let before = try latencies(from: 40)
        let memory = try a.agent.residentBytes
        let pid = a.agent.pid
        // A second user of the same agent, whose server this is.
        proxy.spoil(fault)
        let (app, wire) = (AppIdentity(id: "mad", baseURL: proxy.url), try a.agent.connect())
        let user = try wire.call(AppLogin(app: app, provider: "anon-user", fields: #"{"provider":"anon-user"}"#)).user
            .id
        let target = SyncTarget(app: app.id, server: app.baseURL, user: user, partition: "\"home\"")
        let mad = try wire.call(
            RealmOpen(path: a.path("mad"), schema: SyncedDevice.schema, create: true, sync: target)
        ).realm
        // Whatever it does about it, it is made to try again, all the time.
        let during = try latencies(from: 80) {
            _ = try wire.call(SyncControl(target: .handle(mad), wish: .reconnect))
        }
        #expect(eventually { proxy.connections > 5 })
        try a.wait(.upload)
        try b.wait(.download)
        #expect(try b.tasks().count == 120)
        let state = try a.agent.connect().call(SyncStateRequest(target: .path(a.path("mad"))))
        #expect(state.connection != .connected || state.error != nil)
        #expect(during[38] <= before[38] * 2 + .milliseconds(20), "\(before[38]), then \(during[38])")
        #expect(try a.agent.residentBytes - memory < 16 << 20)
        #expect(a.agent.pid == pid && a.agent.isRunning)
    }

    private func performing(_ body: () throws -> Void) -> WireError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? WireError)?.code
        }
    }
}
