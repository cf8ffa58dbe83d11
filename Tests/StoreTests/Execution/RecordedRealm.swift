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

/// The recorded queries' data in a real file, without the properties of types that the store doesn't have. Which those
/// are is found out by trying, so that records begin to count when their types arrive.
struct RecordedRealm {
    let vectors: QueryVectors
    /// Every kind of property in the data.
    let kinds: Set<PropertyKind>
    /// Kinds that can't be written, or can't be queried.
    let missing: Set<PropertyKind>
    let snapshot: Snapshot
    private let realm = TestRealm()
    private let file: RealmFile

    init(_ vectors: QueryVectors) throws {
        self.vectors = vectors
        var all: Set<PropertyKind> = []
        for owner in vectors.schema.classes {
            all.formUnion(owner.properties.map { PropertyKind($0, in: vectors.schema) })
        }
        kinds = all
        missing = try all.filter { try !RecordedRealm.isSupported($0, vectors) }
        file = try realm.open()
        let reduced = ReducedVectors(vectors, to: kinds.subtracting(missing))
        try file.write(reduced.instructions)
        snapshot = try file.snapshot()
    }

    /// Writes what the data has of one kind, and looks at it.
    private static func isSupported(_ kind: PropertyKind, _ vectors: QueryVectors) throws -> Bool {
        let reduced = ReducedVectors(vectors, to: [kind])
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

    /// Kinds without which a record's query can't be understood.
    func kindsNeeded(by record: QueryVectors.Record) -> Set<PropertyKind> {
        guard (try? check(record, vectors.schema)) != nil else { return [] }
        return kinds.filter { kind in
            // It counts links of every kind (Q-107), none of which it names.
            if kind.type == .link || kind.type == .mixed, record.text.contains("@links.@") { return true }
            return (try? check(record, ReducedVectors(vectors, to: kinds.subtracting([kind])).schema)) == nil
        }
    }

    private func check(_ record: QueryVectors.Record, _ schema: RealmSchema) throws -> ClassQuery {
        let parsed = try RQL.parse(record.text, arguments: record.arguments)
        return try ClassQuery(record.className, parsed.condition, parsed.descriptors).checked(in: schema)
    }

    /// Runs a record's query in the file.
    func outcome(_ record: QueryVectors.Record) throws -> QueryVectors.Outcome {
        do throws(QueryError) {
            let parsed = try RQL.parse(record.text, arguments: record.arguments)
            let query = ClassQuery(record.className, parsed.condition, parsed.descriptors)
            // What is refused must be on grounds of the full schema.
            _ = try query.checked(in: vectors.schema)
            return .keys(try keys(query))
        } catch {
            return .error(error.kind.name)
        }
    }

    private func keys(_ query: ClassQuery) throws(QueryError) -> [PrimaryKey] {
        do {
            let keys = try snapshot.objects(query)
            return keys.compactMap { snapshot.table(named: query.className)?.primaryKey(of: $0) }
        } catch let error as QueryError {
            throw error
        } catch {
            throw QueryError(QueryError.Kind(name: "\(error)"), "")
        }
    }
}

/// The recorded queries' schema and data with some kinds of properties only.
struct ReducedVectors {
    let schema: RealmSchema
    let instructions: [Instruction]

    init(_ vectors: QueryVectors, to kinds: Set<PropertyKind>) {
        var classes = vectors.schema.classes
        for index in classes.indices {
            let key = classes[index].primaryKey
            classes[index].properties.removeAll { property in
                property.name != key && !kinds.contains(PropertyKind(property, in: vectors.schema))
            }
        }
        let targets = Set(classes.flatMap { $0.properties.compactMap(\.target) })
        let reduced = RealmSchema(classes.filter { $0.kind == .topLevel || targets.contains($0.name) })
        schema = reduced
        instructions = vectors.instructions.filter { reduced.has(what: $0) }
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
