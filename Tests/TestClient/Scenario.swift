import Foundation

/// What a child process of a test does, by name. Each group of scenarios has a file of its own and is listed here.
enum Scenario {
    typealias Body = ([String]) throws -> Void

    static var all: [String: Body] {
        [
            SharedRealmScenarios.all, MisuseScenarios.all, AgentScenarios.all, SectionScenarios.all,
            KeyValueCodingScenarios.all, CustomTypeScenarios.all, ProjectionScenarios.all, MapScenarios.all,
            SetScenarios.all, EmbeddedScenarios.all, MixedScenarios.all, YardScenarios.all,
            ObjectMistakes.all, CollectionMistakes.all, ConfigurationMistakes.all, AppMistakes.all, AppScenarios.all,
            NoteScenarios.all, BundleScenarios.all, SyncScenarios.all,
            DynamicScenarios.all, MigrationScenarios.all, SchemaFaultScenarios.all, ConfigurationScenarios.all,
            SubscriptionScenarios.all, SubscriptionMistakes.all
        ]
        .reduce(into: [:]) { $0.merge($1) { first, _ in first } }
    }

    /// Runs the scenario that the first argument names with the others. Returns the exit status.
    static func run(_ arguments: [String]) -> Int32 {
        guard let name = arguments.first, let body = all[name] else {
            complain("there is no scenario \"\(arguments.first ?? "")\"; there are \(all.keys.sorted())")
            return 2
        }
        do {
            try body(Array(arguments.dropFirst()))
            return 0
        } catch {
            complain("\(name): \(error)")
            return 1
        }
    }

    /// The key of an encrypted realm: a byte that the environment names, 64 times; nil for a plain one.
    static var encryptionKey: Data? {
        ProcessInfo.processInfo.environment["REEVE_TEST_KEY"].flatMap { UInt8($0) }.map {
            Data(repeating: $0, count: 64)
        }
    }

    /// Prints a line at once.
    static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    private static func complain(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }
}
