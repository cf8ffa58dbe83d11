import Foundation
import RealmSwift

/// Mistakes with sectioned results; each ends in a trap.
enum SectionScenarios {
    static var all: [String: Scenario.Body] {
        [
            "sections-no-descriptor": { arguments in
                _ = try realmWithDog(arguments).0.objects(Dog.self).sectioned(by: \.name, sortDescriptors: [])
            },
            "sections-other-descriptor": { arguments in
                _ = try realmWithDog(arguments).0.objects(Dog.self).sectioned(by: \.name, sortDescriptors: ["age"])
            },
            "sections-unmanaged": { _ in _ = Dog(1).friends.sectioned(by: \.name) }
        ]
    }
}
