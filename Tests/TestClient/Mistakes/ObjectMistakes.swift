import Foundation
import RealmSwift

/// Its property is declared without `@Persisted`.
final class OldDog: Object {
    let age = RealmProperty<Int?>()
}

final class LongValues: Object {
    @Persisted var text: String
    @Persisted var data: Data
    @Persisted var texts: List<String>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Mistakes with objects by their number in the catalogue; each ends in a trap.
enum ObjectMistakes {
    static var all: [String: Scenario.Body] {
        [
            "MK-04 legacy": { arguments in
                let realm = try Realm(
                    configuration: Realm.Configuration(
                        fileURL: URL(fileURLWithPath: arguments[0]), objectTypes: [OldDog.self]))
                let dog = try realm.write { realm.create(OldDog.self) }
                dog.age.value = 3
            },
            "LM-01 text": { arguments in
                try writeLong(arguments) { $0.text = String(repeating: "x", count: 1 << 24) }
            },
            "LM-01 data": { arguments in try writeLong(arguments) { $0.data = Data(count: 1 << 24) } },
            "LM-01 element": { arguments in
                try writeLong(arguments) { $0.texts.append(String(repeating: "x", count: 1 << 24)) }
            },
            "LM-01 new text": { arguments in
                try writeLong(arguments) { object in
                    let new = LongValues()
                    new.text = String(repeating: "x", count: 1 << 24)
                    object.realm?.add(new)
                }
            },
            "MK-10": { arguments in
                let dog = try realmWithDog(arguments).1
                let other = try realmWithDog([arguments[0] + ".other"]).0
                try other.write { other.add(dog) }
            },
            "MK-11": { arguments in
                let (realm, dog) = try realmWithDog(arguments)
                try realm.write {
                    realm.delete(dog)
                    realm.add(dog)
                }
            },
            "MK-12": { arguments in
                let (realm, dog) = try realmWithDog(arguments)
                try realm.write {
                    realm.delete(dog)
                    dog.age = 3
                }
            },
            "MK-13 unmanaged": { arguments in
                let realm = try realmWithDog(arguments).0
                try realm.write { realm.delete(Dog(2)) }
            },
            "MK-13 foreign": { arguments in
                let dog = try realmWithDog(arguments).1
                let other = try realmWithDog([arguments[0] + ".other"]).0
                try other.write { other.delete(dog) }
            },
            "MK-14 added": { arguments in
                let realm = try realmWithDog(arguments).0
                try realm.write { realm.add(Dog(1)) }
            },
            "MK-14 created": { arguments in
                let realm = try realmWithDog(arguments).0
                try realm.write { _ = realm.create(Dog.self, value: ["id": 1]) }
            },
            "MK-15": { arguments in
                let (realm, dog) = try realmWithDog(arguments)
                try realm.write { dog.id = 2 }
            },
            "MK-16": { arguments in
                let realm = try realmWithDog(arguments).0
                try realm.write { realm.add(Person(), update: .modified) }
            },
            "MK-17": { arguments in
                _ = try realmWithDog(arguments).0.object(ofType: Person.self, forPrimaryKey: "Ann")
            },
            "MK-18": { arguments in
                _ = try realmWithDog(arguments).0.object(ofType: Dog.self, forPrimaryKey: "one")
            },
            "MK-19": { arguments in _ = try realmWithDog(arguments).0.objects(Pot.self) },
            "MK-20 created": { arguments in
                let realm = try realmWithDog(arguments).0
                try realm.write { _ = realm.create(Dog.self, value: ["id": 2, "age": "three"]) }
            },
            "MK-20 subscript": { arguments in
                let (realm, dog) = try realmWithDog(arguments)
                try realm.write { dog["age"] = "three" }
            },
            "MK-21": { arguments in
                let realm = try realmWithDog(arguments).0
                try realm.write { _ = realm.create(Dog.self, value: ["id": 2, "name": NSNull()] as [String: Any]) }
            },
            "MK-23": { _ in _ = Person(value: ["Ann", 3] as [Any]) },
            "MK-24 read": { arguments in _ = try realmWithDog(arguments).1["bark"] },
            "MK-24 written": { arguments in
                let (realm, dog) = try realmWithDog(arguments)
                try realm.write { dog.setValue(3, forKey: "bark") }
            },
            "MK-27": { arguments in
                let (realm, dog) = try realmWithDog(arguments)
                try realm.write { dog["owner"] = Dog(2) }
            },
            "MK-54 object frozen": { _ in _ = Dog(1).freeze() },
            "MK-54 object thawed": { _ in _ = Dog(1).thaw() },
            "MK-54 list frozen": { _ in _ = Dog(1).friends.freeze() },
            "MK-55": { arguments in
                let realm = try realmWithDog(arguments).0
                try realm.write { _ = realm.create(Dog.self, value: ["id": 2]).freeze() }
            },
            "MK-56": { arguments in
                let (realm, dog) = try realmWithDog(arguments)
                try realm.write { realm.delete(dog) }
                _ = ThreadSafeReference(to: dog)
            }
        ]
    }

    private static func writeLong(_ arguments: [String], _ body: (LongValues) -> Void) throws {
        let realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: URL(fileURLWithPath: arguments[0]), objectTypes: [LongValues.self]))
        let object = try realm.write { realm.create(LongValues.self) }
        try realm.write { body(object) }
    }
}
