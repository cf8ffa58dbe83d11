import Dispatch
import Model
import Store

/// What belongs to the confinement of a realm, and can go over to another as a frozen value.
public protocol ThreadConfined {
    var realm: Realm? { get }
    var isInvalidated: Bool { get }
    var isFrozen: Bool { get }
    func freeze() -> Self
    func thaw() -> Self?
}

extension ObjectBase: ThreadConfined {
    /// The realm that manages the object; nil while unmanaged.
    public final var realm: Realm? { _rlmCore.map { Realm($0) } }

    /// Whether it belongs to a version that never changes, and may be read on every thread.
    public final var isFrozen: Bool { _rlmCore?.isFrozen ?? false }

    /// The object as it is now, for every thread.
    public final func freeze() -> Self {
        guard _rlmCore != nil else { fail(.unmanagedFreeze("frozen")) }
        let (core, model) = _checkManaged()
        if core.isFrozen { return self }
        let frozen = core.frozen()
        guard let info = frozen.counterpart(of: model.info) else { fail(.classNotManaged(model.info.name)) }
        guard frozen.contains(info, _rlmKey) else { fail(.freezeInCreatingWrite) }
        return unsafeDowncast(
            ObjectBase.accessor(ManagedClass.of(info, model.persisted.type), _rlmKey), to: type(of: self))
    }

    /// The live object of this thread; nil if it was deleted since. A live object returns itself.
    public final func thaw() -> Self? {
        guard let core = _rlmCore, let model = _rlmModel else { fail(.unmanagedFreeze("thawed")) }
        if !core.isFrozen { return self }
        let live = core.thawed()
        guard let info = live.counterpart(of: model.info), live.contains(info, _rlmKey) else { return nil }
        return unsafeDowncast(
            ObjectBase.accessor(ManagedClass.of(info, model.persisted.type), _rlmKey), to: type(of: self))
    }
}

/// Objects that identify themselves by a number: in a file, per row; unmanaged, per instance.
public protocol ObjectKeyIdentifiable: Identifiable {
    var id: UInt64 { get }
}

public typealias ObjectKeyIdentifable = ObjectKeyIdentifiable

extension ObjectKeyIdentifiable where Self: ObjectBase {
    public var id: UInt64 { _identifier }
}

extension ObjectBase {
    /// In a file, per row; unmanaged, per instance.
    final var _identifier: UInt64 {
        guard let model = _rlmModel else { return UInt64(UInt(bitPattern: ObjectIdentifier(self))) }
        return UInt64(bitPattern: Int64(model.info.table.id.raw)) << 48 ^ UInt64(bitPattern: _settledKey.raw)
    }
}
