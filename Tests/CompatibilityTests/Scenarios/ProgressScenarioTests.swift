import Foundation
import RealmSwift
import TestSupport
import Testing

/// Field reports about progress, and SY-09, SY-10.
@Suite("Progress of transfers")
struct ProgressScenarioTests {
    private func opened(_ configuration: Realm.Configuration) throws -> Realm {
        try Realm(configuration: configuration)
    }

    private func configuration(_ user: User, _ partition: String = BundlePlace.partition) -> Realm.Configuration {
        var configuration = user.configuration(partitionValue: partition)
        configuration.objectTypes = [BundleScenarioTests.Task.self]
        return configuration
    }

    @Test("R65, SY-09, SY-10: a long download: from 0 to 1, never back, complete once all of it can be read")
    @MainActor func download() async throws {
        let place = BundlePlace("progress-download")
        let user = try await place.user("ann")
        let other = try place.device()
        let text = String(repeating: "x", count: 600_000)
        for n in 0..<25 { try place.put(other, owner: "Jon", ["\(n) \(text)"]) }
        let configuration = configuration(user)
        let realm = try opened(configuration)
        let session = try #require(realm.syncSession)
        let (all, once) = (Reports(), Reports())
        let read: @Sendable (Double) -> Int? = { estimate in
            estimate < 1 ? nil : try? Realm(configuration: configuration).objects(BundleScenarioTests.Task.self).count
        }
        let tokens = [
            session.addProgressNotification(for: .download, mode: .reportIndefinitely) {
                all.note($0.progressEstimate, read($0.progressEstimate))
            },
            session.addProgressNotification(for: .download, mode: .forCurrentlyOutstandingWork) {
                once.note($0.progressEstimate, read($0.progressEstimate))
            }
        ]
        try await session.wait(for: .download)
        #expect(eventually { all.estimates.last == 1 && once.estimates.last == 1 })
        for reports in [all, once] {
            let estimates = reports.estimates
            #expect(estimates.count >= 20, "\(estimates)")
            #expect(estimates.allSatisfy { $0 >= 0 && $0 <= 1 }, "\(estimates)")
            #expect(zip(estimates, estimates.dropFirst()).allSatisfy { $0 <= $1 }, "\(estimates)")
            #expect(estimates.count { $0 == 1 } == 1, "\(estimates)")
            #expect(reports.counts == [25])
        }
        withExtendedLifetime(tokens) {}
    }

    @Test("R65: of an empty realm it is complete once the server has said that there is nothing")
    @MainActor func empty() async throws {
        var server = try ServerUnderTest()
        let place = BundlePlace("progress-empty", server.url)
        let user = try await place.user("ann")
        server.end(SIGKILL)
        let realm = try opened(configuration(user, "nothing"))
        let reports = Reports()
        let token = realm.syncSession?.addProgressNotification(for: .download, mode: .forCurrentlyOutstandingWork) {
            reports.note($0.progressEstimate, nil)
        }
        #expect(!eventually(within: .milliseconds(300)) { !reports.estimates.isEmpty })
        server = try ServerUnderTest(server.directory, port: server.port)
        realm.syncSession?.reconnect()
        try await realm.syncSession?.wait(for: .download)
        #expect(eventually { reports.estimates == [1] })
        try await realm.syncSession?.wait(for: .upload)
        #expect(reports.estimates == [1])
        token?.invalidate()
        server.end(SIGTERM)
    }

    @Test("R66, SY-09: who asks when everything is there is told so at once, once, in whatever process")
    @MainActor func upToDate() async throws {
        let place = BundlePlace("progress-up-to-date")
        let user = try await place.user("ann")
        let other = try place.device()
        try place.put(other, owner: "Jon", ["a"])
        let configuration = configuration(user)
        do {
            let realm = try opened(configuration)
            try await realm.syncSession?.wait(for: .upload)
            #expect(realm.objects(BundleScenarioTests.Task.self).count <= 1)
        }
        let path = try #require(configuration.fileURL?.path)
        // Another process has it open, and has had the download.
        let environment = ProcessInfo.processInfo.environment.merging(["REEVE_SERVER": place.url]) { $1 }
        let holder = try ChildProgram(
            ["R66 holder", place.app.appId, BundlePlace.partition, path], environment: environment)
        defer { holder.kill() }
        #expect(eventually { holder.said == ["open"] })
        let realm = try opened(configuration)
        let session = try #require(realm.syncSession)
        try await session.wait(for: .download)
        for _ in 0..<2 {
            let reports = Reports()
            let begun = ContinuousClock.now
            let token = session.addProgressNotification(for: .download, mode: .forCurrentlyOutstandingWork) {
                reports.note($0.progressEstimate, nil)
            }
            #expect(eventually(within: .seconds(2)) { reports.estimates == [1] })
            #expect(ContinuousClock.now - begun < .seconds(1))
            // It has ended by itself.
            try place.put(other, owner: "Jon", ["b"])
            try await session.wait(for: .download)
            #expect(reports.estimates == [1])
            token?.invalidate()
        }
    }
}

/// What was reported, and how many objects there were then.
private final class Reports: @unchecked Sendable {
    // Behind the lock.
    private let lock = NSLock()
    private var noted: [(estimate: Double, count: Int?)] = []

    func note(_ estimate: Double, _ count: Int?) { lock.withLock { noted.append((estimate, count)) } }

    var estimates: [Double] { lock.withLock { noted.map(\.estimate) } }
    var counts: [Int] { lock.withLock { noted.compactMap(\.count) } }
}
