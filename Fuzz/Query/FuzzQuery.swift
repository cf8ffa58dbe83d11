import Model
import Query

/// Any text as a query and as a predicate: it is refused, or what was read can be checked, printed and read again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzQuery(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    let text = String(decoding: UnsafeRawBufferPointer(start: data, count: size), as: UTF8.self)
    let query = QueryFuzzing()
    query.readText(text)
    query.readPredicate(text)
    return 0
}

struct QueryFuzzing {
    /// A printed condition may be nested deeper than what it was read from; up to this length not too deep to be read.
    private static let longestRepeated = 240

    func readText(_ text: String) {
        guard let parsed = try? RQL.parse(text, arguments: Self.arguments, extensions: .predicateFormat) else { return }
        let query = ClassQuery("P", parsed.condition, parsed.descriptors)
        if let checked = try? query.checked(in: Self.schema) {
            let again = try? checked.checked(in: Self.schema)
            guard again == checked else {
                fatalError("\(checked) is checked to \(again.map { "\($0)" } ?? "an error")")
            }
        }
        guard text.utf8.count <= Self.longestRepeated,
            let printed = try? RQL.print(parsed.condition, parsed.descriptors)
        else { return }
        let again = try? RQL.parse(printed.text, arguments: printed.arguments, extensions: .predicateFormat)
        guard again?.condition == parsed.condition, again?.descriptors == parsed.descriptors else {
            fatalError("\(parsed) is printed as \(printed.text), which is \(again.map { "\($0)" } ?? "an error")")
        }
    }

    /// What a client makes of a predicate reaches its agent as text.
    func readPredicate(_ text: String) {
        for count in 0...Self.arguments.count {
            guard let condition = try? PredicateFormat.parse(text, Array(Self.arguments.prefix(count))) else {
                continue
            }
            guard let checked = try? condition.checkedAsPredicate(for: "P", in: Self.schema),
                text.utf8.count <= Self.longestRepeated, let printed = try? RQL.print(checked)
            else { continue }
            let again = try? RQL.parse(printed.text, arguments: printed.arguments, extensions: .predicateFormat)
            guard again != nil else { fatalError("\(checked) is printed as \(printed.text), which is an error") }
        }
    }

    private static let arguments: [QueryArgument] = [
        .value(.int(5)), .value(.string("a.b")), .list([.int(1), .null]), .value(.null)
    ]

    private static let schema = RealmSchema([
        ClassSchema(
            "P", primaryKey: "_id",
            [
                PropertySchema("_id", .int), PropertySchema("n", .int), PropertySchema("s", .string, nullable: true),
                PropertySchema("b", .bool), PropertySchema("d", .double), PropertySchema("dec", .decimal),
                PropertySchema("t", .timestamp, nullable: true), PropertySchema("bin", .binary),
                PropertySchema("oid", .objectId), PropertySchema("u", .uuid),
                PropertySchema("dog", .link, nullable: true, target: "Dog"),
                PropertySchema("dogs", .link, collection: .list, target: "Dog"),
                PropertySchema("loc", .link, nullable: true, target: "Place"),
                PropertySchema("l", .int, collection: .list), PropertySchema("sl", .string, collection: .list),
                PropertySchema("m", .mixed, nullable: true),
                PropertySchema("ml", .mixed, nullable: true, collection: .list),
                PropertySchema("di", .mixed, nullable: true, collection: .dictionary),
                PropertySchema("map", .link, nullable: true, collection: .dictionary, target: "Dog")
            ]),
        ClassSchema(
            "Dog", primaryKey: "_id",
            [
                PropertySchema("_id", .string), PropertySchema("age", .int),
                PropertySchema("ns", .int, collection: .list),
                PropertySchema("owner", .link, nullable: true, target: "P")
            ]),
        ClassSchema(
            "Place", kind: .embedded,
            [PropertySchema("type", .string), PropertySchema("coordinates", .double, collection: .list)])
    ])
}
