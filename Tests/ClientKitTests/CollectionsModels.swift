import Foundation
import RealmSwift
import TestSupport

@testable import ClientKit

enum Temper: String, PersistableEnum {
    case calm, wild
}

class Hound: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var age: Int
    @Persisted var weight: Double?
    @Persisted var isGood: Bool
    @Persisted var born: Date?
    @Persisted var temper: Temper
    @Persisted var owner: Master?
    @Persisted var tricks: List<String>
    @Persisted var scores: List<Int>
    @Persisted(originProperty: "hounds") var packs: LinkingObjects<Pack>

    convenience init(_ id: Int, _ name: String, age: Int = 0) {
        self.init()
        self.id = id
        self.name = name
        self.age = age
    }
}

class Master: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var city: String

    convenience init(_ name: String, city: String = "") {
        self.init()
        self.name = name
        self.city = city
    }
}

class Pack: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var hounds: List<Hound>
    @Persisted var leader: Hound?

    convenience init(_ name: String) {
        self.init()
        self.name = name
    }
}

/// A file with the classes of the collection tests.
struct PackFixture {
    let directory: TemporaryDirectory
    let configuration: Realm.Configuration

    init() {
        SharedAgent.ensure()
        directory = TemporaryDirectory()
        configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: directory.path("packs.realm")),
            objectTypes: [Hound.self, Master.self, Pack.self])
    }

    /// Five hounds: ids 0 to 4, ages 10, 8, 6, 4, 2, the even ones of Ann.
    func filled() throws -> Realm {
        let realm = try Realm(configuration: configuration)
        try realm.write {
            let ann = Master("Ann", city: "Kyiv")
            for (id, name) in ["Rex", "Bello", "Ivo", "Ada", "Rolf"].enumerated() {
                let hound = Hound(id, name, age: 10 - 2 * id)
                hound.isGood = id > 1
                hound.temper = id == 3 ? .wild : .calm
                hound.weight = id == 4 ? nil : Double(id) + 0.5
                if id % 2 == 0 { hound.owner = ann }
                hound.tricks.append(objectsIn: (0..<id).map { "trick\($0)" })
                hound.scores.append(objectsIn: [id, id * 10])
                realm.add(hound)
            }
            let pack = Pack("all")
            pack.hounds.append(objectsIn: realm.objects(Hound.self))
            realm.add(pack)
        }
        return realm
    }
}
