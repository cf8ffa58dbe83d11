import Foundation
import RealmSwift
import TestSupport

// Classes and a file that the tests of several sections use. Class names are unique among all tests of the package,
// which are one process.

enum ShelterSize: String, PersistableEnum {
    case small, medium, large
}

final class ShelterDog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var breed: String
    @Persisted var age: Int
    @Persisted var weight: Double?
    @Persisted var born: Date?
    @Persisted var size: ShelterSize
    @Persisted var keeper: ShelterKeeper?
    @Persisted var tags: List<String>
    @Persisted var scores: List<Int>
    @Persisted(originProperty: "dogs") var keepers: LinkingObjects<ShelterKeeper>

    var firstLetter: String { name.isEmpty ? "" : String(name.prefix(1)) }

    convenience init(_ id: Int, _ name: String, breed: String = "", age: Int = 0) {
        self.init()
        self.id = id
        self.name = name
        self.breed = breed
        self.age = age
    }
}

final class ShelterKeeper: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var city: String?
    @Persisted var dogs: List<ShelterDog>

    convenience init(_ name: String, city: String? = nil) {
        self.init()
        self.name = name
        self.city = city
    }
}

/// A file with the classes above.
struct Shelter {
    let directory: TemporaryDirectory
    let configuration: Realm.Configuration

    init() {
        SharedAgent.ensure()
        directory = TemporaryDirectory()
        configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: directory.path("shelter.realm")),
            objectTypes: [ShelterDog.self, ShelterKeeper.self])
    }

    /// Six dogs, ids 0 to 5; Ann of Kyiv keeps the first four in her list, Ben of nowhere none.
    func filled() throws -> Realm {
        let realm = try Realm(configuration: configuration)
        let rows: [(String, String, Int)] = [
            ("Rex", "boxer", 7), ("Ada", "beagle", 3), ("Bello", "boxer", 5), ("Ivo", "collie", 9),
            ("Ben", "beagle", 1), ("Rolf", "akita", 4)
        ]
        try realm.write {
            let ann = ShelterKeeper("Ann", city: "Kyiv")
            for (id, row) in rows.enumerated() {
                let dog = ShelterDog(id, row.0, breed: row.1, age: row.2)
                dog.weight = id == 5 ? nil : Double(id) + 0.5
                dog.size = id == 3 ? .large : .small
                dog.tags.append(objectsIn: (0..<id % 3).map { "tag\($0)" })
                dog.scores.append(objectsIn: [id, id * 10])
                if id < 4 {
                    dog.keeper = ann
                    ann.dogs.append(dog)
                }
                realm.add(dog)
            }
            realm.add(ann)
            realm.add(ShelterKeeper("Ben"))
        }
        return realm
    }
}

/// What observers have been told, in words.
final class Log: @unchecked Sendable {
    private let lock = NSLock()
    private var lines: [String] = []

    func add(_ line: String) { lock.withLock { lines.append(line) } }
    var all: [String] { lock.withLock { lines } }
    var last: String? { all.last }
}

/// As `eventually`, without holding the thread that an actor may need.
func settled(within deadline: Duration = .seconds(10), _ condition: () -> Bool) async -> Bool {
    let end = ContinuousClock.now + deadline
    while !condition() {
        guard ContinuousClock.now < end else { return false }
        try? await Task.sleep(for: .milliseconds(1))
    }
    return true
}
