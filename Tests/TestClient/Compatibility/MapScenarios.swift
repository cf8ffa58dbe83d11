import Foundation
import RealmSwift

final class Box: Object {
    @Persisted var counts: Map<String, Int>
    @Persisted var things: Map<String, Box?>
    @Persisted var boxes: List<Box>
}

/// Mistakes with maps; each ends in a trap.
enum MapScenarios {
    static var all: [String: Scenario.Body] {
        [
            "map-outside-write": { arguments in try realmWithBox(arguments).1.counts["a"] = 3 },
            "map-dot-key": { arguments in
                let (realm, box) = try realmWithBox(arguments)
                try realm.write { box.counts["a.b"] = 3 }
            },
            "map-dollar-key": { arguments in
                let (realm, _) = try realmWithBox(arguments)
                try realm.write { _ = realm.create(Box.self, value: ["counts": ["$a": 1]]) }
            },
            "map-deleted-owner": { arguments in
                let (realm, box) = try realmWithBox(arguments)
                let counts = box.counts
                try realm.write { realm.delete(box) }
                _ = counts.count
            },
            "map-observe-unmanaged": { _ in _ = Box().counts.observe { _ in } },
            "map-filter-values": { arguments in _ = try realmWithBox(arguments).1.counts.where { $0 > 3 } },
            "map-key-path": { arguments in
                _ = try realmWithBox(arguments).0.objects(Box.self).where { $0.things["a"].boxes.count == 1 }
            },
            "map-subquery": { arguments in
                _ = try realmWithBox(arguments).0.objects(Box.self).where {
                    ($0.boxes.counts["a"] == 1 && $0.boxes.counts["b"] == 2).count > 1
                }
            }
        ]
    }

    /// A realm with one box.
    private static func realmWithBox(_ arguments: [String]) throws -> (Realm, Box) {
        let realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: URL(fileURLWithPath: arguments[0]), objectTypes: [Box.self]))
        return (realm, try realm.write { realm.create(Box.self, value: ["counts": ["a": 1]]) })
    }
}
