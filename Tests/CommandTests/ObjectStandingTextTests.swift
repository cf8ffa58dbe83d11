import Foundation
import Model
import Testing
import Wire

@testable import reeve

/// The words of `reeve why`.
@Suite struct ObjectStandingTextTests {
    private static let time: Int64 = 1_700_000_000_000
    private static let said = "2023-11-14T22:13:20Z"

    private func state(
        _ connection: SyncConnectionState = .connected, partition: String? = "\"home\"", error: String? = nil,
        set: WireSubscriptionSet? = nil
    ) -> SyncStateReply {
        SyncStateReply(
            target: SyncTarget(app: "shop", server: "http://s", user: "u1", partition: partition), session: .active,
            connection: connection, error: error, subscriptions: set.map { SubscriptionsReply(set: $0, active: 1) })
    }

    private func lines(_ reply: SyncExplainReply) -> [String] { ObjectStandingText(reply, name: "Task 7").lines }

    @Test func whatIsEverywhere() {
        #expect(
            lines(SyncExplainReply(state: state(), exists: true))
                == ["Task 7 is here, and everything that was written to it here is on the server."])
        #expect(
            lines(SyncExplainReply(state: state(), exists: false))
                == ["There is no Task 7 here, and nothing of it waits to be sent."])
    }

    @Test func whatIsBeingSent() {
        let reply = SyncExplainReply(
            state: state(), exists: true, unsentTransactions: 1, unsentSince: Self.time, before: 2,
            lastWriter: SyncWriter(file: 0, at: Self.time))
        #expect(
            lines(reply) == [
                "Task 7 was changed here, and the transaction isn't on the server yet, of \(Self.said).",
                "It is being sent by the session of user u1 for partition \"home\". 2 earlier transactions go first.",
                "It was written last on this device, at \(Self.said)."
            ])
    }

    @Test func whatWaitsForAConnection() {
        var reply = SyncExplainReply(
            state: state(.disconnected, error: "SyncConnectFailed: refused"), offlineSince: Self.time, exists: false,
            unsentTransactions: 3, unsentSince: Self.time)
        #expect(
            lines(reply) == [
                "Task 7 was deleted here, and 3 transactions aren't on the server yet, the oldest of \(Self.said).",
                "It waits for the session of user u1 for partition \"home\": there is no connection to http://s since "
                    + "\(Self.said) (SyncConnectFailed: refused)."
            ])
        reply.state = state(.connecting, partition: nil)
        #expect(lines(reply)[1] == "It waits for the session of user u1, which is connecting to http://s.")
    }

    @Test func whatWaitsForSomebody() {
        var reply = SyncExplainReply(
            state: state(.disconnected), obstacle: "it is paused (reeve sync resume)", exists: true,
            unsentTransactions: 1)
        #expect(
            lines(reply)[1]
                == "It waits for the session of user u1 for partition \"home\", which sends nothing: it is paused (reeve "
                + "sync resume).")
        reply.isResetting = true
        #expect(lines(reply)[1].hasSuffix("which is getting the server's state first (client reset)."))
        reply.unsentTransactions = 0
        #expect(lines(reply)[1] == "The realm is getting the server's state (client reset).")
        reply.isResetting = false
        #expect(lines(reply)[1] == "What others write to it doesn't come: it is paused (reeve sync resume).")
        reply.obstacle = nil
        reply.offlineSince = Self.time
        #expect(
            lines(reply)[1]
                == "What others write to it comes with the next connection to http://s; there has been none since "
                + "\(Self.said).")
    }

    @Test func whatWasUndone() {
        let reply = SyncExplainReply(
            state: state(partition: nil), exists: true,
            rejection: SyncRejection(reason: "no permission", at: Self.time),
            lastWriter: SyncWriter(file: 9, at: Self.time))
        #expect(
            lines(reply).dropFirst() == [
                "What was written to it here was undone, at \(Self.said): no permission.",
                "It was written last by another device (file 9), at \(Self.said)."
            ])
        let restarted = SyncExplainReply(state: state(), exists: true, rejection: SyncRejection(reason: "r", at: nil))
        #expect(lines(restarted)[1] == "What was written to it here was undone: r.")
        let server = SyncExplainReply(state: state(), exists: true, lastWriter: SyncWriter(file: 1, at: Self.time))
        #expect(lines(server)[1] == "It was written last by the server, at \(Self.said).")
    }

    @Test func whatNobodyAsksFor() {
        func set(_ state: SubscriptionsState, _ error: String? = nil) -> WireSubscriptionSet {
            WireSubscriptionSet(version: 2, state: state, error: error, subscriptions: [])
        }
        func line(_ set: WireSubscriptionSet, _ isSubscribed: Bool) -> String? {
            let reply = SyncExplainReply(
                state: state(partition: nil, set: set), exists: false, isSubscribed: isSubscribed)
            return lines(reply).dropFirst().first
        }
        #expect(
            line(set(.complete), false)
                == "No subscription asks for objects of its class: the server doesn't send them.")
        #expect(line(set(.complete), true) == nil)
        #expect(
            line(set(.bootstrapping), true)
                == "The latest subscriptions aren't in force yet: what they ask for is still to come.")
        #expect(line(set(.error, "bad query"), true) == "The server has refused the latest subscriptions: bad query.")
    }

    @Test func everythingForPrograms() throws {
        let reply = SyncExplainReply(
            state: state(.disconnected), obstacle: "o", offlineSince: Self.time, exists: true, unsentTransactions: 1,
            unsentSince: Self.time, before: 2, rejection: SyncRejection(reason: "r", at: Self.time),
            lastWriter: SyncWriter(file: 9, at: Self.time), isSubscribed: true)
        let json = ObjectStandingText(reply, name: "Task 7").json
        #expect(JSONSerialization.isValidJSONObject(json))
        #expect(json["offlineSince"] as? String == Self.said && json["before"] as? Int == 2)
        #expect((json["rejection"] as? [String: String])?["reason"] == "r")
        #expect((json["lastWriter"] as? [String: Any])?["file"] as? Int == 9)
        #expect((json["text"] as? [String])?.count == ObjectStandingText(reply, name: "Task 7").lines.count)
    }
}
