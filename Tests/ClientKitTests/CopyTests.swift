import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import ClientKit

@Suite("Copies")
struct CopyTests {
    private let fixture = PackFixture()

    private func names(_ path: String) throws -> [String] {
        var configuration = fixture.configuration
        configuration.fileURL = URL(fileURLWithPath: path)
        return try onThread { [configuration] in
            try Realm(configuration: configuration).objects(Hound.self).map(\.name)
        }
    }

    @Test("FI-01: a copy made in a write transaction has what was changed so far, and the original hasn't yet")
    func inTransaction() throws {
        let realm = try fixture.filled()
        let (first, second) = (fixture.directory.path("first.realm"), fixture.directory.path("second.realm"))
        try realm.write {
            realm.add(Hound(7, "Nina"))
            realm.objects(Hound.self)[0].name = "Max"
            realm.delete(realm.objects(Hound.self)[1])
            try realm.writeCopy(toFile: URL(fileURLWithPath: first))
            realm.add(Hound(8, "Late"))
            var other = fixture.configuration
            other.fileURL = URL(fileURLWithPath: second)
            try realm.writeCopy(configuration: other)
            let refusal = #expect(throws: Realm.Error.self) { try realm.writeCopy(configuration: other) }
            #expect(refusal?.code == .fileExists)
        }
        #expect(try names(first) == ["Max", "Ivo", "Ada", "Rolf", "Nina"])
        #expect(try names(second) == ["Max", "Ivo", "Ada", "Rolf", "Nina", "Late"])
        #expect(realm.objects(Hound.self).count == 6)
    }

    @Test("FI-01: a frozen realm writes its version, also when the original goes on")
    func frozen() throws {
        let realm = try fixture.filled()
        let frozen = realm.freeze()
        try realm.write { realm.deleteAll() }
        let copy = fixture.directory.path("frozen.realm")
        try frozen.writeCopy(toFile: URL(fileURLWithPath: copy))
        #expect(try names(copy).count == 5)
    }

    // Root may write everything.
    @Test("FI-09: a realm that its user can't write can be copied", .enabled(if: getuid() != 0))
    func unwritable() throws {
        let resource = fixture.directory.path("resource.realm")
        try fixture.filled().writeCopy(toFile: URL(fileURLWithPath: resource))
        chmod(resource, 0o400)
        var configuration = fixture.configuration
        configuration.fileURL = URL(fileURLWithPath: resource)
        configuration.readOnly = true
        let realm = try Realm(configuration: configuration)
        let copy = fixture.directory.path("copy.realm")
        try realm.writeCopy(toFile: URL(fileURLWithPath: copy))
        #expect(try names(copy).count == 5)
        let refusal = #expect(throws: Realm.Error.self) { try realm.writeCopy(toFile: URL(fileURLWithPath: copy)) }
        #expect(refusal?.code == .fileExists)
    }
}
