import Foundation
import RealmSwift

final class Dog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var age: Int
    @Persisted var friends: List<Dog>
    @Persisted var scores: List<Int>
    @Persisted var owner: Person?

    convenience init(_ id: Int) {
        self.init()
        self.id = id
    }
}

final class Person: Object {
    @Persisted var name: String
}

/// A class whose `init()` does what it must not.
final class Recluse: Object {
    @Persisted var id: Int
    nonisolated(unsafe) static var path = ""

    required init() {
        super.init()
        if !Recluse.path.isEmpty { _ = try? Realm(configuration: configuration([Recluse.path])) }
    }

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

func configuration(_ arguments: [String]) -> Realm.Configuration {
    Realm.Configuration(
        fileURL: URL(fileURLWithPath: arguments[0]), objectTypes: [Dog.self, Person.self])
}

/// A realm with one dog.
func realmWithDog(_ arguments: [String], queue: DispatchQueue? = nil) throws -> (Realm, Dog) {
    let realm = try Realm(configuration: configuration(arguments), queue: queue)
    if let dog = realm.object(ofType: Dog.self, forPrimaryKey: 1) { return (realm, dog) }
    // Others may do the same at this moment: inside the transaction it shows.
    let dog = try realm.write {
        realm.object(ofType: Dog.self, forPrimaryKey: 1) ?? realm.create(Dog.self, value: ["id": 1])
    }
    return (realm, dog)
}

/// Takes a value to another thread although it may not go there: that is what is tested.
struct Smuggled<Value>: @unchecked Sendable {
    let value: Value
}

/// Runs `body` on a thread of its own and waits.
func onThread(_ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    Thread {
        body()
        done.signal()
    }.start()
    done.wait()
}
