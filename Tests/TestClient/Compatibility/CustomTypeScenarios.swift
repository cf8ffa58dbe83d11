import Foundation
import RealmSwift

/// A type that only some integers are values of.
struct EvenNumber: FailableCustomPersistable {
    let half: Int

    init?(persistedValue: Int) {
        guard persistedValue.isMultiple(of: 2) else { return nil }
        half = persistedValue / 2
    }

    var persistableValue: Int { half * 2 }
}

/// A type that the default of what is stored has no value of.
struct PositiveNumber: FailableCustomPersistable {
    let value: Int

    init?(persistedValue: Int) {
        guard persistedValue > 0 else { return nil }
        value = persistedValue
    }

    var persistableValue: Int { value }
}

enum Mood: String, PersistableEnum {
    case calm, wild
}

/// One class, as a program stores it and as another declares it.
enum Plain {
    final class Numbered: Object {
        @Persisted var number: Int
        @Persisted var text: String
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

enum Typed {
    final class Numbered: Object {
        @Persisted var number: EvenNumber
        @Persisted var text: Mood
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

final class PositiveNumbered: Object {
    @Persisted var number: PositiveNumber
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Mistakes with types that are stored as others; each ends in a trap.
enum CustomTypeScenarios {
    static var all: [String: Scenario.Body] {
        [
            "custom-unconvertible": { arguments in
                let realm = try Realm(configuration: typed(arguments, ["number": 3]))
                _ = realm.objects(Typed.Numbered.self).first?.number
            },
            "enum-unknown-case": { arguments in
                let realm = try Realm(configuration: typed(arguments, ["text": "sad"]))
                _ = realm.objects(Typed.Numbered.self).first?.text
            },
            "custom-no-default": { _ in _ = PositiveNumbered().number }
        ]
    }

    /// A file with one `Plain.Numbered`, to be read as `Typed.Numbered`.
    private static func typed(_ arguments: [String], _ value: [String: Any]) throws -> Realm.Configuration {
        let file = URL(fileURLWithPath: arguments[0])
        let realm = try Realm(configuration: Realm.Configuration(fileURL: file, objectTypes: [Plain.Numbered.self]))
        try realm.write { _ = realm.create(Plain.Numbered.self, value: value) }
        return Realm.Configuration(fileURL: file, objectTypes: [Typed.Numbered.self])
    }
}
