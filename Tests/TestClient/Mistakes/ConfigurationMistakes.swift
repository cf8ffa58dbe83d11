import Foundation
import RealmSwift

/// Mistakes with realms and their configurations by their number in the catalogue; each ends in a trap.
enum ConfigurationMistakes {
    static var all: [String: Scenario.Body] {
        [
            "MK-09 read-only": { arguments in
                let realm = try realmWithDog(arguments).0
                let copy = URL(fileURLWithPath: arguments[0] + ".copy")
                try realm.writeCopy(toFile: copy)
                var configuration = configuration(arguments)
                configuration.fileURL = copy
                configuration.readOnly = true
                _ = try Realm(configuration: configuration).refresh()
            },
            "S6 hopping": { arguments in
                onNewThreads {
                    guard let realm = open(arguments) else { return }
                    let thread = currentThread
                    // A task that is resumed before it is suspended stays where it is.
                    while thread == currentThread { await Task.yield() }
                    _ = realm.value.isEmpty
                }
            },
            "MK-60 refresh": { arguments in
                onNewThreads {
                    guard let realm = open(arguments) else { return }
                    _ = await realm.value.asyncRefresh()
                }
            },
            "MK-60 write": { arguments in
                onNewThreads {
                    guard let realm = open(arguments) else { return }
                    try? await realm.value.asyncWrite {}
                }
            },
            "MK-60 subscribe": { arguments in
                onNewThreads {
                    guard let realm = open(arguments) else { return }
                    _ = try? await realm.value.objects(Dog.self).subscribe()
                }
            },
            "CF-09 version": { _ in _ = Realm.Configuration(schemaVersion: .max) },
            "MK-63 compaction": { _ in
                _ = Realm.Configuration(readOnly: true, shouldCompactOnLaunch: { _, _ in true })
            }
        ]
    }

    private static var currentThread: UInt { UInt(pthread_self()) }

    /// Confined to the thread that calls.
    private static func open(_ arguments: [String]) -> Smuggled<Realm>? {
        do {
            return Smuggled(value: try realmWithDog(arguments).0)
        } catch {
            Scenario.say("\(error)")
            return nil
        }
    }

    private static func onNewThreads(_ body: @escaping @Sendable () async -> Void) {
        let done = DispatchSemaphore(value: 0)
        Task.detached(executorPreference: NewThreads()) {
            await body()
            done.signal()
        }
        done.wait()
    }
}

/// Runs each part of a task, from one suspension point to the next, on a thread of its own that never ends.
private final class NewThreads: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
            while true { sleep(60) }
        }
    }
}
