import Foundation
import RealmSwift

// Classes with faults. Nobody finds them who doesn't list them, but for the two of one name, which are there for their
// scenario only.

enum Twins {
    class Twin: Object {
        @Persisted var name: String
        override class func shouldIncludeInDefaultSchema() -> Bool { CommandLine.arguments.contains("fault-twins") }
    }
}

enum OtherTwins {
    class Twin: Object {
        @Persisted var name: String
        override class func shouldIncludeInDefaultSchema() -> Bool { CommandLine.arguments.contains("fault-twins") }
    }
}

class Faulty: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class FaultyBase: Faulty {
    @Persisted private var note: String
}

final class FaultyTwice: FaultyBase {
    @Persisted var note: String
}

final class FaultyEmpty: Faulty {
    var notPersisted = 1
}

/// A base for other classes that has nothing itself and doesn't hide.
class FaultyAbstract: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { CommandLine.arguments.contains("fault-abstract") }
}

final class FaultyLazy: Faulty {
    let size = RealmProperty<Int?>()
    lazy var text = "computed"
}

final class FaultyLazyList: Faulty {
    lazy var names = List<String>()
}

final class FaultyKeyName: Faulty {
    @Persisted var code: String
    override class func primaryKey() -> String? { "kode" }
}

final class FaultyKeyType: Faulty {
    @Persisted var size: Double
    override class func primaryKey() -> String? { "size" }
}

final class FaultyTwoKeys: Faulty {
    @Persisted(primaryKey: true) var first: Int
    @Persisted(primaryKey: true) var second: String
}

final class FaultyTarget: Faulty {
    @Persisted var name: String
}

final class FaultyLink: Faulty {
    @Persisted var target: FaultyTarget
}

final class FaultyList: Faulty {
    @Persisted var targets: List<FaultyTarget?>
}

final class FaultySet: Faulty {
    @Persisted var targets: MutableSet<FaultyTarget?>
}

final class FaultyMap: Faulty {
    @Persisted var targets: Map<String, FaultyTarget>
}

final class FaultyMixed: Faulty {
    @Persisted var value: AnyRealmValue?
}

final class FaultyMixedList: Faulty {
    @Persisted var values: List<AnyRealmValue?>
}

final class FaultyOrigin: Faulty {
    @Persisted var name: String
    @Persisted var origins: LinkingObjects<FaultyTarget>
}

final class FaultyColumns: Faulty {
    @Persisted var one: Int
    @Persisted var two: Int
    override class func propertiesMapping() -> [String: String] { ["one": "number", "two": "number"] }
}

final class FaultyMapping: Faulty {
    @Persisted var one: Int
    override class func propertiesMapping() -> [String: String] { ["three": "number"] }
}

final class FaultyLongName: Faulty {
    @Persisted var name: String
    override class func propertiesMapping() -> [String: String] { ["name": String(repeating: "n", count: 64)] }
}

final class FaultyEmptyName: Faulty {
    @Persisted var name: String
    override class func propertiesMapping() -> [String: String] { ["name": ""] }
}

final class FaultySubset: Faulty {
    @Persisted var target: FaultyTarget?
    @Persisted var lid: Lid?
}

/// Faults that are found when the classes are looked at; each ends in a trap.
enum SchemaFaultScenarios {
    static var all: [String: Scenario.Body] {
        var all: [String: Scenario.Body] = [
            "fault-twins": { arguments in
                _ = try Realm(configuration: Realm.Configuration(fileURL: URL(fileURLWithPath: arguments[0])))
            },
            "fault-abstract": { arguments in
                _ = try Realm(configuration: Realm.Configuration(fileURL: URL(fileURLWithPath: arguments[0])))
            },
            "fault-base": opening([Object.self])
        ]
        let types: [Object.Type] = [
            FaultyTwice.self, FaultyEmpty.self, FaultyLazy.self, FaultyLazyList.self, FaultyKeyName.self,
            FaultyKeyType.self, FaultyTwoKeys.self,
            FaultyLink.self, FaultyList.self, FaultySet.self, FaultyMap.self, FaultyMixed.self, FaultyMixedList.self,
            FaultyOrigin.self, FaultyColumns.self, FaultyMapping.self, FaultyLongName.self, FaultyEmptyName.self,
            FaultySubset.self
        ]
        for type in types { all["fault-\(type)"] = opening([type]) }
        return all
    }

    private static func opening(_ types: [ObjectBase.Type]) -> Scenario.Body {
        { arguments in
            _ = try Realm(
                configuration: Realm.Configuration(fileURL: URL(fileURLWithPath: arguments[0]), objectTypes: types))
        }
    }
}
