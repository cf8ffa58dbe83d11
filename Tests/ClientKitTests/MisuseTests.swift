import Foundation
import TestSupport
import Testing

@Suite("Mistakes of the programmer trap and say what was wrong")
struct MisuseTests {
    @Test(
        "MK: each kind is named on standard error",
        arguments: [
            ("thread", "incorrect thread"),  // MK-01
            ("object-thread", "incorrect thread"),
            ("queue", "incorrect dispatch queue"),  // MK-02
            ("actor", "actor executor isolation"),  // MK-03
            ("concurrent-queue", "serial queue is required"),
            ("add-outside", "not in a write transaction"),  // MK-04
            ("set-outside", "not in a write transaction"),
            ("delete-outside", "not in a write transaction"),
            ("set-after-commit", "not in a write transaction"),
            ("nested", "already in a write transaction"),  // MK-05
            ("commit-without", "not in a write transaction"),  // MK-06
            ("cancel-without", "not in a write transaction"),
            ("frozen-write", "frozen"),  // MK-07
            ("frozen-set", "frozen"),
            ("read-only-write", "read-only"),  // MK-08
            ("frozen-refresh", "do not change"),  // MK-09
            ("deleted-read", "deleted or invalidated"),  // MK-12
            ("cancelled-read", "deleted or invalidated"),
            ("invalidated-read", "deleted or invalidated"),
            ("foreign-object-format", "from the Realm being queried"),  // MK-43, PR-26
            ("foreign-object-list", "from the Realm being queried"),
            ("foreign-object-predicate", "from the Realm being queried"),
            ("foreign-object-closure", "from the Realm being queried"),
            ("foreign-object-index", "from the Realm being queried"),
            ("frozen-observe", "do not change"),  // MK-49
            ("observe-bare-thread", "run loop"),  // MK-50
            ("observe-in-write", "write transaction"),  // MK-51
            ("observe-key-path", "'bark' not found in class 'Dog'"),  // MK-52
            ("foreign-token", "Realm being modified"),  // MK-53
            ("reference-unmanaged", "Cannot construct reference"),  // MK-56
            ("reference-twice", "once"),  // MK-57
            ("reference-elsewhere", "different Realm"),  // MK-58
            ("thread-safe-unmanaged", "Only managed objects"),  // MK-59
            ("short-key", "64 bytes"),  // MK-61
            ("no-path", "must specify a path"),  // MK-62
            ("read-only-delete", "'readOnly' and 'deleteRealmIfMigrationNeeded'"),  // MK-63
            ("null-element", "Invalid null value for non-optional property 'Dog.scores'"),  // MK-21
            ("null-object-element", "Invalid null value for non-optional property 'Dog.friends'"),
            ("class-subset", "'Dog.owner' links to class 'Person', which is missing"),  // SV-15
            ("recursive-discovery", "recursive call"),  // SV-14
            ("many-versions", "number of active versions"),  // MK-67
            ("other-key", "already opened with different encryption key"),  // RE-12
            ("opened-differently", "already opened with different read permissions")  // MK-66
        ])
    func traps(scenario: String, says: String) throws {
        SharedAgent.ensure()
        let directory = TemporaryDirectory()
        let child = try ChildProgram(
            [scenario, directory.path("test.realm")], environment: ProcessInfo.processInfo.environment)
        let (_, wasTrapped, errors) = child.finish()
        #expect(wasTrapped, "\(scenario): \(child.said)")
        let line = errors.split(separator: "\n").first { $0.hasPrefix("RealmSwift: ") }
        #expect(line?.contains(says) == true, "\(scenario) said: \(errors)")
    }
}
