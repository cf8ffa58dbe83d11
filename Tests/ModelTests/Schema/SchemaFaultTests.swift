import Testing

@testable import Model

struct SchemaFaultTests {
    private static let person = ClassSchema("Person", [PropertySchema("name", .string)])
    private static let toy = ClassSchema("Toy", kind: .embedded, [PropertySchema("name", .string)])
    private static let log = ClassSchema("Log", kind: .asymmetric, primaryKey: "_id", [PropertySchema("_id", .int)])

    /// Faults of class `A` with these properties, beside a few sound classes.
    private func faults(
        _ properties: [PropertySchema], primaryKey: String? = nil, kind: ClassKind = .topLevel, name: String = "A"
    ) -> [SchemaFault.Code] {
        let schema = ClassSchema(name, kind: kind, primaryKey: primaryKey, properties)
        let faults = RealmSchema([schema, Self.person, Self.toy, Self.log]).faults()
        #expect(faults.allSatisfy { $0.className == name && !$0.message.isEmpty })
        return faults.map(\.code)
    }

    @Test func `a sound schema has none`() {
        #expect(SchemaCodingTests.example.faults().isEmpty)
        #expect(faults([PropertySchema("a", .int)]).isEmpty)
    }

    @Test func `names: empty, too long, twice (SV-01, SV-02, SV-28)`() {
        let int = PropertySchema("a", .int)
        #expect(faults([int], name: "") == [.emptyName])
        #expect(faults([int], name: String(repeating: "é", count: 28)).isEmpty)
        #expect(faults([int], name: String(repeating: "é", count: 29)) == [.nameTooLong])
        #expect(faults([PropertySchema("", .int)]) == [.emptyName])
        #expect(faults([PropertySchema(String(repeating: "p", count: 63), .int)]).isEmpty)
        #expect(faults([PropertySchema(String(repeating: "p", count: 64), .int)]) == [.nameTooLong])
        #expect(faults([int, int]) == [.duplicateProperty])
        #expect(faults([int], name: "Person") == [.duplicateClass])
    }

    @Test func `class without properties (SV-03)`() {
        #expect(faults([]) == [.noProperties])
    }

    @Test func `primary keys: missing, of a wrong type, embedded (SV-04, SV-05, SV-18)`() {
        #expect(faults([PropertySchema("a", .int)], primaryKey: "b") == [.primaryKeyMissing])
        for type in ValueType.allCases where type != .link {
            let property = PropertySchema("a", type, nullable: type == .mixed)
            let isSound = [.int, .string, .objectId, .uuid].contains(type)
            #expect(faults([property], primaryKey: "a") == (isSound ? [] : [.primaryKeyType]), "\(type)")
        }
        #expect(faults([PropertySchema("a", .int, collection: .list)], primaryKey: "a") == [.primaryKeyType])
        #expect(faults([PropertySchema("a", .int, nullable: true)], primaryKey: "a").isEmpty)
        #expect(faults([PropertySchema("a", .int)], primaryKey: "a", kind: .embedded) == [.primaryKeyOfEmbedded])
    }

    @Test func `link targets: missing, unknown, unexpected (SV-15)`() {
        #expect(faults([PropertySchema("a", .link, nullable: true)]) == [.targetMissing])
        #expect(faults([PropertySchema("a", .link, nullable: true, target: "Nobody")]) == [.targetUnknown])
        #expect(faults([PropertySchema("a", .int, target: "Person")]) == [.targetUnexpected])
    }

    @Test(arguments: CollectionKind.allCases)
    func `links are optional alone and in dictionaries only (SV-07, SV-08, SV-09)`(collection: CollectionKind) {
        let mustBeNullable = collection == .single || collection == .dictionary
        for isNullable in [false, true] {
            let property = PropertySchema(
                "a", .link, nullable: isNullable, collection: collection, target: "Person")
            #expect(faults([property]) == (isNullable == mustBeNullable ? [] : [.nullability]))
        }
    }

    @Test func `mixed is always optional (C-7)`() {
        #expect(faults([PropertySchema("a", .mixed)]) == [.nullability])
        #expect(faults([PropertySchema("a", .mixed, nullable: true)]).isEmpty)
    }

    @Test func `sets of embedded objects and links to asymmetric classes (SV-21, SV-22)`() {
        #expect(faults([PropertySchema("a", .link, collection: .set, target: "Toy")]) == [.setOfEmbedded])
        #expect(faults([PropertySchema("a", .link, collection: .list, target: "Toy")]).isEmpty)
        #expect(faults([PropertySchema("a", .link, nullable: true, target: "Log")]) == [.asymmetricLink])
        let link = PropertySchema("a", .link, nullable: true, target: "Person")
        let child = PropertySchema("b", .link, nullable: true, target: "Toy")
        // F-64: the other way is allowed.
        #expect(faults([link], kind: .asymmetric).isEmpty)
        #expect(faults([child], kind: .asymmetric).isEmpty)
    }

    @Test func `indexes on what cannot have one (SV-26)`() {
        for type in ValueType.allCases where type != .link {
            let isSound = [.int, .bool, .string, .timestamp, .objectId, .uuid, .mixed].contains(type)
            let property = PropertySchema("a", type, nullable: type == .mixed, indexed: true)
            #expect(faults([property]) == (isSound ? [] : [.notIndexable]), "\(type)")
        }
        #expect(faults([PropertySchema("a", .int, collection: .list, indexed: true)]) == [.notIndexable])
    }

    @Test func `embedded classes that contain one another (SV-19)`() {
        func embedded(_ name: String, _ targets: String...) -> ClassSchema {
            let links = targets.map { PropertySchema("to\($0)", .link, collection: .list, target: $0) }
            return ClassSchema(name, kind: .embedded, links + [PropertySchema("n", .int)])
        }
        func cycles(_ classes: ClassSchema...) -> [String] { RealmSchema(classes).faults().map(\.message) }

        #expect(cycles(embedded("A", "A")) == ["Embedded classes contain one another: A.toA → A."])
        #expect(
            cycles(embedded("A", "B"), embedded("B", "C"), embedded("C", "A")) == [
                "Embedded classes contain one another: A.toB → B.toC → C.toA → A."
            ])
        #expect(
            cycles(embedded("X", "A"), embedded("A", "B"), embedded("B", "A")) == [
                "Embedded classes contain one another: A.toB → B.toA → A."
            ])
        // Two ways to one class are no cycle, nor is a way over an ordinary class.
        #expect(cycles(embedded("A", "B", "C"), embedded("B", "D"), embedded("C", "D"), embedded("D")).isEmpty)
        let ordinary = ClassSchema("O", [PropertySchema("a", .link, nullable: true, target: "A")])
        #expect(cycles(embedded("A", "O"), ordinary).isEmpty)
    }

    @Test func `a chain of 20,000 embedded classes is looked at without recursion`() {
        let classes = (0..<20_000).map { number in
            ClassSchema(
                "E\(number)", kind: .embedded,
                [PropertySchema("next", .link, nullable: true, target: "E\((number + 1) % 20_000)")])
        }
        #expect(RealmSchema(classes).faults().map(\.code) == [.embeddedCycle])
    }
}
