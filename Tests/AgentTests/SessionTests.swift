import Testing
import Wire

@testable import Agent

/// The rules of one conversation.
@Suite struct SessionTests {
    private func greeted(_ limits: Limits = Limits()) -> Session {
        var session = Session(limits: limits)
        _ = session.admit(method: "hello", hasId: true, bytes: 10)
        let refusal = session.greet(Hello(client: "test", pid: 1))
        #expect(refusal == nil)
        session.answered(bytes: 10)
        return session
    }

    @Test func helloComesFirst() {
        var session = Session(limits: Limits())
        guard case .close(let error) = session.admit(method: "realm.open", hasId: true, bytes: 10) else {
            Issue.record("a request before hello was taken")
            return
        }
        #expect(error.code == .helloRequired)
        #expect(session.admit(method: "hello", hasId: true, bytes: 10) == .take(.hello))
    }

    @Test func helloComesOnce() {
        var session = greeted()
        guard case .refuse(let error) = session.admit(method: "hello", hasId: true, bytes: 10) else {
            Issue.record("a second hello was taken")
            return
        }
        #expect(error.code == .badMessage)
    }

    @Test func anUnknownMethodIsRefusedByName() {
        var session = greeted()
        guard case .refuse(let error) = session.admit(method: "realm.explode", hasId: true, bytes: 10) else {
            Issue.record("an unknown method was taken")
            return
        }
        #expect(error.code == .unknownMethod)
        #expect(error.facts["method"] == .string("realm.explode"))
        #expect(session.inFlight == 0)
    }

    @Test func requestsUnderWayAreBounded() {
        var session = greeted(Limits(inFlight: 2))
        #expect(session.admit(method: "write.begin", hasId: true, bytes: 10) == .take(.writeBegin))
        #expect(session.admit(method: "write.begin", hasId: true, bytes: 10) == .take(.writeBegin))
        guard case .refuse(let error) = session.admit(method: "write.begin", hasId: true, bytes: 10) else {
            Issue.record("a third request was taken")
            return
        }
        #expect(error.code == .tooManyRequests)
        // What is done at once is never under way, so it is always taken.
        #expect(session.admit(method: "snapshot.release", hasId: false, bytes: 10) == .take(.snapshotRelease))
        session.answered(bytes: 10)
        session.answered(bytes: 10)
        #expect(session.admit(method: "write.begin", hasId: true, bytes: 10) == .take(.writeBegin))
    }

    @Test func requestsWithoutIdAreBoundedToo() {
        var session = greeted(Limits(inFlight: 1))
        #expect(session.admit(method: "write.commit", hasId: false, bytes: 10) == .take(.writeCommit))
        guard case .refuse(let error) = session.admit(method: "write.commit", hasId: false, bytes: 10) else {
            Issue.record("a second request was taken")
            return
        }
        #expect(error.code == .tooManyRequests)
        session.answered(bytes: 10)
        #expect(session.inFlight == 0 && session.heldBytes == 0)
    }

    @Test func theirBytesAreBoundedSaveForTheEndOfAnOpenTransaction() {
        var session = greeted()
        let half = Session.heldLimit / 2
        for _ in 0..<2 {
            #expect(session.admit(method: "write.commit", hasId: true, bytes: half) == .take(.writeCommit))
        }
        guard case .refuse(let error) = session.admit(method: "write.commit", hasId: true, bytes: 1) else {
            Issue.record("a third request was taken")
            return
        }
        #expect(error.code == .tooManyRequests)
        #expect(error.facts["limit"] == .int64(Int64(Session.heldLimit)))
        #expect(session.admit(method: "write.commit", hasId: true, bytes: 9, continues: true) == .take(.writeCommit))
        #expect(session.admit(method: "write.append", hasId: false, bytes: 9) == .take(.writeAppend))
        session.answered(bytes: 9)
        session.answered(bytes: 9)
        session.answered(bytes: half)
        #expect(session.admit(method: "write.commit", hasId: true, bytes: 1) == .take(.writeCommit))
    }

    @Test("R85 both versions are named when they don't fit", arguments: [0, 2] as [Int32])
    func otherProtocol(version: Int32) throws {
        var session = Session(limits: Limits())
        _ = session.admit(method: "hello", hasId: true, bytes: 10)
        let refusal = session.greet(Hello(protocolVersion: version, client: "app", pid: 1, version: "9.9"))
        let error = try #require(refusal)
        #expect(error.code == .unsupportedProtocol)
        #expect(error.message.contains("protocol \(version)") && error.message.contains("speaks \(protocolVersion)"))
        #expect(session.phase == .fresh)
    }

    @Test("R85 features that the agent doesn't know are no obstacle") func unknownFeature() {
        var session = Session(limits: Limits())
        _ = session.admit(method: "hello", hasId: true, bytes: 10)
        let refusal = session.greet(Hello(client: "app", pid: 1, features: [Feature(rawValue: "telepathy")]))
        #expect(refusal == nil)
        #expect(!session.has(.descriptors))
    }

    @Test func aClosingConnectionTakesNothing() {
        var session = greeted()
        session.close()
        guard case .refuse = session.admit(method: "write.begin", hasId: true, bytes: 10) else {
            Issue.record("a closing connection took a request")
            return
        }
    }

    @Test func handlesAreNeverUsedTwice() {
        var session = greeted()
        #expect((1...3).map { _ in session.nextHandle() } == [1, 2, 3])
    }
}
