import Foundation
import RealmSwift
import TestSupport
import Testing

class Hidden40: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class Link40: Hidden40 {
    @Persisted var name: String
    @Persisted var other: Origin40?
    @Persisted var number: Int
}

final class Origin40: Hidden40 {
    @Persisted var name: String
    @Persisted var link: Link40?
}

final class MissingOrigin40: Hidden40 {
    @Persisted var name: String
    @Persisted(originProperty: "nothing") var origins: LinkingObjects<Link40>
}

final class NoLinkOrigin40: Hidden40 {
    @Persisted var name: String
    @Persisted(originProperty: "number") var origins: LinkingObjects<Link40>
}

final class WrongOrigin40: Hidden40 {
    @Persisted var name: String
    @Persisted(originProperty: "other") var origins: LinkingObjects<Link40>
}

final class ClassWithTheLongestNameThatAnyClassOfARealmCanHave57Bytes: Hidden40 {
    @Persisted var name: String
    override class func propertiesMapping() -> [String: String] { ["name": String(repeating: "n", count: 63)] }
}

final class LongValues40: Hidden40 {
    @Persisted var text: String
    @Persisted var data: Data
}

class HiddenPart40: EmbeddedObject {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class KeyPart40: HiddenPart40 {
    @Persisted(primaryKey: true) var id: Int
}

final class KeyPartHolder40: Hidden40 {
    @Persisted var part: KeyPart40?
}

final class CycleA40: HiddenPart40 {
    @Persisted var next: CycleB40?
}

final class CycleB40: HiddenPart40 {
    @Persisted var next: List<CycleA40>
}

final class SelfCycle40: HiddenPart40 {
    @Persisted var next: SelfCycle40?
}

final class CycleHolder40: Hidden40 {
    @Persisted var part: CycleA40?
    @Persisted var other: SelfCycle40?
}

final class Orphan40: HiddenPart40 {
    @Persisted var name: String
}

final class PartSet40: Hidden40 {
    @Persisted var parts: MutableSet<Orphan40>
}

final class Asymmetric40: AsymmetricObject {
    @Persisted(primaryKey: true) var _id: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class AsymmetricLink40: Hidden40 {
    @Persisted var reading: Asymmetric40?
}

final class Indexed40: Hidden40 {
    @Persisted var name: String
    @Persisted var photo: Data
    @Persisted var tags: List<String>
    override class func indexedProperties() -> [String] { ["name", "photo", "tags", "nothing"] }
}

final class ClassWithANameThatIsMuchTooLongForAnyClassOfARealmToHave40: Hidden40 {
    @Persisted var name: String
}

// The name is what is tested.
// swift-format-ignore: TypeNamesShouldBeCapitalized
final class class_reserved40: Hidden40 {
    @Persisted var name: String
}

/// Section 40: everything that can be wrong with the classes of an app, and what is said about it.
@Suite struct Section40SchemaFaultTests {
    private let directory = TemporaryDirectory()

    init() { SharedAgent.ensure() }

    @Test(
        "faults that are found when the classes are looked at",
        arguments: [
            // SV-01
            ("fault-twins", "Class 'Twin' cannot be included twice"),
            // SV-02
            ("fault-FaultyTwice", "Property 'note' is declared twice in the hierarchy of class 'FaultyTwice'"),
            // SV-03, LG-07
            ("fault-FaultyEmpty", "No properties are defined for class 'FaultyEmpty'. Did you forget to mark them"),
            // LG-07: also a class that is a base of others only
            ("fault-abstract", "No properties are defined for class 'FaultyAbstract'"),
            // LG-05, SV-13
            ("fault-FaultyLazy", "Lazy property 'FaultyLazy.text' is not allowed"),
            ("fault-FaultyLazyList", "Lazy property 'FaultyLazyList.names' is not allowed"),
            // SV-04
            ("fault-FaultyKeyName", "Primary key property 'kode' does not exist on class 'FaultyKeyName'"),
            // SV-05
            ("fault-FaultyKeyType", "'size' cannot be the primary key of class 'FaultyKeyType'"),
            // SV-06
            ("fault-FaultyTwoKeys", "'first' and 'second' of class 'FaultyTwoKeys' are both marked as primary"),
            // SV-07
            ("fault-FaultyLink", "'FaultyLink.target' must be marked as optional"),
            // SV-08
            ("fault-FaultyList", "'FaultyList.targets' must not be marked as optional"),
            ("fault-FaultySet", "'FaultySet.targets' must not be marked as optional"),
            // SV-09
            ("fault-FaultyMap", "'FaultyMap.targets' must be marked as optional"),
            // SV-10
            ("fault-FaultyMixed", "'FaultyMixed.value' must not be marked as optional: nil is AnyRealmValue.none"),
            ("fault-FaultyMixedList", "'FaultyMixedList.values' must not be marked as optional"),
            // SV-11
            ("fault-FaultyOrigin", "'FaultyOrigin.origins' must set the origin property"),
            // SV-14
            ("recursive-discovery", "recursive call"),
            // SV-15
            ("fault-FaultySubset", "'FaultySubset.target' links to class 'FaultyTarget', which is missing"),
            ("fault-FaultySubset", "'FaultySubset.lid' links to class 'Lid', which is missing"),
            // SV-16
            ("fault-base", "Class 'Object' in objectTypes is no class of an app"),
            // SV-27
            ("fault-FaultyColumns", "'one' and 'two' of class 'FaultyColumns' are both stored as 'number'"),
            ("fault-FaultyMapping", "propertiesMapping() of class 'FaultyMapping' names 'three'"),
            // SV-28
            ("fault-FaultyLongName", "of class 'FaultyLongName' is longer than 63 bytes"),
            ("fault-FaultyEmptyName", "'name' of class 'FaultyEmptyName' must not be empty")
        ])
    func atDiscovery(_ scenario: String, _ says: String) throws {
        try expectTrap(scenario, says)
    }

    /// What opening with these classes throws. Nothing may be there afterwards.
    private func faults(_ types: [ObjectBase.Type]) -> String {
        let url = URL(fileURLWithPath: directory.path("\(types.count).realm"))
        let error = #expect(throws: Realm.Error.self) {
            try Realm(configuration: Realm.Configuration(fileURL: url, objectTypes: types))
        }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.fileURL == url)
        #expect(!FileManager.default.fileExists(atPath: url.path))
        return error?.localizedDescription ?? ""
    }

    @Test("SV-17 origins of linking objects that are missing, no links, or lead elsewhere")
    func origins() {
        let text = faults([
            Link40.self, Origin40.self, MissingOrigin40.self, NoLinkOrigin40.self, WrongOrigin40.self
        ])
        #expect(text.contains("'Link40.nothing', the origin of linking objects 'MissingOrigin40.origins', does not"))
        #expect(text.contains("'Link40.number', the origin of linking objects 'NoLinkOrigin40.origins', is not a link"))
        #expect(
            text.contains(
                "'Link40.other', the origin of linking objects 'WrongOrigin40.origins', links to another class: 'Origin40'"
            ))
    }

    @Test("SV-18 an embedded class with a primary key")
    func embeddedKey() {
        #expect(
            faults([KeyPart40.self, KeyPartHolder40.self]).contains("Embedded class 'KeyPart40' cannot have a primary"))
    }

    @Test("SV-19 embedded classes that contain one another, or themselves")
    func cycles() {
        let text = faults([CycleA40.self, CycleB40.self, SelfCycle40.self, CycleHolder40.self])
        #expect(text.contains("CycleA40.CycleB40.CycleA40"))
        #expect(text.contains("SelfCycle40.SelfCycle40"))
    }

    @Test("SV-20 an embedded class in the list that nothing reaches")
    func orphan() {
        #expect(faults([Orphan40.self, Link40.self, Origin40.self]).contains("Embedded class 'Orphan40' is an orphan"))
    }

    @Test("SV-21 a set of embedded objects")
    func embeddedSet() {
        #expect(
            faults([Orphan40.self, PartSet40.self]).contains(
                "'PartSet40.parts' is a set of embedded objects of class 'Orphan40'"))
    }

    @Test("SV-22 SV-23 SM-02 asymmetric classes in a local realm, and links to them")
    func asymmetric() {
        let text = faults([Asymmetric40.self, AsymmetricLink40.self])
        #expect(text.contains("'AsymmetricLink40.reading' links to the asymmetric class 'Asymmetric40'"))
        #expect(text.contains("Asymmetric class 'Asymmetric40' is not allowed in a local Realm"))
    }

    @Test("SV-26 OB-14 indexes named in the legacy way")
    func indexes() {
        let text = faults([Indexed40.self])
        #expect(text.contains("Property 'Indexed40.photo' of type data cannot be indexed"))
        #expect(text.contains("Property 'Indexed40.tags' of type list of string cannot be indexed"))
        #expect(text.contains("indexedProperties() of class 'Indexed40' names 'nothing'"))
        #expect(!text.contains("'Indexed40.name'"))
    }

    @Test("SV-28 SM-09 LM-02 names of classes that are too long or reserved")
    func names() {
        let text = faults([
            ClassWithANameThatIsMuchTooLongForAnyClassOfARealmToHave40.self, class_reserved40.self
        ])
        #expect(text.contains("'ClassWithANameThatIsMuchTooLongForAnyClassOfARealmToHave40' is longer than 57 bytes"))
        #expect(text.contains("Class name 'class_reserved40' is reserved"))
    }

    @Test("LM-02 class names of 57 and property names of 63 bytes are the longest")
    func longestNames() throws {
        let url = URL(fileURLWithPath: directory.path("long.realm"))
        let realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: url, objectTypes: [ClassWithTheLongestNameThatAnyClassOfARealmCanHave57Bytes.self]))
        let name = "ClassWithTheLongestNameThatAnyClassOfARealmCanHave57Bytes"
        #expect(name.utf8.count == 57 && realm.schema[name]?.properties.count == 1)
        try realm.write {
            realm.create(ClassWithTheLongestNameThatAnyClassOfARealmCanHave57Bytes.self, value: ["name": "x"])
        }
        #expect(realm.objects(ClassWithTheLongestNameThatAnyClassOfARealmCanHave57Bytes.self).first?.name == "x")
    }

    @Test("LM-01 WR-38 a string or data may be 16 MiB but for a few bytes; a longer one is refused by name")
    func longestValues() throws {
        let realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: URL(fileURLWithPath: directory.path("values.realm")), objectTypes: [LongValues40.self]))
        let (text, data) = (String(repeating: "x", count: 16_777_199), Data(count: 16_777_200))
        let object = try realm.write { realm.create(LongValues40.self, value: ["text": text, "data": data]) }
        #expect(object.text.utf8.count == text.utf8.count && object.data.count == data.count)
        try expectTrap("LM-01 text", "'LongValues.text' is too big: 16777216 bytes")
        try expectTrap("LM-01 data", "'LongValues.data' is too big: 16777216 bytes")
        try expectTrap("LM-01 new text", "'LongValues.text' is too big: 16777216 bytes")
        try expectTrap("LM-01 element", "A string is too big: 16777216 bytes")
    }
}
