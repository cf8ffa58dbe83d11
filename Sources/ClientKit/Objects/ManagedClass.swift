import Model
import Store

/// A class of a realm instance, joined with its Swift class.
package final class ManagedClass {
    package let persisted: PersistedClass
    /// Owns this, and lives as long as the realm instance, which everybody who has this keeps.
    package unowned(unsafe) let info: ClassInfo
    /// Column of each property of the Swift class; nil for inverse links.
    package let columns: [StoredColumn?]
    package let slots: UnsafePointer<Int32>
    /// The properties that are stored, without the primary key.
    let steps: UnsafeBufferPointer<PropertyStep>
    private let primaryStep: PropertyStep?

    private init(_ persisted: PersistedClass, _ info: ClassInfo) {
        self.persisted = persisted
        self.info = info
        let columns = persisted.properties.map { property in
            property.isComputed ? nil : info.index(of: property.columnName).map { info.columns[$0] }
        }
        self.columns = columns
        let stored = persisted.properties.enumerated().compactMap { index, property in
            columns[index].map { PropertyStep(property, index, $0) }
        }
        primaryStep = stored.first { $0.index == persisted.primaryKeyIndex }
        let others = stored.filter { $0.index != persisted.primaryKeyIndex }
        let steps = UnsafeMutableBufferPointer<PropertyStep>.allocate(capacity: others.count)
        _ = steps.initialize(from: others)
        self.steps = UnsafeBufferPointer(steps)
        let slots = UnsafeMutablePointer<Int32>.allocate(capacity: max(1, columns.count))
        for (index, column) in columns.enumerated() {
            (slots + index).initialize(to: Int32(column?.slot ?? 0))
        }
        self.slots = UnsafePointer(slots)
    }

    deinit {
        slots.deallocate()
        steps.deallocate()
    }

    /// The class of a realm instance as accessors of `type` see it. Traps if another Swift class stands for it there.
    package static func of(_ info: ClassInfo, _ type: ObjectBase.Type) -> ManagedClass {
        if type == DynamicObject.self { return dynamic(info) }
        guard let model = info.model else { return make(info, PersistedClass.of(type)) }
        let known = unsafeDowncast(model, to: ManagedClass.self)
        if known.persisted.type != type { fail(.classNotManaged(String(reflecting: type))) }
        return known
    }

    /// The class of a realm instance as `DynamicObject`s see it. Any thread that may use the realm.
    package static func dynamic(_ info: ClassInfo) -> ManagedClass {
        info.dynamicModels.withLock { known in
            if let last = known.last { return unsafeDowncast(last, to: ManagedClass.self) }
            let declared = info.core.classes.types[info.name]
            let made = ManagedClass(PersistedClass(dynamic: info, declared: declared), info)
            known = [made]
            return made
        }
    }

    /// From now on `DynamicObject`s see a class so. Those that are there keep what they have.
    static func setDynamic(_ info: ClassInfo, _ persisted: PersistedClass) {
        info.dynamicModels.withLock { $0.append(ManagedClass(persisted, info)) }
    }

    /// Joins a class of a realm instance with its Swift class. A realm that is frozen keeps only what it had before
    /// others saw it: several threads read it.
    @discardableResult
    static func make(_ info: ClassInfo, _ persisted: PersistedClass) -> ManagedClass {
        let model = ManagedClass(persisted, info)
        if !info.core.isShared { info.model = model }
        return model
    }

    /// The class of a realm instance as accessors of the Swift class with its name see it.
    package static func of(_ info: ClassInfo) -> ManagedClass {
        if let model = info.model { return unsafeDowncast(model, to: ManagedClass.self) }
        guard let persisted = SchemaDiscovery.persistedClass(named: info.name) else {
            fail(.classNotManaged(info.name))
        }
        return of(info, persisted.type)
    }

    /// As `of`; nil if this process has no Swift class for it.
    static func known(_ info: ClassInfo) -> ManagedClass? {
        if info.model == nil, SchemaDiscovery.persistedClass(named: info.name) == nil { return nil }
        return of(info)
    }

    /// The primary key that an unmanaged object holds; nil if its class has none.
    func primaryKey(of object: ObjectBase) -> PrimaryKey? {
        guard let primaryStep else { return nil }
        let address = object._rlmAddress
        if let key = primaryStep.codec.primaryKey(at: address + primaryStep.offset) { return key }
        guard let key = PrimaryKey(persisted.properties[primaryStep.index].content(in: address)) else {
            preconditionFailure("the primary key of \(persisted.name) is of no key's type")
        }
        return key
    }

    package func column(_ index: Int) -> StoredColumn {
        guard let column = columns[index] else {
            preconditionFailure("\(persisted.name).\(persisted.properties[index].name) has no column")
        }
        return column
    }

    /// Class of the objects that property `index` links to.
    package func targetModel(_ index: Int) -> ManagedClass {
        let property = persisted.properties[index]
        guard let type = property.objectType, let name = property.targetName,
            let info = property.dynamicTarget == nil
                ? info.core.info(className: name) : info.core.storedInfo(named: name)
        else {
            fail(.classNotManaged(property.targetName ?? property.name))
        }
        return Self.of(info, type)
    }

    /// Accessor of the object that link property `index` points to.
    package func target(_ index: Int, _ key: ObjectKey) -> ObjectBase {
        ObjectBase.accessor(targetModel(index), key)
    }
}
