import Foundation
import Model
import Query

/// How strings are compared by a query.
public struct StringOptions: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let caseInsensitive = StringOptions(rawValue: 1)
    /// Letters match whatever accents they have.
    public static let diacriticInsensitive = StringOptions(rawValue: 2)

    var comparison: Comparison.Options {
        var options: Comparison.Options = []
        if contains(.caseInsensitive) { options.insert(.caseInsensitive) }
        if contains(.diacriticInsensitive) { options.insert(.diacriticInsensitive) }
        return options
    }
}

extension Query where T: RealmCollectionValue, T.PersistedType: _QueryBinary {
    public func contains(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.contains, Self.constant(value), options: options.comparison)
    }

    public func contains<U>(_ value: Query<U>, options: StringOptions = []) -> Query<Bool> {
        compared(.contains, value, options: options.comparison)
    }

    public func starts(with value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.beginsWith, Self.constant(value), options: options.comparison)
    }

    public func starts<U>(with value: Query<U>, options: StringOptions = []) -> Query<Bool> {
        compared(.beginsWith, value, options: options.comparison)
    }

    public func ends(with value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.endsWith, Self.constant(value), options: options.comparison)
    }

    public func ends<U>(with value: Query<U>, options: StringOptions = []) -> Query<Bool> {
        compared(.endsWith, value, options: options.comparison)
    }

    public func equals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.equal, Self.constant(value), options: options.comparison)
    }

    public func equals<U>(_ value: Query<U>, options: StringOptions = []) -> Query<Bool> {
        compared(.equal, value, options: options.comparison)
    }

    public func notEquals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared(.notEqual, Self.constant(value), options: options.comparison)
    }

    public func notEquals<U>(_ value: Query<U>, options: StringOptions = []) -> Query<Bool> {
        compared(.notEqual, value, options: options.comparison)
    }
}

extension Query where T: RealmCollectionValue, T.PersistedType: _QueryString {
    /// `*` stands for any run of characters, `?` for one.
    public func like(_ value: T, caseInsensitive: Bool = false) -> Query<Bool> {
        compared(.like, Self.constant(value), options: caseInsensitive ? .caseInsensitive : [])
    }

    public func like<U>(_ value: Query<U>, caseInsensitive: Bool = false) -> Query<Bool> {
        compared(.like, value, options: caseInsensitive ? .caseInsensitive : [])
    }
}
