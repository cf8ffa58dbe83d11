import Foundation
import Model
import TestSupport
import Testing

@testable import ClientKit

/// A realm that begins as a copy of a file that came with the app.
@Suite struct SeedTests {
    private let fixture = RealmFixture()

    private func configuration(_ name: String, seed: String) -> Realm.Configuration {
        var configuration = Realm.Configuration(
            path: fixture.directory.path(name), schema: RealmFixture.schema)
        configuration.seedFilePath = URL(fileURLWithPath: seed)
        return configuration
    }

    /// A seed with one dog.
    private func makeSeed() throws -> String {
        let realm = try fixture.open()
        try realm.realm.write { realm.addDog(1, "Rex") }
        let seed = fixture.directory.path("seed.realm")
        try realm.realm.writeCopy(toFile: URL(fileURLWithPath: seed))
        return seed
    }

    @Test func aSeedThatIsALinkIsCopiedAndStaysAsItIs() throws {
        let seed = try makeSeed()
        let before = try Data(contentsOf: URL(fileURLWithPath: seed))
        let link = fixture.directory.path("link.realm")
        #expect(symlink("seed.realm", link) == 0)
        let planted = TestRealm(
            try Realm(configuration: configuration("planted.realm", seed: link), queue: nil), fixture)
        try planted.realm.write { planted.addDog(2) }
        #expect(try planted.dogCount == 2)
        var status = stat()
        #expect(lstat(fixture.directory.path("planted.realm"), &status) == 0)
        #expect(status.st_mode & S_IFMT == S_IFREG)
        #expect(try Data(contentsOf: URL(fileURLWithPath: seed)) == before)
    }

    @Test func aSeedThatIsNoFileIsRefused() throws {
        let directory = fixture.directory.path("seeds")
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        let error = #expect(throws: Realm.Error.self) {
            try Realm(configuration: configuration("planted.realm", seed: directory), queue: nil)
        }
        #expect(error?.code == .fileNotFound)
        let left = try FileManager.default.contentsOfDirectory(atPath: fixture.directory.path)
        #expect(left.filter { $0.hasPrefix("planted") } == [])
    }
}
