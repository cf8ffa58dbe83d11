import Foundation
import Model
import TestSupport
import Testing
import Wire

/// Field reports about opening synced realms, with servers, agents and clients as processes.
@Suite struct SyncReportTests {
    @Test("R05: closed while a token is fetched, and opened again: one session, one BIND, one token")
    func reopened() throws {
        let server = try ServerUnderTest()
        let proxy = try ServerProxy(to: server)
        defer { proxy.close() }
        let a = try SyncedDevice(proxy.url)
        try a.open()
        try a.wait(.upload)
        _ = try a.wire.call(RealmClose(realm: a.realm))
        try a.restartAgent(opening: nil)
        let binds = proxy.binds
        let refresh = "POST /api/client/v2.0/auth/session"
        #expect(proxy.count(refresh) == 0)
        proxy.refuseConnections(1)
        proxy.delay(refresh, by: .seconds(2))
        try a.open()
        #expect(eventually { proxy.count(refresh) == 1 })
        _ = try a.wire.call(RealmClose(realm: a.realm))
        Thread.sleep(forTimeInterval: 0.5)
        #expect(proxy.binds == binds)
        try a.open()
        try a.wait(.download)
        #expect(proxy.binds == binds + 1 && proxy.count(refresh) == 1)
        let state = try a.state()
        #expect(state.session == .active && state.connection == .connected && a.agent.isRunning)
    }

    @Test("R15: fifty processes have a realm open, and the machine has one connection, which brings everything once")
    func oneConnection() throws {
        let server = try ServerUnderTest()
        let (proxy, lonelyProxy) = (try ServerProxy(to: server), try ServerProxy(to: server))
        defer {
            proxy.close()
            lonelyProxy.close()
        }
        let (a, lonely) = (try SyncedDevice(proxy.url), try SyncedDevice(lonelyProxy.url))
        let b = try SyncedDevice(server.url)
        for device in [a, lonely, b] {
            try device.open()
            try device.wait(.upload)
        }
        let environment = a.agent.clientEnvironment.merging(["REEVE_SERVER": proxy.url]) { $1 }
        let children = try (0..<50).map { _ in
            try ChildProgram(["R15 reader", "tasks", "home", a.path("home"), "1000"], environment: environment)
        }
        for child in children {
            let isOpen = eventually(within: .seconds(60)) { !child.said.isEmpty || !child.isRunning }
            #expect(isOpen && child.said == ["open"])
        }
        for start in stride(from: 0, to: 1_000, by: 100) {
            try b.put((start..<(start + 100)).map { (Int64($0), "task \($0)") })
        }
        for child in children {
            let end = child.finish()
            #expect(end.status == 0 && child.said == ["open", "1000"], "\(end.errors)")
        }
        try lonely.wait(.download)
        #expect(try lonely.tasks().count == 1_000)
        #expect(proxy.connections == 1 && lonelyProxy.connections == 1)
        #expect(Double(proxy.bytesDown) <= 1.1 * Double(lonelyProxy.bytesDown) + 2_000)
    }

    @Test("R37: the first start ever is without a network: empty, but usable") func firstStartOffline() throws {
        var server = try ServerUnderTest()
        let (a, b) = (try SyncedDevice(server.url), try SyncedDevice(server.url))
        try b.open()
        try b.put((1...7).map { (Int64($0), "b\($0)") })
        try b.wait(.upload)
        server.end(SIGKILL)
        try a.open()
        #expect(try a.tasks().isEmpty)
        try a.put((11...13).map { (Int64($0), "a\($0)") })
        let pending = try a.state(naming: 10)
        #expect(pending.unsentObjects.map(\.key) == [.int(11), .int(12), .int(13)])
        server = try ServerUnderTest(server.directory, port: server.port)
        for device in [a, b] {
            _ = try device.wire.call(SyncControl(target: .handle(device.realm), wish: .reconnect))
        }
        try a.wait(.upload)
        for device in [a, b] {
            try device.wait(.download)
            #expect(try device.tasks().count == 10)
            let state = try device.state(naming: 10)
            #expect(state.unsentObjects.isEmpty && state.unsentTransactions == 0)
        }
        #expect(try a.tasks() == b.tasks())
    }

    @Test("R32, FI-04: a bundle that the server's history doesn't reach any more works, and the log says what happened")
    func staleBundle() throws {
        var server = try ServerUnderTest(TemporaryDirectory(), ["--development", "--offline-days", "1"])
        let a = try SyncedDevice(server.url)
        try a.open()
        for start in stride(from: 0, to: 1_000, by: 100) {
            try a.put((start..<(start + 100)).map { (Int64($0), "task \($0)") })
        }
        try a.wait(.upload)
        _ = try a.wire.call(
            RealmCopy(
                target: .handle(a.realm), destination: a.agent.home.path("bundle.realm"),
                destinationSync: a.target("home")))
        // Ten of them change, often.
        for round in 0..<200 { try a.put((0..<10).map { (Int64($0), "round \(round) of the changes") }) }
        try a.wait(.upload)
        let b = try SyncedDevice(server.url)
        server.end(SIGTERM)
        #expect(try server.trim(afterDays: 3) > 50_000)
        // Offline at first.
        let seed = b.agent.home.path(".seed-1")
        try FileManager.default.copyItem(atPath: a.agent.home.path("bundle.realm"), toPath: seed)
        let realm = try b.wire.call(
            RealmOpen(
                path: b.path("home"), schema: SyncedDevice.schema, create: true, events: true, sync: b.target("home"),
                seed: seed)
        ).realm
        #expect(!FileManager.default.fileExists(atPath: seed))
        try b.open()
        #expect(try b.tasks().count == 1_000)
        try b.put([(2_001, "new"), (2_002, "new")])
        #expect(try b.state(naming: 9).unsentObjects.map(\.key) == [.int(2_001), .int(2_002)])
        server = try ServerUnderTest(server.directory, port: server.port, ["--development", "--offline-days", "1"])
        for device in [a, b] {
            _ = try device.wire.call(SyncControl(target: .handle(device.realm), wish: .reconnect))
        }
        let hasReset = try eventually(within: .seconds(30)) { try b.tasks()[0] == "round 199 of the changes" }
        #expect(hasReset)
        try b.wait(.upload)
        try a.wait(.download)
        #expect(try b.tasks().count == 1_002)
        #expect(try b.tasks() == a.tasks())
        #expect(b.agent.output.contains("history that the client needs was trimmed"))
        let c = try SyncedDevice(server.url)
        try c.open()
        try c.wait(.download)
        #expect(try c.tasks() == b.tasks())
        _ = try b.wire.call(RealmClose(realm: realm))
    }

    @Test("FI-04, CF-14: what a seed may be, over the socket") func seeds() throws {
        let server = try ServerUnderTest()
        let a = try SyncedDevice(server.url)
        try a.open()
        try a.put([(1, "one")])
        func code<Request: WireRequest>(_ request: Request) -> WireError.Code? {
            do {
                _ = try a.wire.call(request)
                return nil
            } catch {
                return (error as? WireError)?.code
            }
        }
        let bundle = a.agent.home.path("bundle.realm")
        _ = try a.wire.call(SyncControl(target: .handle(a.realm), wish: .suspend))
        try a.put([(2, "two")])
        let copy = RealmCopy(target: .handle(a.realm), destination: bundle, destinationSync: a.target("home"))
        #expect(code(copy) == .unsentChanges)
        _ = try a.wire.call(SyncControl(target: .handle(a.realm), wish: .resume))
        try a.wait(.upload)
        var elsewhere = copy
        elsewhere.destinationSync = a.target("other")
        #expect(code(elsewhere) == .syncMismatch)
        #expect(code(copy) == nil)
        #expect(code(copy) == .fileExists)
        func open(_ seed: String, _ name: String = "new", of partition: String = "home") -> WireError.Code? {
            code(
                RealmOpen(
                    path: a.path(name), schema: SyncedDevice.schema, create: true, sync: a.target(partition), seed: seed
                ))
        }
        // Another directory, or another realm that would be removed.
        #expect(open(a.path("home")) == .badParams)
        #expect(open(a.agent.home.path("run/.seed")) == .badParams)
        #expect(open(a.agent.home.path(".seed")) == .fileNotFound)
        let seed = a.agent.home.path(".seed")
        try FileManager.default.copyItem(atPath: bundle, toPath: seed)
        #expect(open(seed, of: "other") == .syncMismatch)
        #expect(!FileManager.default.fileExists(atPath: seed))
        // Opened where it is, it is its user's, and another partition's never.
        #expect(code(RealmOpen(path: bundle, schema: SyncedDevice.schema)) == .syncMismatch)
        #expect(code(RealmOpen(path: bundle, sync: a.target("other"))) == .syncMismatch)
        #expect(code(RealmOpen(path: bundle, schema: SyncedDevice.schema, sync: a.target("home"))) == nil)
    }
}
