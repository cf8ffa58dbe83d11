import Testing
import Wire

@testable import Agent

/// The rules of one conversation.
@Suite struct SessionTests {
    private func greeted(_ limits: Limits = Limits()) -> Session {
        var session = Session(limits: limits)
        _ = session.admit(method: "hello", hasId: true)
        let refusal = session.greet(Hello(client: "test", pid: 1))
        #expect(refusal == nil)
        session.answered()
        return session
    }

    @Test func helloComesFirst() {
        var session = Session(limits: Limits())
        guard case .close(let error) = session.admit(method: "realm.open", hasId: true) else {
            Issue.record("a request before hello was taken")
            return
        }
        #expect(error.code == .helloRequired)
        #expect(session.admit(method: "hello", hasId: true) == .take(.hello))
    }

    @Test func helloComesOnce() {
        var session = greeted()
        guard case .refuse(let error) = session.admit(method: "hello", hasId: true) else {
            Issue.record("a second hello was taken")
            return
        }
        #expect(error.code == .badMessage)
    }

    @Test func anUnknownMethodIsRefusedByName() {
        var session = greeted()
        guard case .refuse(let error) = session.admit(method: "realm.explode", hasId: true) else {
            Issue.record("an unknown method was taken")
            return
        }
        #expect(error.code == .unknownMethod)
        #expect(error.facts["method"] == .string("realm.explode"))
        #expect(session.inFlight == 0)
    }

    @Test func requestsUnderWayAreBounded() {
        var session = greeted(Limits(inFlight: 2))
        #expect(session.admit(method: "write.begin", hasId: true) == .take(.writeBegin))
        #expect(session.admit(method: "write.begin", hasId: true) == .take(.writeBegin))
        guard case .refuse(let error) = session.admit(method: "write.begin", hasId: true) else {
            Issue.record("a third request was taken")
            return
        }
        #expect(error.code == .tooManyRequests)
        // What wants no answer isn't under way.
        #expect(session.admit(method: "snapshot.release", hasId: false) == .take(.snapshotRelease))
        session.answered()
        #expect(session.admit(method: "write.begin", hasId: true) == .take(.writeBegin))
    }

    @Test("R85 both versions are named when they don't fit", arguments: [0, 2] as [Int32])
    func otherProtocol(version: Int32) throws {
        var session = Session(limits: Limits())
        _ = session.admit(method: "hello", hasId: true)
        let refusal = session.greet(Hello(protocolVersion: version, client: "app", pid: 1, version: "9.9"))
        let error = try #require(refusal)
        #expect(error.code == .unsupportedProtocol)
        #expect(error.message.contains("protocol \(version)") && error.message.contains("speaks \(protocolVersion)"))
        #expect(session.phase == .fresh)
    }

    @Test("R85 features that the agent doesn't know are no obstacle") func unknownFeature() {
        var session = Session(limits: Limits())
        _ = session.admit(method: "hello", hasId: true)
        let refusal = session.greet(Hello(client: "app", pid: 1, features: [Feature(rawValue: "telepathy")]))
        #expect(refusal == nil)
        #expect(!session.has(.descriptors))
    }

    @Test func aClosingConnectionTakesNothing() {
        var session = greeted()
        session.close()
        guard case .refuse = session.admit(method: "write.begin", hasId: true) else {
            Issue.record("a closing connection took a request")
            return
        }
    }

    @Test func handlesAreNeverUsedTwice() {
        var session = greeted()
        #expect((1...3).map { _ in session.nextHandle() } == [1, 2, 3])
    }
}
