import Foundation
import RealmSwift
import TestSupport
import Testing

final class Page25: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var text: String
    @Persisted var notes: List<Note25>
    @Persisted var cover: Cover25?
}

final class Note25: Object {
    @Persisted var text: String
}

final class Cover25: EmbeddedObject {
    @Persisted var colour: String
}

/// Section 25: copies, deletion, bundled files.
@Suite struct Section25FilesTests {
    private let directory = TemporaryDirectory()

    init() { SharedAgent.ensure() }

    private func configuration(_ name: String) -> Realm.Configuration {
        Realm.Configuration(
            fileURL: URL(fileURLWithPath: directory.path(name)),
            objectTypes: [Page25.self, Note25.self, Cover25.self])
    }

    private func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: directory.path(name)) }

    private func size(_ name: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: directory.path(name))[.size] as? Int ?? 0
    }

    /// A hundred pages, the first with a note and a cover.
    private func filled(_ name: String = "a.realm") throws -> Realm {
        let realm = try Realm(configuration: configuration(name))
        try realm.write {
            for id in 0..<100 { _ = realm.create(Page25.self, value: ["id": id, "text": "page \(id)"]) }
            let first = realm.object(ofType: Page25.self, forPrimaryKey: 0)
            first?.notes.append(Note25(value: ["text": "a note"]))
            first?.cover = Cover25(value: ["colour": "red"])
        }
        return realm
    }

    @Test("FI-01 S34 a copy opens with the data, and is a realm of its own")
    func copy() throws {
        let realm = try filled()
        try realm.writeCopy(configuration: configuration("copy.realm"))
        let copy = try Realm(configuration: configuration("copy.realm"))
        #expect(copy.objects(Page25.self).count == 100)
        #expect(copy.object(ofType: Page25.self, forPrimaryKey: 0)?.notes.first?.text == "a note")
        #expect(copy.object(ofType: Page25.self, forPrimaryKey: 0)?.cover?.colour == "red")
        try copy.write { copy.deleteAll() }
        #expect(realm.objects(Page25.self).count == 100)
    }

    @Test("FI-01 what is there isn't written over, and a directory must be there")
    func refusedCopies() throws {
        let realm = try filled()
        try Data("mine".utf8).write(to: URL(fileURLWithPath: directory.path("copy.realm")))
        let there = #expect(throws: Realm.Error.self) {
            try realm.writeCopy(configuration: configuration("copy.realm"))
        }
        #expect(there?.code == .fileExists)
        #expect(there?.localizedDescription.contains(directory.path("copy.realm")) == true)
        #expect(try String(contentsOfFile: directory.path("copy.realm"), encoding: .utf8) == "mine")
        let missing = #expect(throws: Realm.Error.self) {
            try realm.writeCopy(configuration: configuration("nowhere/copy.realm"))
        }
        #expect(missing?.code == .fileNotFound)
        #expect(missing?.localizedDescription.contains("nowhere") == true)
        #expect(!exists("nowhere"))
        #expect(throws: Realm.Error.self) { try realm.writeCopy(configuration: configuration("a.realm")) }
        #expect(realm.objects(Page25.self).count == 100)
    }

    @Test("FI-05 S5 WR-21 copied by hand: each object is the value of a new one")
    func byHand() throws {
        let source = try filled()
        let target = try Realm(configuration: configuration("b.realm"))
        try target.write { for page in source.objects(Page25.self) { target.create(Page25.self, value: page) } }
        #expect(target.objects(Page25.self).count == 100)
        #expect(target.objects(Note25.self).count == 1)
        #expect(target.object(ofType: Page25.self, forPrimaryKey: 0)?.cover?.colour == "red")
        #expect(source.objects(Page25.self).count == 100)
    }

    @Test("FI-06 a copy to a file")
    func copyToFile() throws {
        let realm = try filled()
        try realm.writeCopy(toFile: URL(fileURLWithPath: directory.path("copy.realm")))
        #expect(try Realm(configuration: configuration("copy.realm")).objects(Page25.self).count == 100)
    }

    @Test("FI-07 FI-08 whether files are there, and deleting them with what belongs to them")
    func deletion() throws {
        let configuration = configuration("a.realm")
        #expect(!Realm.fileExists(for: configuration))
        #expect(try !Realm.deleteFiles(for: configuration))
        do {
            let realm = try filled()
            #expect(Realm.fileExists(for: configuration))
            let open = #expect(throws: Realm.Error.self) { try Realm.deleteFiles(for: configuration) }
            #expect(open?.code == .alreadyOpen && open?.fileURL == configuration.fileURL)
            #expect(realm.objects(Page25.self).count == 100)
        }
        var deleted = false
        #expect(
            eventually {
                deleted = (try? Realm.deleteFiles(for: configuration)) ?? false
                return deleted
            })
        #expect(!Realm.fileExists(for: configuration))
        #expect(!exists("a.realm.journal"))
        #expect(try Realm(configuration: configuration).isEmpty)
    }

    @Test("FI-09 S31 S35 S36 a file that comes with the program: read in place, or copied")
    func bundled() throws {
        do { try filled().writeCopy(configuration: configuration("seed.realm")) }
        let bundle = try #require(Bundle(path: directory.path))
        let url = try #require(bundle.url(forResource: "seed", withExtension: "realm"))
        let before = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
        do {
            let realm = try Realm(
                configuration: Realm.Configuration(
                    fileURL: url, readOnly: true, objectTypes: [Page25.self, Note25.self, Cover25.self]))
            #expect(realm.objects(Page25.self).where { $0.text == "page 7" }.count == 1)
            #expect(realm.objects(Page25.self).first?.notes.count == 1)
        }
        var seeded = configuration("mine.realm")
        seeded.seedFilePath = url
        #expect(try Realm(configuration: seeded).objects(Page25.self).count == 100)
        // What reads the bundle has its own beside it until it is closed.
        #expect(
            try eventually {
                try FileManager.default.contentsOfDirectory(atPath: directory.path).allSatisfy {
                    $0.hasPrefix("mine.realm") || before.contains($0) || $0.hasSuffix(".lock")
                }
            })
    }

    @Test("FI-10 S33 a copy is compact, and holds the same")
    func compactCopy() throws {
        let realm = try filled()
        for round in 0..<4 {
            try realm.write {
                for id in 0..<2_000 {
                    let text = String(repeating: "x", count: 300)
                    _ = realm.create(Page25.self, value: ["id": 1_000 + round * 2_000 + id, "text": text])
                }
            }
            try realm.write { realm.delete(realm.objects(Page25.self).filter("id >= 1000")) }
        }
        try realm.writeCopy(configuration: configuration("copy.realm"))
        #expect(try size("copy.realm") * 4 < size("a.realm"))
        let copy = try Realm(configuration: configuration("copy.realm"))
        #expect(copy.objects(Page25.self).map(\.text) == realm.objects(Page25.self).map(\.text))
    }

    @Test("FI-11 CF-07 RE-06 a key for a file without encryption is refused")
    func needlessKey() throws {
        do { _ = try filled() }
        var configuration = configuration("a.realm")
        configuration.encryptionKey = Data(repeating: 7, count: 64)
        let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
        #expect(error?.code == .invalidDatabase)
        #expect(error?.fileURL == configuration.fileURL)
    }

    @Test("FI-13 RE-06 RE-10 files of the original and of others are not opened, nor changed")
    func foreignFiles() throws {
        // A file of the original: two references, then its mark and its format.
        var original = Data(count: 4_096)
        original.replaceSubrange(16..<24, with: Data("T-DB".utf8) + Data([24, 24, 0, 0]))
        let files: [String: Data] = [
            "original.realm": original, "text.realm": Data(String(repeating: "no realm\n", count: 1_000).utf8),
            "zeros.realm": Data(count: 65_536), "sqlite.realm": Data("SQLite format 3\0".utf8) + Data(count: 4_080)
        ]
        for (name, bytes) in files.sorted(by: { $0.key < $1.key }) {
            try bytes.write(to: URL(fileURLWithPath: directory.path(name)))
            let error = #expect(throws: Realm.Error.self, "\(name)") { try Realm(configuration: configuration(name)) }
            #expect([.invalidDatabase, .unsupportedFileFormatVersion].contains(error?.code), "\(name)")
            #expect(error?.fileURL?.path == directory.path(name), "\(name)")
            #expect(
                error?.localizedDescription.contains(directory.path(name)) == true,
                "\(name): \(String(describing: error))")
            #expect(try Data(contentsOf: URL(fileURLWithPath: directory.path(name))) == bytes, "\(name)")
        }
        #expect(try filled().objects(Page25.self).count == 100)
    }
}
