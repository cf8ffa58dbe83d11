import Model

extension ClassKind {
    var wireName: String {
        switch self {
        case .topLevel: "topLevel"
        case .embedded: "embedded"
        case .asymmetric: "asymmetric"
        }
    }
}

extension ValueType {
    /// The type's name in schemas and messages.
    package var wireName: String { "\(self)" }
}

extension CollectionKind {
    var wireName: String { "\(self)" }
}

/// Finds the case with that name.
private func named<Case>(
    _ view: UnsafeBSONView, _ key: StaticString, _ cases: [Case], _ name: (Case) -> String
) throws(WireDecodingError) -> Case? {
    guard let text = try view.find(key, as: String.self) else { return nil }
    guard let found = cases.first(where: { name($0) == text }) else {
        let expected = "one of " + cases.map { "\"\(name($0))\"" }.joined(separator: ", ")
        throw WireDecodingError(field: "\(key)", expected: expected, found: "\"\(text.prefix(80))\"")
    }
    return found
}

extension PropertySchema: WirePayload {
    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        guard let type = try named(view, "type", ValueType.allCases, \.wireName) else {
            throw WireDecodingError(field: "type", expected: "a type's name", found: nil)
        }
        self.init(
            try view.get("name"), type, nullable: try view.find("nullable") ?? false,
            collection: try named(view, "collection", CollectionKind.allCases, \.wireName) ?? .single,
            target: try view.find("target"), indexed: try view.find("indexed") ?? false)
    }

    package func write(to writer: BSONWriter) {
        writer.put("name", name)
        writer.put("type", type.wireName)
        if isNullable { writer.put("nullable", true) }
        if collection != .single { writer.put("collection", collection.wireName) }
        writer.put("target", target)
        if isIndexed { writer.put("indexed", true) }
    }
}

extension ClassSchema: WirePayload {
    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            try view.get("name"),
            kind: try named(view, "kind", [ClassKind.topLevel, .embedded, .asymmetric], \.wireName) ?? .topLevel,
            primaryKey: try view.find("primaryKey"), try view.get("properties"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("name", name)
        if kind != .topLevel { writer.put("kind", kind.wireName) }
        writer.put("primaryKey", primaryKey)
        writer.put("properties", properties)
    }
}

extension RealmSchema: WirePayload {
    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(try view.get("classes"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("classes", classes)
    }
}
