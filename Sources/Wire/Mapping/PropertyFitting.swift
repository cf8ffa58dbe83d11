import Foundation
import Model

/// What `object.put` assigns to a property: the document's value, fitted to the property's type.
package indirect enum FittedValue: Hashable, Sendable {
    case single(Value)
    /// An embedded object with the properties that the document names.
    case object([FittedMember])
    case list([FittedValue])
    case set([Value])
    /// Entries in the order in which they were given; a key that occurs twice holds the last value.
    case dictionary([FittedMember])
    /// A list or dictionary inside a Mixed.
    case nestedList([FittedValue])
    case nestedDictionary([FittedMember])
}

/// A property of an embedded object, or a key of a dictionary, with its value.
package struct FittedMember: Hashable, Sendable {
    package var name: String
    package var value: FittedValue

    package init(_ name: String, _ value: FittedValue) {
        self.name = name
        self.value = value
    }
}

extension Value {
    /// The value that stands in a document, as `init(field:)` reads it from a frame.
    package init(_ value: BSONValue) throws(WireDecodingError) {
        switch value {
        case .null: self = .null
        case .int32(let value): self = .int(Int64(value))
        case .int64(let value): self = .int(value)
        case .bool(let value): self = .bool(value)
        case .string(let value): self = .string(value)
        case .double(let value): self = .double(value)
        case .date(let value): self = .timestamp(Timestamp(milliseconds: value))
        case .objectId(let value): self = .objectId(value)
        case .decimal128(let value): self = .decimal(value)
        case .binary(4, let data) where data.count == 16:
            self = .uuid(UUID(uuid: data.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }))
        case .binary(_, let data): self = .binary(data)
        case .array: throw WireDecodingError(field: "", expected: Self.expectation, found: "array")
        case .document(let document): self = try Self.reread(document)
        }
    }

    /// Extended forms are read in one place only, from bytes.
    private static func reread(_ document: BSONDocument) throws(WireDecodingError) -> Value {
        guard let bytes = try? document.encoded() else {
            throw WireDecodingError(field: "", expected: expectation, found: "a document that can't be encoded")
        }
        let outcome: Result<Value, WireDecodingError> = bytes.withUnsafeBytes { bytes in
            do throws(WireDecodingError) {
                return .success(try extended(UnsafeBSONView(validated: bytes)))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }
}

extension PropertySchema {
    /// Fits a value that a client gave to this property: ints serve as float and double, doubles as float and int if
    /// nothing is lost, and a link may be given as the bare primary key of its object. Throws `typeMismatch`, and
    /// `unknownProperty` inside embedded objects.
    package func fit(_ value: BSONValue, className: String, in schema: RealmSchema) throws(WireError) -> FittedValue {
        let embedded = target.flatMap { schema.classSchema($0) }.flatMap { $0.kind == .embedded ? $0 : nil }
        let isOptional = isNullable && (type != .link || collection == .dictionary)
        func element(_ value: BSONValue, isNullable: Bool) throws(WireError) -> FittedValue {
            if type == .mixed { return try fitMixed(value, className: className, depth: 0) }
            guard let embedded else { return .single(try fitOne(value, className: className, isNullable: isNullable)) }
            if case .null = value, isNullable { return .single(.null) }
            guard case .document(let document) = value else { throw mismatch(className, found: "\(value.type)") }
            return .object(try embedded.fit(document, in: schema))
        }
        switch collection {
        case .single: return try element(value, isNullable: isNullable || type == .link)
        case .list:
            guard case .array(let items) = value else { throw mismatch(className, found: "\(value.type)") }
            var fitted: [FittedValue] = []
            fitted.reserveCapacity(items.count)
            for item in items { fitted.append(try element(item, isNullable: isOptional)) }
            return .list(fitted)
        case .set:
            guard case .array(let items) = value else { throw mismatch(className, found: "\(value.type)") }
            var fitted: [Value] = []
            fitted.reserveCapacity(items.count)
            for item in items { fitted.append(try fitOne(item, className: className, isNullable: isOptional)) }
            return .set(fitted)
        case .dictionary:
            guard let entries = WireDictionary.entries(value) else { throw mismatch(className, found: "\(value.type)") }
            var fitted: [FittedMember] = []
            fitted.reserveCapacity(entries.count)
            for entry in entries {
                fitted.append(
                    FittedMember(entry.key, try element(entry.value, isNullable: isOptional || type == .link)))
            }
            return .dictionary(fitted)
        }
    }

    private func fitMixed(_ value: BSONValue, className: String, depth: Int) throws(WireError) -> FittedValue {
        let tooDeep = "more than \(ChangesetLimit.nestingDepth) collections in one another"
        if case .array(let items) = value {
            guard depth < ChangesetLimit.nestingDepth else { throw mismatch(className, found: tooDeep) }
            var fitted: [FittedValue] = []
            fitted.reserveCapacity(items.count)
            for item in items { fitted.append(try fitMixed(item, className: className, depth: depth + 1)) }
            return .nestedList(fitted)
        }
        guard let entries = WireDictionary.entries(value) else {
            return .single(try fitOne(value, className: className, isNullable: true))
        }
        guard depth < ChangesetLimit.nestingDepth else { throw mismatch(className, found: tooDeep) }
        var fitted: [FittedMember] = []
        fitted.reserveCapacity(entries.count)
        for entry in entries {
            fitted.append(FittedMember(entry.key, try fitMixed(entry.value, className: className, depth: depth + 1)))
        }
        return .nestedDictionary(fitted)
    }

    private func fitOne(_ raw: BSONValue, className: String, isNullable: Bool) throws(WireError) -> Value {
        if type == .link, let link = try bareLink(raw, className: className) { return link }
        let value: Value
        do {
            value = try Value(raw)
        } catch {
            throw mismatch(className, found: error.found ?? "\(raw.type)")
        }
        switch (type, value) {
        case (_, .null) where isNullable || type == .mixed: return value
        case (.mixed, _), (.int, .int), (.bool, .bool), (.string, .string), (.binary, .binary), (.float, .float),
            (.double, .double), (.decimal, .decimal), (.objectId, .objectId), (.uuid, .uuid):
            return value
        case (.timestamp, .timestamp(let timestamp)) where timestamp.isValid: return value
        case (.link, .link(let link)) where link.className == target: return value
        case (.int, .double(let number)):
            if abs(number) <= 0x1p53, let whole = Int64(exactly: number) { return .int(whole) }
        case (.double, .int(let number)):
            if let exact = Double(exactly: number) { return .double(exact) }
        case (.double, .float(let number)): return .double(Double(number))
        case (.float, .int(let number)):
            if let exact = Float(exactly: number) { return .float(exact) }
        case (.float, .double(let number)):
            if number.isNaN { return .float(Float(number)) }
            if let exact = Float(exactly: number) { return .float(exact) }
        default: break
        }
        throw mismatch(className, found: Self.describe(value, raw))
    }

    /// The link that a bare primary key stands for; nil if the value isn't a bare key.
    private func bareLink(_ raw: BSONValue, className: String) throws(WireError) -> Value? {
        guard let target else { return nil }
        let key: PrimaryKey
        switch raw {
        case .int32(let value): key = .int(Int64(value))
        case .int64(let value): key = .int(value)
        case .string(let value): key = .string(value)
        case .objectId(let value): key = .objectId(value)
        case .binary(4, _):
            guard case .uuid(let value)? = try? Value(raw) else { return nil }
            key = .uuid(value)
        case .document(let document):
            guard case .array(let parts)? = document["$global"], parts.count == 2,
                case .int(let high)? = try? Value(parts[0]), case .int(let low)? = try? Value(parts[1])
            else { return nil }
            key = .global(high: UInt64(bitPattern: high), low: UInt64(bitPattern: low))
        default: return nil
        }
        return .link(Link(className: target, key: key))
    }

    private static func describe(_ value: Value, _ raw: BSONValue) -> String {
        switch value {
        case .link(let link): "a link to \(link.className)"
        case .int(let number): "the number \(number)"
        case .double(let number): "the number \(number)"
        default: "\(raw.type)"
        }
    }

    private func mismatch(_ className: String, found: String) -> WireError {
        let type = type == .link ? "link to \(target ?? "?")" : "\(type)"
        let expected = (collection == .single ? "" : "\(collection) of ") + type + (isNullable ? " or null" : "")
        return WireError(
            .typeMismatch, "\(className).\(name) takes \(expected), not \(found)",
            facts: [
                "class": .string(className), "property": .string(name), "expected": .string(expected),
                "found": .string(found)
            ])
    }
}

extension ClassSchema {
    /// Fits the document of an embedded object.
    fileprivate func fit(_ document: BSONDocument, in schema: RealmSchema) throws(WireError) -> [FittedMember] {
        if let key = document.duplicateKey {
            throw WireError(.badParams, "property \(key) occurs twice in an object", facts: ["property": .string(key)])
        }
        var members: [FittedMember] = []
        for element in document.elements where element.key != "$key" {
            guard let property = property(element.key) else {
                throw WireError(
                    .unknownProperty, "class \(name) has no property \(element.key)",
                    facts: ["class": .string(name), "property": .string(element.key)])
            }
            members.append(FittedMember(element.key, try property.fit(element.value, className: name, in: schema)))
        }
        return members
    }
}
