import Model

/// A persisted property of a Swift class.
package struct PersistedProperty: Sendable {
    /// Name in Swift.
    package let name: String
    /// Name in the file.
    package let columnName: String
    package let type: ValueType
    package let isOptional: Bool
    package let collection: CollectionKind
    /// Class of a link, of a list's objects, or of the origins of inverse links.
    package let objectType: ObjectBase.Type?
    /// The property of `objectType` whose links are inverted.
    package let originProperty: String?
    package let isPrimaryKey: Bool
    package let isIndexed: Bool
    package let offset: Int
    nonisolated(unsafe) package let wrapper: any AnyPersisted.Type
    package let codec: PropertyCodec
    /// Whether it holds embedded objects.
    package let isEmbedding: Bool
    /// The class of linked objects, in classes of `DynamicObject`s.
    package var dynamicTarget: DynamicTarget?

    /// Whether nil, or an element nil, may be stored.
    package var isNullable: Bool { isOptional || type == .mixed }

    /// Inverse links: nothing is stored.
    package var isComputed: Bool { originProperty != nil }
}

/// A persisted Swift class: its name, its properties, and where they lie in an instance. One per class, for ever.
package final class PersistedClass: Sendable {
    package let type: ObjectBase.Type
    package let name: String
    package let kind: ClassKind
    /// Those of base classes first, then in the order of declaration; the position is the index of the property.
    package let properties: [PersistedProperty]
    package let primaryKeyIndex: Int?
    /// Indices of the properties that hold collections.
    package let collections: [Int]
    /// What is stored, by stored names.
    package let schema: ClassSchema
    /// Whether an accessor may stand for another object after one is done with: it has no state of its own.
    package let isStateless: Bool
    /// Whether some properties are declared without `@Persisted`.
    package let isLegacy: Bool
    /// Whether wrappers of properties must know that they are an accessor's: they may be encoded.
    package let isEncodable: Bool
    /// Mistakes in the declaration; each names class and property.
    package let faults: [String]
    /// Mistakes that are thrown when a realm is opened with the class.
    package let openingFaults: [String]
    /// The Swift class whose defaults new objects get; nil for classes that only the file knows.
    package let declared: PersistedClass?
    /// In a migration: the property that gets other primary keys, and the one that has the present ones.
    struct NewKey {
        let index: Int
        let present: Int
    }

    let newKey: NewKey?
    private let indices: [String: Int]

    /// Whether the property is one that apps see.
    func isVisible(_ index: Int) -> Bool { newKey?.present != index }

    package func index(of name: String) -> Int? { indices[name] }

    package func property(_ name: String) -> PersistedProperty? {
        indices[name].map { properties[$0] }
    }

    private static let known = Lock<[ObjectIdentifier: PersistedClass]>([:])

    /// The description of a class, whether it is free of faults or not.
    package static func describing(_ type: ObjectBase.Type) -> PersistedClass {
        if let known = known.withLock({ $0[ObjectIdentifier(type)] }) { return known }
        // Made without the lock: `init()` of the class runs, and may create objects of others.
        let made = PersistedClass(type)
        return known.withLock { known in
            if let earlier = known[ObjectIdentifier(type)] { return earlier }
            known[ObjectIdentifier(type)] = made
            return made
        }
    }

    /// The description of a class. Traps if its declaration is wrong (SV rows).
    package static func of(_ type: ObjectBase.Type) -> PersistedClass {
        let description = describing(type)
        if !description.faults.isEmpty { fail(Mistake(description.faults.joined(separator: " "))) }
        return description
    }

    private init(_ type: ObjectBase.Type) {
        self.type = type
        declared = nil
        newKey = nil
        let layout = ClassLayout.of(type)
        name = layout.name
        kind = type is AsymmetricObject.Type ? .asymmetric : type is EmbeddedObject.Type ? .embedded : .topLevel
        let mapping = type.propertiesMapping()
        // Options and origins of properties are arguments of their wrappers: an instance has them.
        let template = SchemaDiscovery.describing { type.init() }
        let legacyKey = (type as? Object.Type)?.primaryKey()
        let indexed = Set((type as? Object.Type)?.indexedProperties() ?? [])
        let properties = layout.fields.map { field in
            Self.property(
                field, template, columnName: mapping[field.name] ?? field.name, isLegacyKey: field.name == legacyKey,
                isLegacyIndex: field.isLegacy && indexed.contains(field.name))
        }
        self.properties = properties
        primaryKeyIndex = properties.firstIndex { $0.isPrimaryKey }
        collections = properties.indices.filter { properties[$0].collection != .single }
        isStateless = !layout.hasOtherFields
        isLegacy = layout.fields.contains(where: \.isLegacy)
        isEncodable = type is any Encodable.Type
        indices = Dictionary(properties.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        let primaryKey = properties.first { $0.isPrimaryKey }?.columnName
        schema = ClassSchema(
            layout.name, kind: kind, primaryKey: primaryKey,
            properties.filter { !$0.isComputed }.map { property in
                PropertySchema(
                    property.columnName, property.type,
                    nullable: property.isNullable
                        || (property.type == .link && property.collection == .single),
                    collection: property.collection,
                    target: property.type == .link ? property.targetName : nil,
                    indexed: property.isIndexed && !property.isPrimaryKey)
            })
        faults = SchemaFaults.ofDeclaration(
            layout.name, properties, mapping: mapping, legacyKey: legacyKey, lazy: layout.lazyFields)
        openingFaults = SchemaFaults.ofIndexes(layout.name, properties, indexed)
    }

    /// A class of a realm as `DynamicObject`s have it: under the names of the Swift class that stands for it, if there is
    /// one.
    convenience init(dynamic info: ClassInfo, declared: PersistedClass?) {
        let properties =
            declared?.properties.map { PersistedProperty(dynamic: $0, in: info) }
            ?? info.schema.properties.map {
                PersistedProperty(
                    dynamic: $0, name: $0.name, isPrimaryKey: $0.name == info.schema.primaryKey, in: info)
            }
        self.init(dynamic: info, properties, declared: declared)
    }

    /// A class of a realm with properties of `DynamicObject`s.
    init(
        dynamic info: ClassInfo, _ properties: [PersistedProperty], declared: PersistedClass?, newKey: NewKey? = nil
    ) {
        self.newKey = newKey
        type = DynamicObject.self
        name = info.name
        kind = info.schema.kind
        self.declared = declared
        self.properties = properties
        primaryKeyIndex = properties.firstIndex { $0.isPrimaryKey }
        // Accessors have nothing in them that could be kept.
        collections = []
        schema = info.schema
        isStateless = true
        isLegacy = false
        isEncodable = false
        faults = []
        openingFaults = []
        indices = Dictionary(properties.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The class whose instances have the defaults of new objects; nil if there is none.
    var template: PersistedClass? { type == DynamicObject.self ? declared : self }

    private static func property(
        _ field: ClassLayout.Field, _ template: ObjectBase, columnName: String, isLegacyKey: Bool,
        isLegacyIndex: Bool
    ) -> PersistedProperty {
        let wrapper = UnsafeRawPointer(template._rlmAddress + field.offset)
        let options = field.wrapper.options(at: wrapper)
        let shape = field.wrapper.shape
        return PersistedProperty(
            name: field.name, columnName: columnName, type: shape.type, isOptional: shape.isOptional,
            collection: shape.collection, objectType: shape.objectType,
            originProperty: shape.isLinkingObjects ? field.wrapper.originProperty(at: wrapper) ?? "" : nil,
            isPrimaryKey: isLegacyKey || options & _PersistedOptions.primaryKey != 0,
            isIndexed: isLegacyIndex || options & _PersistedOptions.indexed != 0, offset: field.offset,
            wrapper: field.wrapper,
            codec: PropertyCodec(field.wrapper),
            isEmbedding: shape.objectType is EmbeddedObject.Type && !shape.isLinkingObjects)
    }
}
