import Foundation
import RealmSwift

enum Mood: String, PersistableEnum {
    case calm, lively
}

enum Rank: Int, PersistableEnum {
    case low = 1
    case high = 5
}

/// One property of each type.
class AllTypes: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var int: Int
    @Persisted var int8: Int8 = 8
    @Persisted var int16: Int16
    @Persisted var int32: Int32
    @Persisted var int64: Int64
    @Persisted var bool: Bool
    @Persisted var float: Float
    @Persisted var double: Double
    @Persisted(indexed: true) var string: String
    @Persisted var data: Data
    @Persisted var date: Date
    @Persisted var uuid: UUID
    @Persisted var decimal: RealmSwift.Decimal128
    @Persisted var mood: Mood
    @Persisted var rank: Rank = .high
    @Persisted var optInt: Int?
    @Persisted var optBool: Bool?
    @Persisted var optFloat: Float?
    @Persisted var optDouble: Double?
    @Persisted var optString: String?
    @Persisted var optData: Data?
    @Persisted var optDate: Date?
    @Persisted var optUuid: UUID?
    @Persisted var optId: RealmSwift.ObjectId?
    @Persisted var optDecimal: RealmSwift.Decimal128?
    @Persisted var optMood: Mood?
    @Persisted var other: AllTypes?
}

class Keeper: Object {
    @Persisted var name = ""
    @Persisted var pet: Pet?
    var note = "plain"

    convenience init(name: String) {
        self.init()
        self.name = name
    }
}

class Pet: Object, ObjectKeyIdentifiable {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var name = "Rex"
    @Persisted var age: Int
    @Persisted var weight: Double?
    @Persisted var keeper: Keeper?
}

class Puppy: Pet {
    @Persisted var breed: String
}

enum Nest {
    class Inner: Object {
        @Persisted var value: Int
    }
}

private class Hidden: Object {
    @Persisted var value: Int
}

class OptedOut: Object {
    @Persisted var value: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Mapped: Object {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var firstName: String
    override class func propertiesMapping() -> [String: String] { ["firstName": "first_name"] }
}

class LegacyKey: Object {
    @Persisted var code: String
    @Persisted var count: Int
    override class func primaryKey() -> String? { "code" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
