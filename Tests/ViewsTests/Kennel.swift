import Foundation
import RealmSwift
import TestSupport

// Classes and files that the tests of views use. Class names are unique among all tests of the package, which are one
// process.

final class KennelDog: Object, ObjectKeyIdentifiable {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name: String
    @Persisted var breed: String
    @Persisted var age: Int
    @Persisted var toys: RealmSwift.List<String>
    @Persisted var tricks: MutableSet<String>
    @Persisted var visits: Map<String, Int>

    convenience init(name: String, breed: String = "", age: Int = 0) {
        self.init()
        self.name = name
        self.breed = breed
        self.age = age
    }
}

final class KennelPerson: Object, ObjectKeyIdentifiable {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name: String
    @Persisted var dogs: RealmSwift.List<KennelDog>
}

final class KennelDogName: Projection<KennelDog>, ObjectKeyIdentifiable {
    @Projected(\KennelDog.name) var name
}

/// A file of the classes above.
struct Kennel {
    let directory = TemporaryDirectory()
    let configuration: Realm.Configuration

    init() {
        SharedAgent.ensure()
        configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: directory.path("kennel.realm")),
            objectTypes: [KennelDog.self, KennelPerson.self])
    }

    /// Opens it here, with dogs of some names.
    @discardableResult
    func filled(_ names: String...) throws -> Realm {
        let realm = try Realm(configuration: configuration)
        try realm.write {
            for name in names { realm.add(KennelDog(name: name)) }
        }
        return realm
    }

    /// Writes on another thread, and waits until that is done.
    func elsewhere(_ block: @escaping @Sendable (Realm) -> Void) async throws {
        let configuration = configuration
        try await Task.detached {
            let realm = try Realm(configuration: configuration)
            try realm.write { block(realm) }
        }.value
    }
}
