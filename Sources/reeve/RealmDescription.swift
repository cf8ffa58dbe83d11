import Model
import Wire

/// How a realm's state and schema are put into JSON and words.
enum RealmDescription {
    static func json(_ realm: RealmInfoReply) -> [String: Any] {
        var object: [String: Any] = [
            "path": realm.path, "version": Int(realm.version), "schemaVersion": Int(realm.schemaVersion),
            "generation": Int(realm.generation), "fileSize": Int(realm.fileSize), "usedSize": Int(realm.usedSize),
            "inMemory": realm.inMemory, "encrypted": realm.encrypted,
            "diskFull": realm.diskFull, "handles": Int(realm.handles),
            "waitingWriters": Int(realm.waitingWriters),
            "classes": realm.classes.map { ["name": $0.name, "count": Int($0.count)] as [String: Any] },
            "pins": realm.pins.map { pin in
                [
                    "client": pin.client, "pid": Int(pin.pid), "pin": Int(pin.pin), "version": Int(pin.version),
                    "ageMs": Int(pin.ageMilliseconds)
                ] as [String: Any]
            }
        ]
        if let writer = realm.writer {
            object["writer"] = ["client": writer.client, "pid": Int(writer.pid)] as [String: Any]
        }
        return object
    }

    static func json(_ schema: RealmSchema) -> [[String: Any]] {
        schema.classes.map { table in
            var object: [String: Any] = [
                "name": table.name, "kind": "\(table.kind)", "properties": table.properties.map(json)
            ]
            if let key = table.primaryKey { object["primaryKey"] = key }
            return object
        }
    }

    private static func json(_ property: PropertySchema) -> [String: Any] {
        var object: [String: Any] = [
            "name": property.name, "type": property.type.wireName, "nullable": property.isNullable,
            "indexed": property.isIndexed
        ]
        if property.collection != .single { object["collection"] = "\(property.collection)" }
        if let target = property.target { object["target"] = target }
        return object
    }

    /// `List<Dog>`, `string?`.
    static func type(_ property: PropertySchema) -> String {
        let element = (property.target ?? property.type.wireName) + (property.isNullable ? "?" : "")
        switch property.collection {
        case .single: return element
        case .list: return "List<\(element)>"
        case .set: return "Set<\(element)>"
        case .dictionary: return "Map<String, \(element)>"
        }
    }
}
