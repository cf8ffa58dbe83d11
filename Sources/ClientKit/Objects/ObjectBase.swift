import Model
import Store

/// Root of the persisted classes: `Object`, `EmbeddedObject`, `AsymmetricObject`.
///
/// An instance is unmanaged, a plain object in memory, or an accessor of a row in a realm. An accessor keeps where
/// its row is, and checks at each access that it may still look there.
open class ObjectBase {
    // What the inlined property accessors read. They follow the rules of confinement, so the run-time exclusivity
    // checks, which cost ten times a read, are off.

    /// The realm's confinement and generation; nil while unmanaged.
    @exclusivity(unchecked) @usableFromInline final var _rlmAccess: UnsafeMutablePointer<RealmAccess>?
    /// Generation for which `_rlmChunks` and `_rlmRow` are right; 0 if they never may be used.
    @exclusivity(unchecked) @usableFromInline final var _rlmGeneration: UInt64 = 0
    @exclusivity(unchecked) @usableFromInline final var _rlmChunks: UnsafeChunkSlots?
    /// Column slot of each property of the class.
    @exclusivity(unchecked) @usableFromInline final var _rlmSlots: UnsafePointer<Int32>?
    @exclusivity(unchecked) @usableFromInline final var _rlmRow = 0
    /// Set in objects that record which properties a key path reads.
    @exclusivity(unchecked) @usableFromInline final var _rlmTracer: _KeyPathTracer?

    @exclusivity(unchecked) package final var _rlmKey = ObjectKey(0)
    /// Generation of the last time that the object was found.
    @exclusivity(unchecked) package final var _rlmSeenGeneration: UInt64 = 0
    /// Not counted: the realm, which is, keeps its classes.
    @exclusivity(unchecked) package final unowned(unsafe) var _rlmModel: ManagedClass?
    /// Keeps the realm open.
    @exclusivity(unchecked) package final var _rlmCore: RealmCore?

    /// An unmanaged object, its properties at their defaults.
    public required init() {
        ClassLayout.writePlaces(into: _rlmAddress, type(of: self))
    }

    /// Whether discovery without `objectTypes` finds the class. Override to hide a class.
    open class func shouldIncludeInDefaultSchema() -> Bool { true }

    /// Stored names of properties whose name in Swift is another.
    open class func propertiesMapping() -> [String: String] { [:] }

    /// Where the instance lies in memory. Unsafe: valid while the instance is.
    package final var _rlmAddress: UnsafeMutableRawPointer {
        Unmanaged.passUnretained(self).toOpaque()
    }

    /// The class as the schema knows it.
    package final var _rlmPersisted: PersistedClass {
        _rlmModel?.persisted ?? PersistedClass.of(type(of: self))
    }

    /// Name of the class in the schema: the unqualified Swift name.
    public class func className() -> String { ClassLayout.of(self).name }
}
