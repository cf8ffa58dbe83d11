import Model
import Query

extension Query where T == AnyRealmValue {
    /// The element at a position, if the value is a list.
    public subscript(position: Int) -> Query<AnyRealmValue> { inside(.index(position)) }

    /// The value of a key, if the value is a dictionary.
    public subscript(key: String) -> Query<AnyRealmValue> { inside(.key(key)) }

    /// All elements of a list, or values of a dictionary: the condition is to hold for one of them.
    public var any: Query<AnyRealmValue> { inside(.all) }

    private func inside(_ step: PropertyPath.Step) -> Query<AnyRealmValue> {
        guard case .path(let path) = node else {
            fail(Mistake("Only properties of AnyRealmValue have elements in a query."))
        }
        return Query<AnyRealmValue>(path.inside(step))
    }
}
