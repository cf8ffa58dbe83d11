import Model

/// An object in another shape: with only some of its properties, under other names, or with those of objects that it
/// links to.
///
/// ```swift
/// class PersonProjection: Projection<Person> {
///     @Projected(\Person.firstName) var firstName
///     @Projected(\Person.address?.city) var homeCity
///     @Projected(\Person.friends.projectTo.firstName) var friends: ProjectedCollection<String>
/// }
/// for person in realm.objects(PersonProjection.self) { … }
/// ```
/// It reads and writes through to the object, which may also be unmanaged. Projections of one object are equal.
open class Projection<Root: ObjectBase>: ProjectionObservable, RealmFetchable, _KeyPathRoot, KeypathSortable,
    CustomStringConvertible
{
    public typealias PersistedType = Root

    /// What is projected.
    public let rootObject: Root

    /// Traps if a projected property is no part of the object.
    public required init(projecting object: Root) {
        rootObject = object
        _ = ProjectedClass.of(self)
    }

    /// Name of the object's class in the schema.
    public static func className() -> String { Root.className() }

    public static func == (a: Projection, b: Projection) -> Bool { a.rootObject == b.rootObject }

    public func hash(into hasher: inout Hasher) { hasher.combine(rootObject) }

    /// Class name and one line for each projected property.
    public var description: String {
        var lines = ["\(type(of: self)) {"]
        for property in ProjectedClass.of(self).properties {
            let value = isInvalidated ? nil : AnyCoercion.unwrapped(rootObject[keyPath: property.keyPath] as Any)
            let text = isInvalidated ? "[invalid object]" : value.map { "\($0)" } ?? "nil"
            lines.append("    \(property.name) = \(text.replacing("\n", with: "\n    "));")
        }
        lines.append("}")
        return lines.joined(separator: "\n")
    }

    // MARK: As an element of results

    public static var _shape: _PropertyShape { Root._shape }

    public static var _isConverted: Bool { true }

    public static func _decode(_ stored: _StoredValue) -> Self? {
        Root._decode(stored).map { Self(projecting: $0) }
    }

    public var _rlmEncoded: _StoredValue { rootObject._rlmEncoded }

    public static func _tracingRoot(_ recording: _KeyPathTracer.Recording) -> Any {
        Self(projecting: unsafeDowncast(_KeyPathTracer.object(Root.self, recording), to: Root.self))
    }
}

// MARK: - Confinement
extension Projection {
    public var realm: Realm? { rootObject.realm }
    public var isInvalidated: Bool { rootObject.isInvalidated }
    public var isFrozen: Bool { rootObject.isFrozen }

    /// A projection of the frozen object.
    public func freeze() -> Self { Self(projecting: rootObject.freeze()) }

    /// A projection of the live object of this thread; nil if it was deleted since.
    public func thaw() -> Self? { rootObject.thaw().map { Self(projecting: $0) } }
}

extension ObjectKeyIdentifiable where Self: ProjectionObservable {
    public var id: UInt64 { rootObject._identifier }
}
