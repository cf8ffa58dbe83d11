import Model
import Store

/// A class of a realm instance, joined with its Swift class.
package final class ManagedClass {
    package let persisted: PersistedClass
    package unowned let info: ClassInfo
    /// Column of each property of the Swift class; nil for inverse links.
    package let columns: [StoredColumn?]
    package let slots: UnsafePointer<Int32>
    let steps: [PropertyStep]

    private init(_ persisted: PersistedClass, _ info: ClassInfo) {
        self.persisted = persisted
        self.info = info
        let columns = persisted.properties.map { property in
            property.isComputed ? nil : info.index(of: property.columnName).map { info.columns[$0] }
        }
        self.columns = columns
        steps = persisted.properties.enumerated().map { PropertyStep($1, $0, columns[$0]) }
        let slots = UnsafeMutablePointer<Int32>.allocate(capacity: max(1, columns.count))
        for (index, column) in columns.enumerated() {
            (slots + index).initialize(to: Int32(column?.slot ?? 0))
        }
        self.slots = UnsafePointer(slots)
    }

    deinit {
        slots.deallocate()
    }

    /// The class of a realm instance as accessors of `type` see it.
    package static func of(_ info: ClassInfo, _ type: ObjectBase.Type) -> ManagedClass {
        if let model = info.model { return unsafeDowncast(model, to: ManagedClass.self) }
        let model = ManagedClass(PersistedClass.of(type), info)
        info.model = model
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

    package func column(_ index: Int) -> StoredColumn {
        guard let column = columns[index] else {
            preconditionFailure("\(persisted.name).\(persisted.properties[index].name) has no column")
        }
        return column
    }

    /// Class of the objects that property `index` links to.
    package func targetModel(_ index: Int) -> ManagedClass {
        let property = persisted.properties[index]
        guard let type = property.objectType, let info = info.core.info(className: ClassLayout.of(type).name) else {
            fail(.classNotManaged(property.objectType.map { ClassLayout.of($0).name } ?? property.name))
        }
        return Self.of(info, type)
    }

    /// Accessor of the object that link property `index` points to.
    package func target(_ index: Int, _ key: ObjectKey) -> ObjectBase {
        ObjectBase.accessor(targetModel(index), key)
    }
}
