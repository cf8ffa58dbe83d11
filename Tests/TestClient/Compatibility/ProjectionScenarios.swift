import Foundation
import RealmSwift

extension Dog {
    /// Nothing that is persisted.
    var bark: String { "woof" }
}

final class BadCard: Projection<Dog> {
    @Projected(\Dog.bark) var bark
}

final class GoodCard: Projection<Dog> {
    @Projected(\Dog.name) var name
    @Projected(\Dog.name.count) var length
}

/// Mistakes with projections; each ends in a trap.
enum ProjectionScenarios {
    static var all: [String: Scenario.Body] {
        [
            "projection-no-part": { arguments in _ = BadCard(projecting: try realmWithDog(arguments).1) },
            "projection-not-writable": { arguments in
                let (realm, dog) = try realmWithDog(arguments)
                try realm.write { GoodCard(projecting: dog).length = 3 }
            },
            "projection-unmanaged-observe": { _ in _ = GoodCard(projecting: Dog(1)).observe { _ in } },
            "projection-unknown-name": { arguments in
                _ = GoodCard(projecting: try realmWithDog(arguments).1).observe(keyPaths: ["bark"]) { _ in }
            }
        ]
    }
}
