import Foundation
import RealmSwift
import TestSupport
import Testing

enum KindMood: Int, PersistableEnum {
    case calm, wild
}

struct KindURL: FailableCustomPersistable, Hashable {
    let url: URL
    init?(persistedValue: String) {
        guard let url = URL(string: persistedValue.isEmpty ? "about:blank" : persistedValue) else { return nil }
        self.url = url
    }
    var persistableValue: String { url.absoluteString }
}

final class KindPart: EmbeddedObject {
    @Persisted var text = "part"
}

/// A property of each type.
final class KindBox: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var int = 7
    @Persisted var int8: Int8
    @Persisted var int16: Int16?
    @Persisted var int32: Int32
    @Persisted(indexed: true) var int64: Int64?
    @Persisted(indexed: true) var bool: Bool
    @Persisted var float: Float
    @Persisted var double: Double?
    @Persisted(indexed: true) var string = "default"
    @Persisted var data: Data?
    @Persisted(indexed: true) var date: Date
    @Persisted var objectId: ObjectId?
    @Persisted(indexed: true) var uuid: UUID
    @Persisted var decimal: Decimal128
    @Persisted var any: AnyRealmValue
    @Persisted var link: KindBox?
    @Persisted var part: KindPart?
    @Persisted(indexed: true) var mood: KindMood
    @Persisted var url: KindURL
    @Persisted var doubles: List<Double>
    @Persisted var optionals: List<Int?>
    @Persisted var moods: List<KindMood>
    @Persisted var uuids: MutableSet<UUID>
    @Persisted var dates: Map<String, Date>
    @Persisted var decimals: Map<String, Decimal128?>
    @Persisted var boxes: List<KindBox>
    @Persisted var boxSet: MutableSet<KindBox>
    @Persisted(originProperty: "link") var linkedBy: LinkingObjects<KindBox>
    var plain = "plain"
}

/// Section 5: properties and their types.
@Suite("Section 5: properties and types")
struct Section05PropertiesTests {
    private let directory = TemporaryDirectory()

    private func open() throws -> Realm {
        SharedAgent.ensure()
        return try Realm(
            configuration: Realm.Configuration(
                fileURL: URL(fileURLWithPath: directory.path("kinds.realm")),
                objectTypes: [KindBox.self, KindPart.self]))
    }

    @Test("PE-01, PE-02, PE-16, PE-17, OB-01, OB-02: defaults, unmanaged and created") func defaults() throws {
        let realm = try open()
        let created = try realm.write { realm.create(KindBox.self) }
        for box in [KindBox(), created] {
            #expect(box.int == 7 && box.int8 == 0 && box.int16 == nil && box.int64 == nil && !box.bool)
            #expect(box.float == 0 && box.double == nil && box.string == "default" && box.data == nil)
            #expect(abs(box.date.timeIntervalSinceNow) < 60 && box.objectId == nil && box.decimal == 0)
            #expect(box.any == .none && box.link == nil && box.part == nil && box.mood == .calm)
            #expect(box.url.url.absoluteString == "about:blank" && box.doubles.isEmpty && box.dates.count == 0)
        }
        #expect(KindBox().id != KindBox().id && KindBox().uuid != KindBox().uuid)
        #expect(KindBox().linkedBy.isEmpty && KindBox().realm == nil)
    }

    @Test("PE-10 to PE-25, VA-10: every type comes back as it was stored") func values() throws {
        let realm = try open()
        let box = KindBox()
        box.int = .min
        box.int8 = .max
        box.int16 = .min
        box.int32 = .max
        box.int64 = .max
        box.bool = true
        box.float = .infinity
        box.double = .nan
        box.string = "a\u{0}b😀"
        box.data = Data([0, 255, 3])
        box.date = .distantPast
        box.objectId = ObjectId("0123456789abcdef01234567")
        box.uuid = UUID(uuidString: "12345678-1234-1234-1234-123456789abc") ?? UUID()
        box.decimal = "1.50"
        box.any = .data(Data([1]))
        box.mood = .wild
        box.url = try #require(KindURL(persistedValue: "https://example.com"))
        box.part = KindPart()
        box.link = box
        box.doubles.append(objectsIn: [1.5, -.infinity])
        box.optionals.append(objectsIn: [1, nil])
        box.moods.append(.wild)
        box.uuids.insert(box.uuid)
        box.dates["now"] = Date(timeIntervalSince1970: -0.5)
        box.decimals["none"] = .some(nil)
        box.boxes.append(objectsIn: [box, box])
        box.boxSet.insert(box)
        try realm.write { realm.add(box) }
        let read = try #require(realm.object(ofType: KindBox.self, forPrimaryKey: box.id))
        #expect(read.int == .min && read.int8 == .max && read.int16 == .min && read.int32 == .max && read.int64 == .max)
        #expect(read.bool && read.float == .infinity && read.double?.isNaN == true && read.string == "a\u{0}b😀")
        #expect(read.data == Data([0, 255, 3]) && read.date == .distantPast)
        #expect(read.objectId?.stringValue == "0123456789abcdef01234567" && read.uuid == box.uuid)
        #expect(read.decimal == Decimal128("1.5") && read.any == .data(Data([1])) && read.mood == .wild)
        #expect(read.url.url.host == "example.com" && read.part?.text == "part" && read.link?.id == read.id)
        #expect(Array(read.doubles) == [1.5, -.infinity] && Array(read.optionals) == [1, nil])
        #expect(Array(read.moods) == [.wild] && read.uuids.contains(box.uuid))
        #expect(read.dates["now"] == Date(timeIntervalSince1970: -0.5) && read.decimals["none"] == .some(nil))
        #expect(read.boxes.count == 2 && read.boxSet.count == 1 && read.linkedBy.count == 1)
    }

    @Test("PE-03, PE-04: what is a key and what has an index") func indexes() throws {
        let schema = try #require(try open().schema["KindBox"])
        #expect(schema.primaryKeyProperty?.name == "id")
        let indexed = schema.properties.filter(\.isIndexed).map(\.name)
        #expect(indexed == ["id", "int64", "bool", "string", "date", "uuid", "mood"])
    }

    @Test("PE-08: plain properties are no one's but the instance's") func plainProperties() throws {
        let realm = try open()
        let box = KindBox()
        box.plain = "other"
        try realm.write { realm.add(box) }
        #expect(box.plain == "other" && realm.objects(KindBox.self).first?.plain == "plain")
        #expect(realm.schema["KindBox"]?["plain"] == nil)
    }

    @Test("PE-12, PE-13: NaN comes before all numbers, texts are in the order of their bytes") func orders() throws {
        let realm = try open()
        try realm.write {
            for (double, string) in [(1.0, "b"), (.nan, "É"), (-.infinity, "a"), (.infinity, "B")] {
                realm.create(KindBox.self, value: ["double": double, "string": string] as [String: Any])
            }
        }
        let boxes = realm.objects(KindBox.self)
        #expect(boxes.sorted(byKeyPath: "double").map(\.string) == ["É", "a", "b", "B"])
        #expect(boxes.sorted(byKeyPath: "string").map(\.string) == ["B", "a", "b", "É"])
    }

    @Test("OB-06, OB-18, PE-20: a deleted object is invalid, and links to it are nil") func deletion() throws {
        let realm = try open()
        let (box, other) = try realm.write {
            let other = realm.create(KindBox.self)
            let box = realm.create(KindBox.self)
            box.link = other
            box.boxes.append(other)
            return (box, other)
        }
        let frozen = box.freeze()
        try realm.write { realm.delete(other) }
        #expect(other.isInvalidated && box.link == nil && box.boxes.isEmpty && !box.isInvalidated)
        #expect(frozen.isFrozen && frozen.link != nil && frozen.thaw()?.link == nil)
    }
}
