import Foundation
import RealmSwift

actor Kennel {
    func realm(_ arguments: [String]) async throws -> Smuggled<Realm> {
        Smuggled(value: try await Realm(configuration: configuration(arguments), actor: self))
    }
}

/// Each ends in a trap; the test looks for what it says.
enum MisuseScenarios {
    static var all: [String: Scenario.Body] {
        [
            "thread": { arguments in
                let smuggled = Smuggled(value: try realmWithDog(arguments).0)
                onThread { _ = smuggled.value.isEmpty }
            },
            "object-thread": { arguments in
                let smuggled = Smuggled(value: try realmWithDog(arguments).1)
                onThread { _ = smuggled.value.age }
            },
            "queue": { arguments in
                let queue = DispatchQueue(label: "kennel")
                let realm = try queue.sync { Smuggled(value: try realmWithDog(arguments, queue: queue).0) }
                _ = realm.value.isEmpty
            },
            "actor": { arguments in
                let found = DispatchSemaphore(value: 0)
                nonisolated(unsafe) var realm: Realm?
                Task {
                    realm = try await Kennel().realm(arguments).value
                    found.signal()
                }
                found.wait()
                _ = realm?.isEmpty
            },
            "concurrent-queue": { arguments in
                _ = try Realm(configuration: configuration(arguments), queue: .global())
            },
            "add-outside": { arguments in try realmWithDog(arguments).0.add(Dog(2)) },
            "set-outside": { arguments in try realmWithDog(arguments).1.age = 3 },
            "set-after-commit": { arguments in
                let queue = DispatchQueue(label: "kennel")
                try queue.sync {
                    let (realm, dog) = try realmWithDog(arguments, queue: queue)
                    realm.beginWrite()
                    dog.age = 3
                    realm.commitAsyncWrite()
                    dog.age = 4
                }
            },
            "delete-outside": { arguments in
                let (realm, dog) = try realmWithDog(arguments)
                realm.delete(dog)
            },
            "nested": { arguments in
                let realm = try realmWithDog(arguments).0
                realm.beginWrite()
                realm.beginWrite()
            },
            "commit-without": { arguments in try realmWithDog(arguments).0.commitWrite() },
            "cancel-without": { arguments in try realmWithDog(arguments).0.cancelWrite() },
            "frozen-write": { arguments in try realmWithDog(arguments).0.freeze().beginWrite() },
            "frozen-set": { arguments in try realmWithDog(arguments).1.freeze().age = 3 },
            "frozen-refresh": { arguments in try realmWithDog(arguments).0.freeze().refresh() },
            "frozen-observe": { arguments in
                _ = try realmWithDog(arguments).0.freeze().observe { _, _ in }
            },
            "read-only-write": { arguments in
                _ = try realmWithDog(arguments)
                let copy = URL(fileURLWithPath: arguments[0] + ".copy")
                try realmWithDog(arguments).0.writeCopy(toFile: copy)
                var configuration = configuration(arguments)
                configuration.fileURL = copy
                configuration.readOnly = true
                try Realm(configuration: configuration).beginWrite()
            },
            "deleted-read": { arguments in
                let (realm, dog) = try realmWithDog(arguments)
                try realm.write { realm.delete(dog) }
                _ = dog.age
            },
            "cancelled-read": { arguments in
                let realm = try realmWithDog(arguments).0
                realm.beginWrite()
                let dog = Dog(2)
                realm.add(dog)
                realm.cancelWrite()
                _ = dog.age
            },
            "invalidated-read": { arguments in
                let (realm, dog) = try realmWithDog(arguments)
                realm.invalidate()
                _ = dog.age
            },
            "observe-bare-thread": { arguments in
                onThread { _ = try? realmWithDog(arguments).0.observe { _, _ in } }
            },
            "observe-in-write": { arguments in
                let realm = try realmWithDog(arguments).0
                try realm.write {
                    realm.add(Dog(2))
                    _ = realm.objects(Dog.self).observe { _ in }
                }
            },
            "observe-key-path": { arguments in
                _ = try realmWithDog(arguments).0.objects(Dog.self).observe(keyPaths: ["bark"]) { _ in }
            },
            "foreign-token": { arguments in
                let (realm, dog) = try realmWithDog(arguments)
                let queue = DispatchQueue(label: "elsewhere")
                let token = try queue.sync {
                    Smuggled(value: try realmWithDog(arguments, queue: queue).0.objects(Dog.self).observe { _ in })
                }
                try realm.write(withoutNotifying: [token.value]) { dog.age += 1 }
            },
            "reference-unmanaged": { _ in _ = ThreadSafeReference(to: Dog(1)) },
            "reference-twice": { arguments in
                let (realm, dog) = try realmWithDog(arguments)
                let reference = ThreadSafeReference(to: dog)
                _ = realm.resolve(reference)
                _ = realm.resolve(reference)
            },
            "reference-elsewhere": { arguments in
                let dog = try realmWithDog(arguments).1
                let other = try realmWithDog([arguments[0] + ".other"]).0
                _ = other.resolve(ThreadSafeReference(to: dog))
            },
            "foreign-object-format": { arguments in
                let (realm, person) = try realmAndStranger(arguments)
                _ = realm.objects(Dog.self).filter("owner == %@", person)
            },
            "foreign-object-list": { arguments in
                let (realm, person) = try realmAndStranger(arguments)
                _ = realm.objects(Dog.self).filter("owner IN %@", [person])
            },
            "foreign-object-predicate": { arguments in
                let (realm, person) = try realmAndStranger(arguments)
                let predicate = NSPredicate(format: "age > 1 AND owner == %@", person)
                _ = realm.objects(Dog.self).filter(NSCompoundPredicate(orPredicateWithSubpredicates: [predicate]))
            },
            "foreign-object-closure": { arguments in
                let (realm, person) = try realmAndStranger(arguments)
                _ = realm.objects(Dog.self).where { $0.age > 1 && $0.owner == person }
            },
            "foreign-object-index": { arguments in
                let (realm, person) = try realmAndStranger(arguments)
                _ = realm.objects(Dog.self).index(matching: { $0.owner == person })
            },
            "null-element": { arguments in
                let realm = try realmWithDog(arguments).0
                try realm.write { _ = realm.create(Dog.self, value: ["id": 2, "scores": [1, NSNull()]]) }
            },
            "null-object-element": { arguments in
                let realm = try realmWithDog(arguments).0
                try realm.write { _ = realm.create(Dog.self, value: ["id": 2, "friends": [NSNull()]]) }
            },
            "class-subset": { arguments in
                _ = try Realm(
                    configuration: Realm.Configuration(
                        fileURL: URL(fileURLWithPath: arguments[0]), objectTypes: [Dog.self]))
            },
            "recursive-discovery": { arguments in
                Recluse.path = arguments[0]
                _ = try Realm(
                    configuration: Realm.Configuration(
                        fileURL: URL(fileURLWithPath: arguments[0]), objectTypes: [Recluse.self]))
            },
            "many-versions": { arguments in
                var configuration = configuration(arguments)
                configuration.maximumNumberOfActiveVersions = 3
                let realm = try Realm(configuration: configuration)
                var held: [Realm] = []
                for id in 1...5 {
                    try realm.write { realm.add(Dog(id)) }
                    Scenario.say("wrote \(id)")
                    held.append(realm.freeze())
                }
            },
            "thread-safe-unmanaged": { _ in _ = ThreadSafe(wrappedValue: Dog(1)) },
            "async-write-thread": { arguments in
                onThread {
                    let done = DispatchSemaphore(value: 0)
                    guard let realm = try? realmWithDog(arguments).0 else { return }
                    let smuggled = Smuggled(value: realm)
                    Task.detached {
                        try? await smuggled.value.asyncWrite {}
                        done.signal()
                    }
                    done.wait()
                }
            },
            "short-key": { _ in _ = Realm.Configuration(encryptionKey: Data(count: 3)) },
            "other-key": { arguments in
                var configuration = configuration(arguments)
                configuration.encryptionKey = Data(repeating: 1, count: 64)
                let realm = try Realm(configuration: configuration)
                configuration.encryptionKey = Data(repeating: 2, count: 64)
                _ = try Realm(configuration: configuration)
                withExtendedLifetime(realm) {}
            },
            "no-path": { _ in
                var configuration = Realm.Configuration()
                configuration.fileURL = nil
                _ = try Realm(configuration: configuration)
            },
            "read-only-delete": { _ in _ = Realm.Configuration(readOnly: true, deleteRealmIfMigrationNeeded: true) },
            "opened-differently": { arguments in
                let realm = try realmWithDog(arguments).0
                var configuration = realm.configuration
                configuration.readOnly = true
                _ = try Realm(configuration: configuration)
            }
        ]
    }

    /// A realm, and a person of another one.
    private static func realmAndStranger(_ arguments: [String]) throws -> (Realm, Person) {
        let realm = try realmWithDog(arguments).0
        let other = try realmWithDog([arguments[0] + ".other"]).0
        return (realm, try other.write { other.create(Person.self, value: ["name": "Ann"]) })
    }
}
