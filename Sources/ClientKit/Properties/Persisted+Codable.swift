/// What a property is when a decoder finds nothing for it.
public protocol OptionalCodingWrapper {
    associatedtype WrappedType: ExpressibleByNilLiteral
    init(wrappedValue: @autoclosure @escaping () -> WrappedType)
}

extension Persisted: OptionalCodingWrapper where Value: ExpressibleByNilLiteral {
    public typealias WrappedType = Value
}

extension Persisted: Decodable where Value: Decodable {
    /// The property of an unmanaged object.
    public init(from decoder: any Decoder) throws {
        self.init(_options: 0, _storage: .value(try decoder.singleValueContainer().decode(Value.self)))
    }
}

extension Persisted: Encodable where Value: Encodable {
    /// Throws for properties of managed objects, which a class must encode by itself.
    public func encode(to encoder: any Encoder) throws {
        if _place.options & _PersistedOptions.managed != 0 {
            throw EncodingError.invalidValue(
                self,
                .init(
                    codingPath: encoder.codingPath,
                    debugDescription: "Only unmanaged Realm objects can be encoded using automatic Codable synthesis. "
                        + "You must explicitly define encode(to:) on your model class to support managed Realm "
                        + "objects."))
        }
        var copy = self
        // The container knows the encoder's ways with dates and the like.
        var container = encoder.singleValueContainer()
        try container.encode(copy._unmanagedValue)
    }
}

extension KeyedDecodingContainer {
    /// A property that may be nil is, when its key is missing. Synthesised code calls this.
    public func decode<T: Decodable & OptionalCodingWrapper>(_ type: T.Type, forKey key: Key) throws -> T {
        try decodeIfPresent(type, forKey: key) ?? T(wrappedValue: nil)
    }
}
