import Model
import Store

/// The app's classes on a file that still has the former ones.
struct MigratingClasses {
    let wanted: ClassSet

    func wants(_ name: String) -> Bool { wanted.schema.classSchema(name) != nil }

    /// The stored name of a property by its Swift name.
    func storedName(of property: String, in className: String) -> String {
        wanted.types[className]?.property(property)?.columnName ?? property
    }

    /// Lets the objects of a class have the app's properties, wherever the file has them while the migration lasts.
    func present(_ info: ClassInfo, _ renames: [PropertyRename] = []) {
        guard let wanted = wanted.schema.classSchema(info.name) else { return }
        let declared = self.wanted.types[info.name]
        var properties: [PersistedProperty] = []
        var key: (index: Int, property: PersistedProperty)?
        for (position, property) in wanted.properties.enumerated() {
            let former = renames.first { $0.className == info.name && $0.to == property.name }?.from
            let column =
                former.map { info.table.column(named: $0) } ?? info.table.columnDuringMigration(wanted, at: position)
            guard let column else { continue }
            var shown = property
            shown.name = column.property.name
            // Nulls become defaults when the migration is over.
            if property.collection == .single, column.property.isNullable { shown.isNullable = true }
            let name = declared?.name(ofColumn: property.name) ?? property.name
            if info.table.primaryKey?.id == column.id {
                let present = PersistedProperty(dynamic: shown, name: name, isPrimaryKey: true, in: info)
                guard let interim = info.table.interimKey else {
                    properties.append(present)
                    continue
                }
                // Assigning a key notes the new one beside the one by which the object is known until the end.
                key = (properties.count, present)
                shown = interim.property
            }
            properties.append(PersistedProperty(dynamic: shown, name: name, isPrimaryKey: false, in: info))
        }
        // Inverse links are computed from the others.
        properties += (declared?.properties ?? []).filter(\.isComputed).map { PersistedProperty(dynamic: $0, in: info) }
        let newKey = key.map { PersistedClass.NewKey(index: $0.index, present: properties.count) }
        if let key { properties.append(key.property) }
        ManagedClass.setDynamic(info, PersistedClass(dynamic: info, properties, declared: declared, newKey: newKey))
    }

    /// Lets the objects of a former class have the Swift names of the properties that the app still has.
    func presentFormer(_ info: ClassInfo) {
        guard let declared = wanted.types[info.name] else { return }
        let properties = info.schema.properties.map { property in
            PersistedProperty(
                dynamic: property, name: declared.name(ofColumn: property.name) ?? property.name,
                isPrimaryKey: property.name == info.schema.primaryKey, in: info)
        }
        ManagedClass.setDynamic(info, PersistedClass(dynamic: info, properties, declared: nil))
    }
}

extension PersistedClass {
    fileprivate func name(ofColumn column: String) -> String? {
        properties.first { $0.columnName == column && !$0.isComputed }?.name
    }
}
