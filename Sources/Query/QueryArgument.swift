import Model

/// A value supplied beside a query text: for `$n` and `$Kn`, or for `%@`, `%K` and the like.
package enum QueryArgument: Hashable, Sendable {
    case value(Value)
    case list([Value])
    case geo(GeoShape)
}
