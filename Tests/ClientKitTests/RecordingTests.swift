import Foundation
import Model
import TestSupport
import Testing

@testable import ClientKit

private final class RecordedPart: EmbeddedObject {
    @Persisted var name: String
}

private final class RecordedShelf: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var any: AnyRealmValue
    @Persisted var list: List<AnyRealmValue>
    @Persisted var map: Map<String, AnyRealmValue>
    @Persisted var parts: Map<String, RecordedPart?>
}

/// Where this client records more, or otherwise, than the SDKs: what merging needs, and what readers that aren't Reeve
/// would lose.
@Suite("Recording")
struct RecordingTests {
    private let directory = TemporaryDirectory()
    private let realm: Realm
    private let shelf: RecordedShelf

    init() throws {
        SharedAgent.ensure()
        realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: URL(fileURLWithPath: directory.path("recorded.realm")),
                objectTypes: [RecordedShelf.self, RecordedPart.self]))
        let realm = realm
        shelf = try realm.write {
            let shelf = realm.create(RecordedShelf.self, value: ["id": 1])
            shelf.parts["taken"] = RecordedPart(value: ["name": "old"])
            shelf.any = .fromDictionary(["k": .int(1), "l": .fromArray([.int(1)])])
            shelf.map["entry"] = .fromArray([.int(1)])
            shelf.list.append(objectsIn: [.int(0), .fromArray([.int(1)]), .fromDictionary(["k": .int(2)]), .int(3)])
            return shelf
        }
    }

    /// The instructions of a transaction, which is cancelled.
    private func recorded(_ body: () throws -> Void) throws -> [Instruction] {
        realm.beginWrite()
        defer { realm.cancelWrite() }
        try body()
        let transaction = try #require(realm.core.transaction)
        return try Changeset.decode(transaction.recorder.takeBytes())
    }

    @Test("WR-01 what is put into collections of an object is stored, though its transaction got the lock only then")
    func collectionsOfAnObjectThatWasCreatedBlindly() throws {
        let stored = try #require(realm.object(ofType: RecordedShelf.self, forPrimaryKey: 1))
        #expect(stored.list.count == 4 && stored.map.count == 1 && stored.parts.count == 1)
    }

    private func path(_ property: String, _ rest: PathElement...) -> InstructionPath {
        InstructionPath("RecordedShelf", .int(1), property, rest)
    }

    @Test("C-116 an embedded object at a key is preceded by the erasure of the key", arguments: ["taken", "free"])
    func embeddedEntry(key: String) throws {
        let instructions = try recorded { shelf.parts[key] = RecordedPart(value: ["name": "new"]) }
        let slot = path("parts", .name(key))
        #expect(
            instructions == [
                .update(slot, .erased, isDefault: false), .update(slot, .embeddedObject, isDefault: false),
                .update(path("parts", .name(key), .name("name")), .value(.string("new")), isDefault: false)
            ])
    }

    @Test("C-112 C-116 an embedded object that is removed is erased once")
    func removedEntry() throws {
        let instructions = try recorded { shelf.parts["taken"] = nil }
        #expect(
            instructions == [.update(path("parts", .name("taken")), .erased, isDefault: false)]
                || instructions == [.update(path("parts", .name("taken")), .value(.null), isDefault: false)],
            "\(instructions)")
    }

    @Test("C-169 a collection in a property is cleared before something else takes its place")
    func property() throws {
        let slot = path("any")
        #expect(
            try recorded { shelf.any = .int(7) }
                == [.clear(slot, .dictionary), .update(slot, .value(.int(7)), isDefault: false)])
        #expect(
            try recorded { shelf.any = .none }
                == [.clear(slot, .dictionary), .update(slot, .value(.null), isDefault: false)])
        #expect(
            try recorded { shelf.any = .fromArray([.int(1)]) }
                == [
                    .clear(slot, .dictionary), .update(slot, .list, isDefault: false),
                    .arrayInsert(path("any", .index(0)), .value(.int(1)), priorSize: 0)
                ])
        // C-117: of the same kind, it is cleared afterwards.
        #expect(
            try recorded { shelf.any = .fromDictionary([:]) }
                == [.update(slot, .dictionary, isDefault: false), .clear(slot, .dictionary)])
    }

    @Test("C-169 a collection at a key, in a map or below a Mixed, is cleared before it goes")
    func entries() throws {
        let entry = path("map", .name("entry"))
        #expect(
            try recorded { shelf.map["entry"] = .bool(true) }
                == [.clear(entry, .list), .update(entry, .value(.bool(true)), isDefault: false)])
        #expect(
            try recorded { shelf.map.removeObject(for: "entry") }
                == [.clear(entry, .list), .update(entry, .erased, isDefault: false)])
        let nested = path("any", .name("l"))
        #expect(
            try recorded { shelf.any.dictionaryValue?["l"] = .string("x") }
                == [.clear(nested, .list), .update(nested, .value(.string("x")), isDefault: false)])
        #expect(
            try recorded { shelf.any.dictionaryValue?.removeObject(for: "l") }
                == [.clear(nested, .list), .update(nested, .erased, isDefault: false)])
        #expect(
            try recorded { shelf.any.dictionaryValue?["k"] = .int(2) }
                == [.update(path("any", .name("k")), .value(.int(2)), isDefault: false)], "no collection was there")
    }

    @Test("C-169 a collection in a list is cleared before it is replaced, not when it is erased")
    func elements() throws {
        let element = path("list", .index(1))
        #expect(
            try recorded { shelf.list[1] = .int(5) }
                == [.clear(element, .list), .updateElement(element, .value(.int(5)), priorSize: 4)])
        #expect(try recorded { shelf.list.remove(at: 1) } == [.arrayErase(element, priorSize: 4)])
        #expect(try recorded { realm.delete(shelf) } == [.eraseObject(className: "RecordedShelf", key: .int(1))])
    }

    @Test("C-172 a collection is moved by erasing it and inserting it with its contents")
    func moves() throws {
        #expect(
            try recorded { shelf.list.move(from: 1, to: 3) }
                == [
                    .arrayErase(path("list", .index(1)), priorSize: 4),
                    .arrayInsert(path("list", .index(3)), .list, priorSize: 3),
                    .arrayInsert(path("list", .index(3), .index(0)), .value(.int(1)), priorSize: 0)
                ])
        #expect(
            try recorded { shelf.list.move(from: 0, to: 3) }
                == [.arrayMove(path("list", .index(0)), to: 3, priorSize: 4)], "a value moves as such")
    }

    @Test("C-97 a swap moves the higher element down, then the lower one up")
    func swaps() throws {
        let swapped: [Instruction] = [
            .arrayMove(path("list", .index(3)), to: 0, priorSize: 4),
            .arrayMove(path("list", .index(1)), to: 3, priorSize: 4)
        ]
        #expect(try recorded { shelf.list.swapAt(0, 3) } == swapped)
        #expect(try recorded { shelf.list.swapAt(3, 0) } == swapped)
        try realm.write { shelf.list.move(from: 3, to: 1) }
        #expect(
            try recorded { shelf.list.swapAt(0, 1) } == [.arrayMove(path("list", .index(1)), to: 0, priorSize: 4)],
            "one move swaps neighbours")
    }
}
