import Foundation
import RealmSwift

final class Slot: Object {
    @Persisted var value: AnyRealmValue
}

final class OptionalSlot: Object {
    @Persisted var value: AnyRealmValue?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Mistakes with mixed values; each ends in a trap.
enum MixedScenarios {
    static var all: [String: Scenario.Body] {
        [
            "mixed-outside-write": { arguments in try realmWithSlot(arguments).1.value = .int(3) },
            "mixed-nested-outside-write": { arguments in
                try realmWithSlot(arguments).1.value.listValue?.append(.int(3))
            },
            "mixed-too-deep": { arguments in
                let (realm, slot) = try realmWithSlot(arguments)
                let deep = (0...100).reduce(AnyRealmValue.none) { value, _ in .fromArray([value]) }
                try realm.write { slot.value = deep }
            },
            "mixed-replaced": { arguments in
                let (realm, slot) = try realmWithSlot(arguments)
                let list = slot.value.listValue
                try realm.write { slot.value = .none }
                _ = list?.count
            },
            "mixed-optional": { _ in _ = OptionalSlot(value: [1]) },
            "mixed-query-list": { arguments in
                _ = try realmWithSlot(arguments).0.objects(Slot.self).where { $0.value == .fromArray([]) }
            }
        ]
    }

    /// A realm with a slot that holds a list.
    private static func realmWithSlot(_ arguments: [String]) throws -> (Realm, Slot) {
        let realm = try Realm(
            configuration: Realm.Configuration(fileURL: URL(fileURLWithPath: arguments[0]), objectTypes: [Slot.self]))
        return (realm, try realm.write { realm.create(Slot.self, value: ["value": [1, 2]]) })
    }
}
