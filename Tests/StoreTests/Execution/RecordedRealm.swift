import Foundation
import Model
import Query
import TestSupport

@testable import Store

/// What a property holds, as far as it matters to whether the store has it.
struct PropertyKind: Hashable, CustomStringConvertible {
    var type: ValueType
    var collection: CollectionKind
    var isEmbedded: Bool

    init(_ property: PropertySchema, in schema: RealmSchema) {
        type = property.type
        collection = property.collection
        isEmbedded = property.target.flatMap { schema.classSchema($0) }?.kind == .embedded
    }

    var description: String {
        let type = isEmbedded ? "embedded object" : "\(type)"
        return collection == .single ? type : "\(collection) of \(type)"
    }
}

/// Recorded data in a real file, without the properties of types that the store doesn't have. Which those are is found
/// out by trying, so that queries begin to count when their types arrive.
struct RecordedRealm {
    /// Makes a query for a schema, or refuses it.
    typealias Query = (RealmSchema) throws(QueryError) -> ClassQuery

    let data: RecordedData
    /// Every kind of property in the data.
    let kinds: Set<PropertyKind>
    /// Kinds that can't be written, or can't be queried.
    let missing: Set<PropertyKind>
    let snapshot: Snapshot
    private let realm = TestRealm()
    private let file: RealmFile

    init(_ data: RecordedData) throws {
        self.data = data
        var all: Set<PropertyKind> = []
        for owner in data.schema.classes {
            all.formUnion(owner.properties.map { PropertyKind($0, in: data.schema) })
        }
        kinds = all
        missing = try all.filter { try !RecordedRealm.isSupported($0, data) }
        file = try realm.open()
        try file.write(data.reduced(to: kinds.subtracting(missing)).instructions)
        snapshot = try file.snapshot()
    }

    /// Writes what the data has of one kind, and looks at it.
    private static func isSupported(_ kind: PropertyKind, _ data: RecordedData) throws -> Bool {
        let reduced = data.reduced(to: [kind])
        let realm = TestRealm()
        do {
            let file = try realm.open()
            try file.write(reduced.instructions)
            let snapshot = try file.snapshot()
            for owner in reduced.schema.classes where owner.kind == .topLevel {
                for property in owner.properties where property.name != owner.primaryKey {
                    let path = PropertyPath(names: [property.name])
                    let comparison =
                        property.collection == .single
                        ? Comparison(.path(path, quantifier: nil), .equal, .path(path, quantifier: nil))
                        : Comparison(.count(path), .equal, .constant(.int(0)))
                    _ = try snapshot.objects(ClassQuery(owner.name, .comparison(comparison)))
                }
            }
            return true
        } catch let error as StoreError where error.code == .unsupportedChange || error.code == .unsupportedQuery {
            return false
        }
    }

    /// Kinds that the store doesn't have, and without which a query can't be understood or gives something else.
    func kindsMissing(for query: Query) throws -> Set<PropertyKind> {
        guard let checked = try? query(data.schema) else { return [] }
        // It counts links of every kind (Q-107), none of which it names.
        let countsAllLinks = try RQL.print(checked.condition).text.contains("@links.@")
        return missing.filter { kind in
            countsAllLinks && (kind.type == .link || kind.type == .mixed)
                || (try? query(data.reduced(to: kinds.subtracting([kind])).schema)) == nil
        }
    }

    /// Runs a query in the file.
    func outcome(_ query: Query) -> QueryVectors.Outcome {
        do {
            // What is refused must be on grounds of the full schema.
            let checked = try query(data.schema)
            let keys = try snapshot.objects(checked)
            return .keys(keys.compactMap { snapshot.table(named: checked.className)?.primaryKey(of: $0) })
        } catch let error as QueryError {
            return .error(error.kind.name)
        } catch {
            return .error("\(error)")
        }
    }
}

/// A schema and what makes the data.
struct RecordedData {
    let schema: RealmSchema
    let instructions: [Instruction]

    /// With some kinds of properties only.
    func reduced(to kinds: Set<PropertyKind>) -> RecordedData {
        var classes = schema.classes
        for index in classes.indices {
            let key = classes[index].primaryKey
            classes[index].properties.removeAll { property in
                property.name != key && !kinds.contains(PropertyKind(property, in: schema))
            }
        }
        let targets = Set(classes.flatMap { $0.properties.compactMap(\.target) })
        let reduced = RealmSchema(classes.filter { $0.kind == .topLevel || targets.contains($0.name) })
        return RecordedData(schema: reduced, instructions: instructions.filter { reduced.has(what: $0) })
    }
}

extension RealmSchema {
    /// Whether what an instruction acts on is part of the schema.
    fileprivate func has(what instruction: Instruction) -> Bool {
        switch instruction {
        case .addTable(let name, _, _), .createObject(let name, _): classSchema(name) != nil
        case .addColumn(let name, let property, _): classSchema(name)?.property(property) != nil
        case .update(let path, _, _), .updateElement(let path, _, _), .arrayInsert(let path, _, _),
            .setInsert(let path, _):
            has(path)
        default: false
        }
    }

    private func has(_ path: InstructionPath) -> Bool {
        guard var property = classSchema(path.className)?.property(path.property) else { return false }
        var isInCollection = property.collection == .single
        for step in path.rest {
            if !isInCollection {
                isInCollection = true
                continue
            }
            guard case .name(let name) = step, let embedded = property.target.flatMap({ classSchema($0) }) else {
                continue
            }
            guard let next = embedded.property(name) else { return false }
            property = next
            isInCollection = property.collection == .single
        }
        return true
    }
}
