import Foundation

/// What an object holds in a property, for its digest.
public enum StateValue: Sendable {
    case value(Value)
    /// An embedded object; its properties in any order.
    case object([(name: String, value: StateValue)])
    case list([StateValue])
    /// Entries in any order.
    case dictionary([(key: String, value: StateValue)])
    /// Elements in any order.
    case set([Value])
}

/// A digest of a realm's schema and objects: two replicas with the same digest hold the same.
///
/// Classes, properties, objects, elements of sets and keys of dictionaries may come in any order; nothing that is local to
/// a file counts, as object keys, indexes or the order of columns. Links count by class and key, whether or not their
/// target exists (C-13). Each class, property and object is added once:
///
///     var digest = StateDigest()
///     digest.add(class: "Dog", .topLevel, key: KeyColumn(name: "_id", type: .int, isNullable: false))
///     digest.add(property: "name", of: "Dog", declaration)
///     digest.add(object: .int(1), of: "Dog", [("name", .value(.string("Rex")))])
///     print(digest.value)
///
/// It is the SHA-256 of the number of these facts and the sum of their SHA-256s, each as four numbers of 64 bits.
public struct StateDigest: Sendable {
    private var sum = SIMD4<UInt64>()
    private var count: UInt64 = 0

    public init() {}

    /// Adds a class; the key is nil for embedded ones.
    public mutating func add(class name: String, _ kind: ClassKind, key: KeyColumn?) {
        var fact = StateBytes(1)
        fact.append(name)
        fact.append(UInt64(kind.rawValue))
        if let key {
            // Global keys have neither a name nor nulls, whatever the declaration says (C-52, C-131).
            fact.append(key.type == nil ? "" : key.name)
            fact.append(UInt64(bitPattern: Int64(key.type?.rawValue ?? PayloadType.globalKey.rawValue)))
            fact.append(key.type != nil && key.isNullable ? 1 : 0)
        }
        add(fact)
    }

    /// Adds a property that is not the primary key.
    public mutating func add(
        property name: String, of className: String, _ type: ValueType, isNullable: Bool, _ collection: CollectionKind,
        target: String?
    ) {
        var fact = StateBytes(2)
        fact.append(className)
        fact.append(name)
        fact.append(UInt64(type.rawValue))
        fact.append(isNullable ? 1 : 0)
        fact.append(UInt64(collection.rawValue))
        fact.append(target ?? "")
        add(fact)
    }

    /// Adds an object with all its properties but the primary key. Embedded objects belong to what holds them.
    public mutating func add(
        object key: PrimaryKey, of className: String, _ properties: [(name: String, value: StateValue)]
    ) {
        var fact = StateBytes(3)
        fact.append(className)
        fact.append(key)
        fact.append(.object(properties))
        add(fact)
    }

    private mutating func add(_ fact: StateBytes) {
        sum &+= SHA256.digest(fact.bytes)
        count += 1
    }

    /// The digest of all that was added, as 64 hexadecimal digits.
    public var value: String {
        var bytes = StateBytes(0)
        bytes.append(count)
        for lane in 0..<4 { bytes.append(sum[lane]) }
        let digest = SHA256.digest(bytes.bytes)
        return (0..<4).map { String(format: "%016lx", digest[$0]) }.joined()
    }
}
