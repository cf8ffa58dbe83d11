import Foundation
import RealmSwift

/// Processes that have a synced realm open. The server is that of `$REEVE_SERVER`, the user the app's current one.
enum SyncScenarios {
    class Task: Object {
        @Persisted(primaryKey: true) var _id: Int
        @Persisted var name: String
        @Persisted var tags: List<String>

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    static var all: [String: Scenario.Body] {
        [
            // Opens a file of a partition, and waits until it has so many tasks.
            "R15 reader": { arguments in
                let realm = try opened(arguments, [Task.self])
                let tasks = realm.objects(Task.self)
                let end = Date(timeIntervalSinceNow: 60)
                while tasks.count < Int(arguments[3]) ?? 0, Date() < end {
                    usleep(20_000)
                    realm.refresh()
                }
                Scenario.say("\(tasks.count)")
            },
            // A user of an app tries to go, in each way. Says what kept them here, and whether they are.
            "R47 leaver": { arguments in
                guard let user = App(id: arguments[0]).allUsers[arguments[1]] else { throw AppError(.userNotFound) }
                let done = DispatchSemaphore(value: 0)
                let told: @Sendable ((any Error)?) -> Void = { error in
                    Scenario.say((error as? PendingUploads).map { "PendingUploads(\($0.count))" } ?? "\(error as Any)")
                    done.signal()
                }
                user.logOut(told)
                done.wait()
                user.remove(told)
                done.wait()
                Scenario.say("\(user.isLoggedIn)")
            },
            // Writes tasks from a number on, one a transaction, whatever becomes of the agent meanwhile. Says when it has
            // written all, and has the realm open then.
            "R-14 writer": { arguments in
                guard let user = App(id: arguments[0]).currentUser else { throw AppError(.userNotFound) }
                let mode: ClientResetMode =
                    arguments[3] == "recover" ? .recoverUnsyncedChanges() : .recoverOrDiscardUnsyncedChanges()
                var configuration = user.configuration(partitionValue: arguments[1], clientResetMode: mode)
                configuration.objectTypes = [Task.self]
                configuration.fileURL = URL(fileURLWithPath: arguments[2])
                let realm = try Realm(configuration: configuration)
                Scenario.say("open")
                let first = Int(arguments[4]) ?? 0
                for id in first..<first + (Int(arguments[5]) ?? 0) {
                    let end = Date(timeIntervalSinceNow: 60)
                    while true {
                        do {
                            try realm.write {
                                realm.create(Task.self, value: ["_id": id, "name": "\(id)"], update: .modified)
                            }
                            break
                        } catch {
                            // The agent is gone; another one comes.
                            guard Date() < end else { throw error }
                            usleep(20_000)
                        }
                    }
                    usleep(5_000)
                }
                Scenario.say("done")
                withExtendedLifetime(realm) { while true { usleep(100_000) } }
            },
            // Opens it, and has it open.
            "R66 holder": { arguments in
                let realm = try opened(arguments, [])
                // Until it is killed.
                withExtendedLifetime(realm) { while true { usleep(100_000) } }
            }
        ]
    }

    private static func opened(_ arguments: [String], _ types: [Object.Type]) throws -> Realm {
        guard let user = App(id: arguments[0]).currentUser else { throw AppError(.userNotFound) }
        var configuration = user.configuration(partitionValue: arguments[1])
        configuration.objectTypes = types
        configuration.fileURL = URL(fileURLWithPath: arguments[2])
        let realm = try Realm(configuration: configuration)
        Scenario.say("open")
        return realm
    }
}
