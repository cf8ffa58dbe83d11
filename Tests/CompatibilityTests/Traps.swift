import Foundation
import TestSupport
import Testing

/// Runs a scenario of `test-client` that must end in a trap whose message has certain words.
func expectTrap(
    _ scenario: String, _ says: String, arguments: [String] = [], sourceLocation: SourceLocation = #_sourceLocation
) throws {
    SharedAgent.ensure()
    let directory = TemporaryDirectory()
    let child = try ChildProgram(
        [scenario, directory.path("test.realm")] + arguments, environment: ProcessInfo.processInfo.environment)
    let (_, wasTrapped, errors) = child.finish()
    #expect(wasTrapped, "\(scenario): \(child.said)", sourceLocation: sourceLocation)
    let line = errors.split(separator: "\n").first { $0.hasPrefix("RealmSwift: ") }
    #expect(line?.contains(says) == true, "\(scenario) said: \(errors)", sourceLocation: sourceLocation)
}
