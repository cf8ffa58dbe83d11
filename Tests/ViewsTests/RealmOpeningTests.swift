import ClientKit
import Foundation
import TestSupport
import Testing

/// What carries out the opening machine, on a source that the test plays.
@MainActor
@Suite(.serialized) struct RealmOpeningTests {
    @MainActor
    final class Source: OpeningSource {
        let kennel = Kennel()
        var user: String? { didSet { changed?() } }
        private var changed: (@MainActor () -> Void)?
        var isOffline = false
        var isBroken = false
        private(set) var attempts: [String] = []
        /// Called by the download, which goes on when it returns.
        var steps: [Double] = []

        func observeUser(_ changed: @escaping @MainActor () -> Void) -> NotificationToken {
            self.changed = changed
            return NotificationToken(end: {})
        }

        func download(user: String, progress: @escaping @MainActor (Double) -> Void) async throws -> Realm {
            attempts.append("download \(user)")
            if isOffline {
                try await Task.sleep(for: .seconds(100))
            }
            for step in steps { progress(step) }
            return try await Realm(configuration: kennel.configuration)
        }

        func openLocal(user: String) async throws -> Realm {
            attempts.append("local \(user)")
            if isBroken { throw CocoaError(.fileReadNoPermission) }
            return try await Realm(configuration: kennel.configuration)
        }
    }

    private func word(_ state: AsyncOpenState) -> String {
        switch state {
        case .connecting: "connecting"
        case .waitingForUser: "waiting"
        case .open(let realm): "open \(realm.objects(KennelDog.self).count)"
        case .progress(let progress): "progress \(progress.fractionCompleted)"
        case .error(let error): "error \((error as NSError).domain) \((error as NSError).code)"
        }
    }

    @Test("S14 UI-03 UI-05: the states of an opening, one change each, as a sequence too") func states() async {
        let source = Source()
        source.steps = [0.25, 0.75]
        let opening = RealmOpening(source, fallsBack: false, timeout: .seconds(4))
        var changes = 0
        opening.willChange = { changes += 1 }
        #expect(source.attempts.isEmpty)
        var seen: [String] = []
        var states = opening.states.makeAsyncIterator()
        if let first = await states.next(isolation: MainActor.shared) { seen.append(word(first)) }
        source.user = "ann"
        while seen.count < 5, let state = await states.next(isolation: MainActor.shared) { seen.append(word(state)) }
        #expect(seen.first == "waiting" && seen.dropFirst().first == "connecting" && seen.last == "open 0")
        #expect(changes == 4 && source.attempts == ["download ann"])
        source.user = nil
        #expect(word(opening.state) == "waiting" && changes == 5)
        source.user = "ben"
        #expect(word(opening.state) == "connecting")
        opening.cancel()
        source.user = "eve"
        #expect(word(opening.state) == "connecting" && source.attempts.count <= 2)
    }

    @Test("S21 UI-01 ER-21: offline, AsyncOpen ends with ETIMEDOUT") func asyncOpenOffline() async {
        let source = Source()
        source.user = "ann"
        source.isOffline = true
        let opening = RealmOpening(source, fallsBack: false, timeout: .milliseconds(20))
        #expect(word(opening.state) == "connecting")
        #expect(await settles { word(opening.state) == "error \(NSPOSIXErrorDomain) \(ETIMEDOUT)" })
        source.isOffline = false
        opening.reopen()
        #expect(await settles { word(opening.state) == "open 0" })
    }

    @Test("S23 UI-02: offline, AutoOpen opens what is there; an error if that fails") func autoOpenOffline()
        async throws
    {
        for isBroken in [false, true] {
            let source = Source()
            try source.kennel.filled("Rex")
            source.user = "ann"
            source.isOffline = true
            source.isBroken = isBroken
            let opening = RealmOpening(source, fallsBack: true, timeout: .milliseconds(20))
            #expect(word(opening.state) == "connecting")
            let end =
                isBroken ? "error \(NSCocoaErrorDomain) \(CocoaError.Code.fileReadNoPermission.rawValue)" : "open 1"
            #expect(await settles { word(opening.state) == end })
            #expect(source.attempts == ["download ann", "local ann"])
        }
    }

    private func settles(_ condition: () -> Bool) async -> Bool {
        let end = ContinuousClock.now + .seconds(10)
        while !condition() {
            guard ContinuousClock.now < end else { return false }
            try? await Task.sleep(for: .milliseconds(1))
        }
        return true
    }
}
