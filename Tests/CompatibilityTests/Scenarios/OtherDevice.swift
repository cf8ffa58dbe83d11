import Model
import TestSupport
import Wire

/// The other device's view of the tasks.
enum OtherDevice {
    static let schema = RealmSchema([
        ClassSchema(
            "QsTask", primaryKey: "_id",
            [
                PropertySchema("_id", .objectId), PropertySchema("name", .string),
                PropertySchema("owner", .string, nullable: true)
            ])
    ])

    /// `GrowingDog` before it had a favorite treat.
    static let formerDogs = RealmSchema([
        ClassSchema(
            "GrowingDog", primaryKey: "_id", [PropertySchema("_id", .objectId), PropertySchema("name", .string)])
    ])

    static func putDog(_ device: SyncedDevice, name: String) throws {
        try device.put([["_id": .objectId(ObjectId.generate()), "name": .string(name)]], in: "GrowingDog")
    }

    static func put(_ device: SyncedDevice, name: String, owner: String) throws {
        try device.put(
            [["_id": .objectId(ObjectId.generate()), "name": .string(name), "owner": .string(owner)]], in: "QsTask")
    }

    static func names(_ device: SyncedDevice, of className: String = "QsTask") -> [String] {
        ((try? device.objects(className)) ?? []).compactMap { object in
            if case .string(let name)? = object["name"] { name } else { nil }
        }
    }
}
