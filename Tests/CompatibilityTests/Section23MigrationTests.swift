import Foundation
import RealmSwift
import TestSupport
import Testing

/// Section 23: migrations.
@Suite struct Section23MigrationTests {
    private let file = MigratedFile()
    private let v1: [ObjectBase.Type] = [Puppies1.Puppy.self, Puppies1.Owner.self]
    private let v2: [ObjectBase.Type] = [Puppies2.Puppy.self, Puppies2.Owner.self]

    @Test("MI-01 MI-07 MI-10 OB-24 the block carries data over, once, with the old version")
    func block() throws {
        try file.fill()
        let notes = Notes()
        let block: MigrationBlock = { migration, oldVersion in
            notes.add("from \(oldVersion)")
            migration.enumerateObjects(ofType: "Puppy") { old, new in
                guard let old, let new else { return notes.add("nil") }
                notes.add(
                    "\(old["name"] ?? "nil") \(old["age"] ?? "nil") \(new["age"] ?? "nil") \(new["favoriteTreat"] ?? "nil")"
                )
                new["age"] = "\(old.age as? Int ?? 0) years"
                new["favoriteTreat"] = (old["tags"] as? List<String>)?.joined(separator: "+")
                if old["id"] as? Int == 2 { new["name"] = nil }
            }
        }
        try file.with(v2, 1, block) { realm in
            let puppies = realm.objects(Puppies2.Puppy.self).sorted(by: \.id)
            #expect(puppies.map(\.age) == ["2 years", "4 years", "6 years"])
            #expect(puppies.map(\.name) == ["puppy 1", nil, "puppy 3"])
            #expect(puppies.map(\.weight) == [0, 0, 4.5])
            #expect(puppies.map(\.favoriteTreat) == ["a+b", "a+b", "a+b"])
            #expect(puppies[0].owner?.name == "Ann")
            #expect(realm.objects(Puppies2.Owner.self).first?.puppies.count == 2)
            #expect(puppies.where { $0.age == "4 years" }.count == 1)
        }
        #expect(notes.lines == ["from 0", "puppy 1 2  ", "puppy 2 4  ", "puppy 3 6  "])
        try file.with(v2, 1, block) { #expect($0.objects(Puppies2.Puppy.self).count == 3) }
        #expect(notes.lines.count == 4)
    }

    @Test("MI-01 CF-07 an encrypted file is migrated, keeps its key, and shows nothing to who hasn't got it")
    func encrypted() throws {
        let file = MigratedFile(key: Data(repeating: 3, count: 64))
        try file.fill()
        let block: MigrationBlock = { migration, _ in
            migration.enumerateObjects(ofType: "Puppy") { old, new in
                new?["age"] = "\(old?["age"] as? Int ?? 0) years"
                new?["favoriteTreat"] = "a marked treat"
            }
        }
        try file.with(v2, 1, block) { realm in
            #expect(realm.objects(Puppies2.Puppy.self).sorted(by: \.id).map(\.age) == ["2 years", "4 years", "6 years"])
            #expect(realm.objects(Puppies2.Owner.self).first?.puppies.count == 2)
        }
        // Sooner or later the agent has closed the file.
        for _ in 0..<2 {
            try file.with(v2, 1) {
                #expect(
                    $0.objects(Puppies2.Puppy.self).map(\.favoriteTreat) == Array(repeating: "a marked treat", count: 3)
                )
            }
        }
        #expect(try schemaVersionAtURL(file.url, encryptionKey: file.key) == 1)
        let error = #expect(throws: Realm.Error.self) { try schemaVersionAtURL(file.url) }
        #expect(error?.code == .invalidDatabase)
        for name in try FileManager.default.contentsOfDirectory(atPath: file.directory.path) {
            let data = FileManager.default.contents(atPath: file.directory.path(name)) ?? Data()
            for text in ["puppy 1", "a marked treat", "favoriteTreat"] {
                #expect(data.range(of: Data(text.utf8)) == nil, "\(text) in \(name)")
            }
        }
    }

    @Test("MI-01 CF-10 a new file is made without the block")
    func newFile() throws {
        let notes = Notes()
        try file.with(file.configuration(v1, 7) { _, _ in notes.add("called") }) { #expect($0.isEmpty) }
        #expect(notes.lines.isEmpty)
        #expect(try schemaVersionAtURL(file.url) == 7)
    }

    @Test("MI-02 MI-14 S39 a higher version alone is enough")
    func withoutBlock() throws {
        try file.fill()
        try file.with(v2, 2) { realm in
            let puppies = realm.objects(Puppies2.Puppy.self).sorted(by: \.id)
            #expect(puppies.map(\.favoriteTreat) == ["", "", ""])
            #expect(puppies.map(\.weight) == [0, 0, 4.5])
            #expect(puppies.map(\.age) == ["", "", ""])
            #expect(puppies[0].name == "puppy 1")
        }
    }

    @Test("MI-03 classes come, go and get indexes without a version")
    func noVersionNeeded() throws {
        try file.with([Puppies4.Puppy.self]) { realm in
            try realm.write { _ = realm.create(Puppies4.Puppy.self, value: ["id": "1"]) }
        }
        try file.with([Homes1.Person.self, Homes1.Home.self]) { #expect($0.isEmpty) }
        try file.with([Puppies4.Puppy.self]) { #expect($0.objects(Puppies4.Puppy.self).count == 1) }
    }

    @Test("MI-04 S39 the same version with other classes: every difference is listed")
    func everyDifference() throws {
        try file.fill()
        let error = #expect(throws: Realm.Error.self) { try file.with(v2) { _ in } }
        #expect(error?.code == .schemaMismatch)
        let text = error?.localizedDescription ?? ""
        for line in [
            "Property 'Puppy.name' has been made optional.",
            "Property 'Puppy.age' has been changed from 'int' to 'string'.",
            "Property 'Puppy.weight' has been made required.", "Property 'Puppy.favoriteTreat' has been added.",
            "Property 'Puppy.tags' has been removed."
        ] { #expect(text.contains(line), "\(line) in \(text)") }
        #expect(error?.fileURL == file.url)
        let key = #expect(throws: Realm.Error.self) { try file.with([Puppies4.Puppy.self]) { _ in } }
        #expect(key?.localizedDescription.contains("'Puppy.id' has been changed from 'int' to 'string'") == true)
        let named = #expect(throws: Realm.Error.self) { try file.with([Puppies3.Puppy.self]) { _ in } }
        #expect(
            named?.localizedDescription.contains("Primary Key for class 'Puppy' has changed from 'id' to 'number'.")
                == true)
        let other = MigratedFile()
        try other.with([Homes1.Person.self, Homes1.Home.self]) { _ in }
        let kind = #expect(throws: Realm.Error.self) {
            try other.with([Homes2.Person.self, Homes2.Home.self]) { _ in }
        }
        #expect(kind?.localizedDescription.contains("Class 'Home' has been changed from topLevel to embedded.") == true)
        try file.with(v1) { #expect($0.objects(Puppies1.Puppy.self).count == 3) }
    }

    @Test("MI-05 a lower version than the file's: both are named")
    func lowerVersion() throws {
        try file.with(v1, 5) { _ in }
        let notes = Notes()
        let error = #expect(throws: Realm.Error.self) {
            try file.with(file.configuration(v1, 4) { _, _ in notes.add("called") }) { _ in }
        }
        #expect(error?.localizedDescription.contains("version 4") == true)
        #expect(error?.localizedDescription.contains("version 5") == true)
        #expect(notes.lines.isEmpty)
    }

    @Test("MI-07 classes that are new, gone or unknown; objects created or deleted in the block")
    func enumeration() throws {
        try file.fill()
        let notes = Notes()
        try file.with(
            file.configuration([Puppies4.Puppy.self, Homes1.Person.self, Homes1.Home.self], 1) { migration, _ in
                migration.enumerateObjects(ofType: "Home") { _, _ in notes.add("a home") }
                migration.enumerateObjects(ofType: "Owner") { old, new in
                    notes.add("owner \(old?["name"] ?? "") \(new == nil)")
                    let puppies = old?["puppies"] as? List<DynamicObject>
                    notes.add("of \(puppies?.map { "\($0["id"] ?? 0)" }.joined(separator: ",") ?? "")")
                }
                migration.enumerateObjects(ofType: "Puppy") { old, new in
                    let id = old?["id"] as? Int ?? 0
                    new?["id"] = "number \(id)"
                    if id == 1 {
                        migration.create("Puppy", value: ["id": "born", "name": "new"])
                        if let new { migration.delete(new) }
                    }
                    notes.add("puppy \(id)")
                }
                migration.enumerateObjects(ofType: "Puppy") { old, _ in notes.add("again \(old?["id"] ?? "")") }
            }
        ) { realm in
            #expect(
                realm.objects(Puppies4.Puppy.self).sorted(by: \.id).map(\.id) == ["born", "number 2", "number 3"])
        }
        #expect(
            notes.lines == [
                "owner Ann true", "of 1,2", "puppy 1", "puppy 2", "puppy 3", "again 2", "again 3"
            ])
    }

    @Test("MI-08 OB-15 renamed properties keep their values, by their Swift names")
    func rename() throws {
        try file.fill()
        try file.with(
            file.configuration([Puppies3.Puppy.self], 1) { migration, _ in
                migration.renameProperty(onType: "Puppy", from: "id", to: "number")
                migration.renameProperty(onType: "Puppy", from: "name", to: "title")
                migration.renameProperty(onType: "Puppy", from: "age", to: "years")
                migration.renameProperty(onType: "Puppy", from: "weight", to: "mass")
                migration.renameProperty(onType: "Puppy", from: "tags", to: "labels")
                migration.enumerateObjects(ofType: "Puppy") { _, new in
                    if new?["number"] as? Int == 2 { new?["title"] = "second" }
                }
            }
        ) { realm in
            let puppies = realm.objects(Puppies3.Puppy.self).sorted(by: \.number)
            #expect(puppies.map(\.title) == ["puppy 1", "second", "puppy 3"])
            #expect(puppies.map(\.years) == [2, 4, 6])
            #expect(puppies.map(\.mass) == [nil, nil, 4.5])
            #expect(Array(puppies[0].labels) == ["a", "b"])
            #expect(realm.object(ofType: Puppies3.Puppy.self, forPrimaryKey: 3)?.title == "puppy 3")
            #expect(realm.objects(Puppies3.Puppy.self).where { $0.years == 4 }.count == 1)
        }
    }

    @Test("MI-09 the schemas, creating with defaults, deleting objects and classes")
    func restOfMigration() throws {
        try file.fill()
        let notes = Notes()
        try file.with(
            file.configuration([Puppies2.Puppy.self, Puppies2.Owner.self], 1) { migration, _ in
                notes.add("\(migration.oldSchema["Puppy"]?["age"]?.type ?? .any)")
                notes.add("\(migration.newSchema["Puppy"]?["age"]?.type ?? .any)")
                notes.add("\(migration.oldSchema["Puppy"]?.properties.map(\.name) ?? [])")
                let made = migration.create("Puppy", value: ["id": 9, "name": "nine"])
                notes.add("\(made["favoriteTreat"] ?? "nil")")
                made["owner"] = migration.create("Owner", value: ["name": "Ben"])
                migration.enumerateObjects(ofType: "Owner") { old, new in
                    if old?["name"] as? String == "Ann", let new { migration.delete(new) }
                }
                notes.add("\(migration.deleteData(forType: "Nobody"))")
            }
        ) { realm in
            #expect(realm.objects(Puppies2.Owner.self).map(\.name) == ["Ben"])
            let nine = realm.object(ofType: Puppies2.Puppy.self, forPrimaryKey: 9)
            #expect(nine?.owner?.name == "Ben")
            #expect(nine?.favoriteTreat == "bone")
            #expect(realm.object(ofType: Puppies2.Puppy.self, forPrimaryKey: 1)?.owner == nil)
        }
        #expect(
            notes.lines == [
                "int", "string", #"["id", "name", "age", "weight", "owner", "tags"]"#, "bone", "false"
            ])
        try file.with(
            file.configuration([Puppies3.Puppy.self], 2) { migration, _ in
                notes.add("\(migration.deleteData(forType: "Puppy")) \(migration.deleteData(forType: "Owner"))")
            }
        ) { #expect($0.isEmpty) }
        #expect(notes.lines.last == "true true")
        // The class itself is gone: it may come again with another shape at the same version.
        try file.with([Homes1.Person.self, Homes1.Home.self], 2) { realm in
            let version = try schemaVersionAtURL(file.url)
            #expect(version == 2 && realm.schema["Owner"] == nil)
        }
    }

    @Test("MI-13 other primary keys, values from the block, links follow; duplicates are refused")
    func primaryKeys() throws {
        try file.fill()
        let duplicates: MigrationBlock = { migration, _ in
            migration.enumerateObjects(ofType: "Puppy") { _, new in new?["id"] = "same" }
        }
        let error = #expect(throws: Realm.Error.self) { try file.with([Puppies4.Puppy.self], 1, duplicates) { _ in } }
        #expect(error?.code == .schemaMismatch)
        let text = error?.localizedDescription ?? ""
        #expect(text.contains("'Puppy.id' has duplicate values") && text.contains("same"), "\(text)")
        try file.with(v1) { #expect($0.objects(Puppies1.Puppy.self).sorted(by: \.id).map(\.id) == [1, 2, 3]) }
        try file.with(
            file.configuration([Puppies4.Puppy.self], 1) { migration, _ in
                var first: MigrationObject?
                migration.enumerateObjects(ofType: "Puppy") { old, new in
                    new?["id"] = "p\(old?["id"] as? Int ?? 0)"
                    first = first ?? new
                    new?["friend"] = first
                }
            }
        ) { realm in
            let third = realm.object(ofType: Puppies4.Puppy.self, forPrimaryKey: "p3")
            #expect(third?.name == "puppy 3")
            #expect(third?.friend?.id == "p1")
            try realm.write { _ = realm.create(Puppies4.Puppy.self, value: ["id": "p4"]) }
            #expect(realm.objects(Puppies4.Puppy.self).count == 4)
        }
    }

    @Test("MI-13 other values of a primary key that stays: links and queries follow")
    func keyValues() throws {
        try file.fill()
        let block: MigrationBlock = { migration, _ in
            migration.enumerateObjects(ofType: "Puppy") { old, new in
                // 1 and 2 change places.
                if let id = old?["id"] as? Int, id < 3 { new?["id"] = 3 - id }
            }
            migration.create("Puppy", value: ["id": 9])
        }
        try file.with(v1, 1, block) { realm in
            let names = [1, 2, 3].map { realm.object(ofType: Puppies1.Puppy.self, forPrimaryKey: $0)?.name }
            #expect(names == ["puppy 2", "puppy 1", "puppy 3"])
            #expect(realm.objects(Puppies1.Owner.self).first?.puppies.map(\.id) == [2, 1])
            #expect(realm.objects(Puppies1.Puppy.self).count == 4)
        }
        let same: MigrationBlock = { migration, _ in
            migration.enumerateObjects(ofType: "Puppy") { _, new in
                if new?["id"] as? Int == 9 { new?["id"] = 3 }
            }
        }
        let error = #expect(throws: Realm.Error.self) { try file.with(v1, 2, same) { _ in } }
        #expect(error?.localizedDescription.contains("'Puppy.id' has duplicate values after migration: 3") == true)
    }

    @Test("MI-15 the schema version of a file")
    func schemaVersion() throws {
        let missing = #expect(throws: Realm.Error.self) { try schemaVersionAtURL(file.url) }
        #expect(missing?.code == .fileNotFound)
        #expect(missing?.fileURL == file.url)
        try Data(repeating: 7, count: 10_000).write(to: file.url)
        let garbage = #expect(throws: Realm.Error.self) { try schemaVersionAtURL(file.url) }
        #expect(garbage?.code == .invalidDatabase)
        try FileManager.default.removeItem(at: file.url)
        let open = try file.with(v1, 3) { _ in try schemaVersionAtURL(file.url) }
        #expect(open == 3)
        #expect(try schemaVersionAtURL(file.url) == 3)
    }

    @Test("MI-16 migrating without opening")
    func performMigration() throws {
        try file.fill()
        let notes = Notes()
        try Realm.performMigration(for: file.configuration(v2, 4) { _, old in notes.add("from \(old)") })
        #expect(notes.lines == ["from 0"])
        #expect(try schemaVersionAtURL(file.url) == 4)
    }

    @Test("MI-17 one block for all versions", arguments: [UInt64(0), 1, 2])
    func iterated(from: UInt64) throws {
        try file.fill()
        let block: MigrationBlock = { migration, oldVersion in
            if oldVersion < 1 {
                migration.renameProperty(onType: "Puppy", from: "name", to: "title")
                migration.renameProperty(onType: "Puppy", from: "id", to: "number")
            }
            if oldVersion < 2 {
                migration.enumerateObjects(ofType: "Puppy") { old, new in
                    let title = (old?.objectSchema["title"] != nil ? old?["title"] : old?["name"]) as? String ?? ""
                    new?["title"] = "\(title)!"
                }
            }
            if oldVersion < 3 {
                migration.enumerateObjects(ofType: "Puppy") { _, new in
                    new?["years"] = (new?["number"] as? Int ?? 0) * 10
                }
            }
        }
        for version in stride(from: 1, through: from, by: 1) {
            try file.with([Puppies3.Puppy.self], version, block) { _ in }
        }
        try file.with([Puppies3.Puppy.self], 3, block) { realm in
            let puppies = realm.objects(Puppies3.Puppy.self).sorted(by: \.number)
            #expect(puppies.map(\.number) == [1, 2, 3])
            #expect(puppies.map(\.title).allSatisfy { $0.hasPrefix("puppy ") && $0.hasSuffix("!") })
            #expect(puppies.map(\.years) == [10, 20, 30])
        }
    }

    @Test("CF-11 instead of migrating, the file is made anew, without the block")
    func deleteIfNeeded() throws {
        try file.fill()
        let notes = Notes()
        var configuration = file.configuration(v2, 1) { _, _ in notes.add("called") }
        configuration.deleteRealmIfMigrationNeeded = true
        let realm = try Realm(configuration: configuration)
        #expect(realm.isEmpty)
        #expect(notes.lines.isEmpty)
    }

    @Test("MI-11 R74 objects become parts: orphans go, shared ones are copied, in the block or without")
    func objectToEmbedded() throws {
        for block: MigrationBlock? in [nil, { migration, _ in migration.enumerateObjects(ofType: "Home") { _, _ in } }]
        {
            let file = MigratedFile()
            try file.with([Homes1.Person.self, Homes1.Home.self]) { realm in
                try realm.write {
                    let shared = realm.create(Homes1.Home.self, value: ["street": "Shared", "rooms": ["a", "b"]])
                    realm.create(Homes1.Home.self, value: ["street": "Orphan"])
                    for id in 1...2 {
                        let person = realm.create(Homes1.Person.self, value: ["id": id])
                        person.home = shared
                        if id == 2 { person.former.append(shared) }
                    }
                    realm.create(Homes1.Person.self, value: ["id": 3])
                }
            }
            try file.with([Homes2.Person.self, Homes2.Home.self], 1, block) { realm in
                let people = realm.objects(Homes2.Person.self).sorted(by: \.id)
                #expect(people.map { $0.home?.street } == ["Shared", "Shared", nil])
                #expect(people[1].former.map(\.street) == ["Shared"])
                #expect(people.compactMap { $0.home.map { Array($0.rooms) } } == [["a", "b"], ["a", "b"]])
                try realm.write { people[0].home?.street = "Changed" }
                #expect(people[1].home?.street == "Shared")
                #expect(people[1].former[0].street == "Shared")
            }
        }
    }

    @Test("MI-12 parts become objects with a primary key; duplicates are refused")
    func embeddedToObject() throws {
        try file.with([Homes2.Person.self, Homes2.Home.self]) { realm in
            try realm.write {
                for id in 1...2 {
                    realm.create(Homes2.Person.self, value: ["id": id, "home": ["street": "Main", "rooms": ["\(id)"]]])
                }
            }
        }
        let types: [ObjectBase.Type] = [Homes3.Person.self, Homes3.Home.self]
        let error = #expect(throws: Realm.Error.self) {
            try file.with(file.configuration(types, 1) { _, _ in }) { _ in }
        }
        #expect(error?.localizedDescription.contains("'Home.street' has duplicate values") == true)
        #expect(error?.localizedDescription.contains("Main") == true)
        try file.with(
            file.configuration(types, 1) { migration, _ in
                var count = 0
                migration.enumerateObjects(ofType: "Home") { old, new in
                    count += 1
                    new?["street"] = "\(old?["street"] as? String ?? "") \(count)"
                }
            }
        ) { realm in
            #expect(realm.objects(Homes3.Home.self).map(\.street).sorted() == ["Main 1", "Main 2"])
            let home = realm.object(ofType: Homes3.Person.self, forPrimaryKey: 2)?.home
            #expect(home?.street == "Main 2" && home?.rooms.first == "2")
        }
    }

    @Test(
        "MK-68 MK-69 MK-70 MK-71 MK-72 MK-73 mistakes in migrations",
        arguments: [
            ("rename-unknown-class", "class 'Bowl' does not exist"),
            ("rename-removed-class", "class 'Vase' does not exist"),
            ("rename-kept", "class 'Urn' still has a property 'size'"),
            ("rename-unknown", "has no property 'colour'"),
            ("rename-to-unknown", "class 'Urn' has no property 'colour'"),
            ("rename-other-type", "different types, string and double"),
            ("rename-to-required", "an optional string can't become a required string"),
            ("enumerate-unknown", "class 'Bowl' does not exist"), ("create-unknown", "class 'Bowl' does not exist"),
            ("migration-change-old", "the Realm is frozen"), ("migrate-open", "already open")
        ])
    func mistakes(_ scenario: String, _ says: String) throws {
        try expectTrap(scenario, says)
    }
}
