import Foundation
import RealmSwift

/// What a program does while its agent comes and goes.
enum AgentScenarios {
    static var all: [String: Scenario.Body] {
        [
            /// PATH COUNT: increments a dog's age so often, printing each value that was acknowledged.
            "increment-dog": { arguments in
                let (realm, dog) = try realmWithDog(arguments)
                for _ in 0..<(Int(arguments[1]) ?? 0) {
                    do {
                        // Seen inside: afterwards the realm may show what others did.
                        let age = try realm.write {
                            dog.age += 1
                            return dog.age
                        }
                        Scenario.say("acknowledged \(age)")
                    } catch {
                        Scenario.say("refused \(error.localizedDescription)")
                    }
                }
            },
            /// PATH COUNT: observes until the dog's age is that, printing what comes.
            "watch-dog": { arguments in
                let queue = DispatchQueue(label: "watch")
                let goal = Int(arguments[1]) ?? 0
                let done = DispatchSemaphore(value: 0)
                nonisolated(unsafe) var token: NotificationToken?
                try queue.sync {
                    let (realm, _) = try realmWithDog(arguments, queue: queue)
                    token = realm.objects(Dog.self).observe { change in
                        let age: Int
                        switch change {
                        case .initial(let dogs): age = dogs.first?.age ?? -1
                        case .update(let dogs, _, _, _): age = dogs.first?.age ?? -1
                        case .error: return
                        }
                        Scenario.say("age \(age)")
                        if age >= goal { done.signal() }
                    }
                }
                done.wait()
                _ = token
            },
            /// PATH: waits for PATH.go, then writes asynchronously and waits until nothing is under way any more.
            "async-write-without-agent": { arguments in
                let queue = DispatchQueue(label: "writer")
                let realm = try queue.sync { Smuggled(value: try realmWithDog(arguments, queue: queue).0) }
                Scenario.say("ready")
                while access(arguments[0] + ".go", F_OK) != 0 { usleep(1000) }
                queue.sync {
                    _ = realm.value.writeAsync {
                        Scenario.say("written")
                    } onComplete: { error in
                        Scenario.say(error == nil ? "done" : "failed")
                    }
                    _ = realm.value.beginAsyncWrite { Scenario.say("begun") }
                }
                while queue.sync(execute: { realm.value.isPerformingAsynchronousWriteOperations }) { usleep(1000) }
                Scenario.say("idle")
            },
            /// PATH: changes a dog, waits for PATH.go, and commits in the background.
            "commit-in-background": { arguments in
                let queue = DispatchQueue(label: "writer")
                let done = DispatchSemaphore(value: 0)
                try queue.sync {
                    let (realm, dog) = try realmWithDog(arguments, queue: queue)
                    realm.beginWrite()
                    dog.age += 1
                    Scenario.say("changed")
                    while access(arguments[0] + ".go", F_OK) != 0 { usleep(1000) }
                    realm.commitAsyncWrite { error in
                        Scenario.say(error == nil ? "stored" : "failed")
                        done.signal()
                    }
                    Scenario.say("age \(dog.age) of \(realm.objects(Dog.self).count)")
                }
                done.wait()
                try queue.sync { Scenario.say("age \(try realmWithDog(arguments, queue: queue).1.age)") }
            },
            /// PATH: changes a dog, and commits when there is PATH.go.
            "slow-write": { arguments in
                let (realm, dog) = try realmWithDog(arguments)
                do {
                    try realm.write {
                        dog.age += 1
                        Scenario.say("changed")
                        while access(arguments[0] + ".go", F_OK) != 0 { usleep(1000) }
                    }
                    Scenario.say("committed")
                } catch {
                    Scenario.say("refused")
                }
            },
            /// PATH: changes a dog, waits for PATH.go, and queries in the same transaction.
            "query-without-agent": { arguments in
                let (realm, dog) = try realmWithDog(arguments)
                do {
                    try realm.write {
                        dog.age += 1
                        realm.create(Dog.self, value: ["id": 2])
                        Scenario.say("changed")
                        while access(arguments[0] + ".go", F_OK) != 0 { usleep(1000) }
                        let old = realm.objects(Dog.self).where { $0.id == 1 }
                        let found = old.filter { $0.id == 1 }.count
                        Scenario.say("found \(found) of \(old.count)")
                    }
                    Scenario.say("committed")
                } catch {
                    Scenario.say("refused")
                }
                Scenario.say("age \(dog.age)")
            },
            /// PATH: opens the realm and says how many dogs there are.
            "open-dogs": { arguments in
                let (realm, _) = try realmWithDog(arguments)
                Scenario.say("dogs \(realm.objects(Dog.self).count)")
            }
        ]
    }
}
