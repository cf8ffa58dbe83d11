import Foundation
import RealmSwift
import TestSupport
import Testing

class Base24: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
}

final class Derived24: Base24 {
    @Persisted(indexed: true) var number: Int?
    @Persisted var list: List<String>
    @Persisted var set: MutableSet<Int>
    @Persisted var map: Map<String, Double>
    @Persisted var link: Other24?
    @Persisted var links: List<Other24>
    @Persisted var any: AnyRealmValue
    @Persisted var date: Date
    @Persisted var key: UUID
    override class func propertiesMapping() -> [String: String] { ["name": "full_name"] }
}

final class Other24: Object {
    @Persisted var data: Data
    @Persisted(originProperty: "link") var origins: LinkingObjects<Derived24>
    @Persisted var part: Part24?
}

final class Part24: EmbeddedObject {
    @Persisted var price: Decimal128
}

final class Hidden24: Object {
    @Persisted var name: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class HiddenPart24: EmbeddedObject {
    @Persisted var name: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class HiddenHolder24: Object {
    @Persisted var part: HiddenPart24?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class HiddenEvent24: AsymmetricObject {
    @Persisted(primaryKey: true) var _id: ObjectId
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Section 24: what the schema says.
@Suite struct Section24SchemaTests {
    private let directory = TemporaryDirectory()

    init() { SharedAgent.ensure() }

    private func open(_ types: [ObjectBase.Type]) throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                fileURL: URL(fileURLWithPath: directory.path("a.realm")), objectTypes: types))
    }

    @Test("SM-03 only the classes of the list; the file may have more")
    func explicitList() throws {
        do {
            let realm = try open([Derived24.self, Other24.self, Part24.self, Base24.self])
            #expect(realm.schema.objectSchema.map(\.className) == ["Base24", "Derived24", "Other24", "Part24"])
            try realm.write { _ = realm.create(Base24.self, value: ["id": 1]) }
        }
        let realm = try open([Base24.self])
        #expect(realm.schema.objectSchema.map(\.className) == ["Base24"])
        #expect(realm.schema["Derived24"] == nil)
        #expect(realm.objects(Base24.self).count == 1)
    }

    @Test("OB-11 SM-01 hidden classes are found by nobody, and can be listed")
    func hiddenClasses() throws {
        let found = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "hidden-\(getpid())")).schema
        #expect(found["Base24"] != nil)
        for name in ["Hidden24", "HiddenPart24", "HiddenHolder24", "HiddenEvent24"] { #expect(found[name] == nil) }
        let listed = try open([HiddenHolder24.self, HiddenPart24.self, Hidden24.self]).schema
        #expect(listed.objectSchema.map(\.className) == ["Hidden24", "HiddenHolder24", "HiddenPart24"])
    }

    @Test("SM-04 schemas can be compared and printed")
    func schema() throws {
        let realm = try open([Base24.self])
        #expect(realm.schema == realm.schema)
        #expect(realm.schema.description.contains("Base24"))
        #expect(realm.schema["Base24"] == Base24.sharedSchema())
    }

    @Test("SM-05 OB-26 properties: those of the base class first, then as they are declared, inverse links too")
    func objectSchema() throws {
        let schema = try #require(Derived24.sharedSchema())
        #expect(
            schema.properties.map(\.name) == [
                "id", "name", "number", "list", "set", "map", "link", "links", "any", "date", "key"
            ])
        #expect(ObjectIdentifier(schema.objectClass) == ObjectIdentifier(Derived24.self))
        #expect(schema.primaryKeyProperty?.name == "id")
        #expect(schema["nothing"] == nil && !schema.isEmbedded && !schema.isAsymmetric)
        #expect(Part24.sharedSchema()?.isEmbedded == true)
        #expect(Other24.sharedSchema()?.properties.map(\.name) == ["data", "origins", "part"])
    }

    @Test("SM-06 SM-07 OB-15 what a property is")
    func properties() throws {
        let schema = try #require(Derived24.sharedSchema())
        #expect(schema["name"]?.columnName == "full_name")
        let number = try #require(schema["number"])
        #expect(number.type == .int && number.isOptional && number.isIndexed && !number.isArray)
        #expect(schema["id"]?.isIndexed == true)
        #expect(schema["list"]?.isArray == true && schema["list"]?.type == .string)
        #expect(schema["set"]?.isSet == true && schema["map"]?.isMap == true)
        #expect(schema["link"]?.objectClassName == "Other24" && schema["link"]?.isOptional == true)
        #expect(schema["links"]?.type == .object && schema["links"]?.isArray == true)
        #expect(schema["any"]?.type == .any && schema["date"]?.type == .date && schema["key"]?.type == .UUID)
        let origins = try #require(Other24.sharedSchema()?["origins"])
        #expect(origins.type == .linkingObjects && origins.objectClassName == "Derived24")
        #expect(Part24.sharedSchema()?["price"]?.type == .decimal128)
        #expect(PropertyType.int.rawValue == 0 && PropertyType.UUID.rawValue == 12)
    }
}
