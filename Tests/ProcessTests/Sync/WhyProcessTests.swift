import Foundation
import TestSupport
import Testing
import Wire

/// `reeve why`, with server, agents and command as processes.
@Suite struct WhyProcessTests {
    private func why(_ device: SyncedDevice, _ key: Int) throws -> (status: Int32, text: String) {
        let (status, output) = try device.agent.command(["why", device.path("home"), "Task", "\(key)"])
        return (status, output)
    }

    @Test("what isn't sent says what it waits for, what is sent who has written it last") func standing() throws {
        var server = try ServerUnderTest()
        let (a, b) = (try SyncedDevice(server.url), try SyncedDevice(server.url))
        try a.open()
        try b.open()
        try a.put([(1, "one")])
        try a.wait(.upload)
        let sent = try why(a, 1)
        #expect(sent.status == 0 && sent.text.contains("everything that was written to it here is on the server"))
        #expect(sent.text.contains("written last on this device"))
        try b.wait(.download)
        try b.put([(1, "changed")])
        try b.wait(.upload)
        try a.wait(.download)
        #expect(try why(a, 1).text.contains("written last by another device (file "))
        #expect(try why(a, 2).status == 1)
        #expect(try why(a, 2).text.hasPrefix("There is no Task 2 here"))

        server.end(SIGKILL)
        let isLost = try eventually { try a.state().connection == .disconnected }
        #expect(isLost)
        try a.put([(2, "two")])
        try a.put([(3, "three")])
        let waiting = try why(a, 3)
        #expect(waiting.status == 1 && waiting.text.contains("Task 3 was changed here"), "\(waiting)")
        #expect(
            waiting.text.contains("there is no connection to \(server.url) since ")
                || waiting.text.contains("connecting"))
        #expect(waiting.text.contains("1 earlier transaction goes first"))
        _ = try a.wire.call(ObjectDelete(realm: a.realm, className: "Task", keys: [.int(2)]))
        #expect(try why(a, 2).text.contains("was deleted here, and 2 transactions aren't on the server yet"))
        #expect(try a.agent.command(["sync", "pause", a.path("home")]).status == 0)
        #expect(try why(a, 3).text.contains("it is paused (reeve sync resume)"))
        #expect(try a.agent.command(["sync", "resume", a.path("home")]).status == 0)
        let json = try a.agent.command(["why", a.path("home"), "Task", "3", "--json"])
        let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
        #expect(object?["unsentTransactions"] as? Int == 1 && object?["before"] as? Int == 1)

        server = try ServerUnderTest(server.directory, port: server.port)
        _ = try a.wire.call(SyncControl(target: .handle(a.realm), wish: .reconnect))
        try a.wait(.upload)
        #expect(try why(a, 3).status == 0)
        _ = try a.wire.call(AppLogout(app: a.app, user: a.user))
        #expect(try a.agent.command(["why", a.path("home"), "Task", "3"]).output.contains("isn't known here; log in"))
        #expect(try a.agent.command(["why", a.path("home"), "Cat", "3"]).output.contains("there is no class \"Cat\""))
    }

    @Test("what the server has undone says why, and what nobody subscribes to that it doesn't come")
    func undone() throws {
        let server = try SyncedDevice.flexibleServer()
        let a = try SyncedDevice(server.url, app: "items")
        try a.openFlexible()
        let path = try a.wire.call(RealmInfo(target: .handle(a.realm))).path
        #expect(
            try a.agent.command(["why", path, "Item", "1"]).output.contains(
                "No subscription asks for objects of its class"))
        let edit = SubscriptionsEdit.items("n > 3")
        let version = try a.wire.call(SubscriptionsUpdate(realm: a.realm, edits: [edit])).set.version
        #expect(try a.wait(for: version).state == .complete)
        try a.putItems([(1, 1, "x")])
        _ = try a.next(.syncFailed)
        let (status, text) = try a.agent.command(["why", path, "Item", "1"])
        #expect(status == 1 && text.contains("What was written to it here was undone, at "), "\(text)")
        #expect(text.contains("object is outside of the current query view"))
        // Also when the agent that heard of it is gone.
        try a.restartAgent(opening: nil)
        let later = try a.agent.command(["why", path, "Item", "1"]).output
        #expect(later.contains("undone: ") && later.contains("outside of the current query view"), "\(later)")
    }
}
