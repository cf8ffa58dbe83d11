import RealmSwift
import Testing

@testable import ClientKit

@Suite struct SchemaDiscoveryTests {
    private let names = Set(SchemaDiscovery.defaultClasses().map(\.name))

    @Test("SM-01: internal, nested, private and derived classes are found; a class that opts out is not")
    func found() {
        #expect(names.isSuperset(of: ["AllTypes", "Pet", "Puppy", "Inner", "Hidden", "Keeper"]))
        #expect(!names.contains("OptedOut"))
        #expect(!names.contains("Object"))
    }

    @Test("SM-01: a class inside a function is found")
    func functionLocal() {
        class LocalThing: Object {
            @Persisted var value: Int
        }
        #expect(names.contains("LocalThing"))
        #expect(LocalThing.className() == "LocalThing")
    }

    @Test("SM-05: properties in the order of declaration, those of base classes first")
    func order() {
        let schema = Puppy().objectSchema
        #expect(schema.properties.map(\.name) == ["id", "name", "age", "weight", "keeper", "breed"])
        #expect(schema.primaryKeyProperty?.name == "id")
        #expect(schema.className == "Puppy")
        #expect(schema["keeper"]?.objectClassName == "Keeper")
        #expect(schema["keeper"]?.type == .object)
        #expect(schema["nothing"] == nil)
    }

    @Test("SM-06: types of properties")
    func types() {
        let schema = AllTypes().objectSchema
        #expect(schema["int8"]?.type == .int)
        #expect(schema["optDate"]?.type == .date)
        #expect(schema["optDate"]?.isOptional == true)
        #expect(schema["string"]?.isIndexed == true)
        #expect(schema["mood"]?.type == .string)
        #expect(schema["rank"]?.type == .int)
        #expect(schema["decimal"]?.type == .decimal128)
        #expect(schema["uuid"]?.type == .UUID)
    }

    @Test("OB-15: stored names")
    func mapping() {
        let schema = Mapped().objectSchema
        #expect(schema["firstName"]?.columnName == "first_name")
        #expect(PersistedClass.of(Mapped.self).schema.properties.map(\.name) == ["_id", "first_name"])
    }

    @Test("XR-13: key paths give names, through links too")
    func keyPaths() {
        #expect(_KeyPathTracer.names(\Pet.name) == ["name"])
        #expect(_KeyPathTracer.names(\Pet.keeper?.name) == ["keeper", "name"])
        #expect(_KeyPathTracer.names(\Pet.keeper?.pet?.keeper) == ["keeper", "pet", "keeper"])
        #expect(_KeyPathTracer.names(\Puppy.breed) == ["breed"])
        #expect(_KeyPathTracer.trace(\Keeper.note) == nil)
    }

    @Test("SV rows: what is wrong with a declaration is said, with class and property")
    func declarationFaults() {
        func faults(_ type: ObjectBase.Type) -> String { PersistedClass.describing(type).faults.joined() }
        #expect(faults(NoProperties.self).contains("No properties are defined for class 'NoProperties'"))
        #expect(faults(TwoKeys.self).contains("'a' and 'b' of class 'TwoKeys' are both marked as primary key"))
        #expect(faults(BoolKey.self).contains("'key' cannot be the primary key of class 'BoolKey'"))
        #expect(faults(RequiredLink.self).contains("'RequiredLink.pet' must be marked as optional"))
        #expect(faults(SameColumn.self).contains("both stored as 'x'"))
        #expect(faults(NoSuchKey.self).contains("Primary key property 'kode' does not exist on class 'NoSuchKey'"))
        #expect(faults(Pet.self).isEmpty)
    }

    @Test("SV-15, SV-22, SV-23: faults between classes are listed together")
    func classFaults() {
        let faults = SchemaFaults.ofClasses(
            [PersistedClass.of(Pet.self), PersistedClass.of(Reading.self)], isExplicit: true)
        #expect(faults.contains { $0.contains("'Pet.keeper'") && $0.contains("'Keeper'") })
        #expect(faults.contains { $0.contains("Asymmetric class 'Reading'") })
    }
}

private class NoProperties: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class TwoKeys: Object {
    @Persisted(primaryKey: true) var a: Int
    @Persisted(primaryKey: true) var b: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class BoolKey: Object {
    @Persisted(primaryKey: true) var key: Bool
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class NoSuchKey: Object {
    @Persisted var code: String
    override class func primaryKey() -> String? { "kode" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class RequiredLink: Object {
    @Persisted var pet: Pet
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class SameColumn: Object {
    @Persisted var a: Int
    @Persisted var b: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func propertiesMapping() -> [String: String] { ["a": "x", "b": "x"] }
}

private class Reading: AsymmetricObject {
    @Persisted(primaryKey: true) var _id: RealmSwift.ObjectId
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
