import Model
import Store

/// Carries data over from a file's former classes to the app's. Called with the migration and the file's version.
public typealias MigrationBlock = @Sendable (_ migration: Migration, _ oldSchemaVersion: UInt64) -> Void

/// Gets an object as it was and as it will be: nil if its class, or the object itself, is no longer there.
public typealias MigrationObjectEnumerateBlock = (_ oldObject: MigrationObject?, _ newObject: MigrationObject?) -> Void

/// What a migration block works with: the objects as they were, which can't be changed, and as they will be.
///
/// ```swift
/// let configuration = Realm.Configuration(schemaVersion: 2) { migration, oldVersion in
///     if oldVersion < 1 { migration.renameProperty(onType: "Dog", from: "title", to: "name") }
///     if oldVersion < 2 {
///         migration.enumerateObjects(ofType: "Dog") { old, new in
///             new?["ageInDays"] = (old?["age"] as? Int ?? 0) * 365
///         }
///     }
/// }
/// ```
/// All of it is one transaction, on the thread that opens the realm, while no other process writes. If the program ends
/// in the middle, the file stays as it was. Valid inside the block only.
public final class Migration {
    let old: RealmCore
    let new: RealmCore
    let classes: MigratingClasses
    /// Properties that keep their values under another name, by stored names.
    private(set) var renames: [PropertyRename] = []
    /// Classes that are to be dropped.
    private(set) var removed: Set<String> = []

    init(old: RealmCore, new: RealmCore, classes: MigratingClasses) {
        self.old = old
        self.new = new
        self.classes = classes
    }

    /// The classes that the file had.
    public var oldSchema: Schema { Realm(old).schema }

    /// The classes that the file will have.
    public var newSchema: Schema {
        Schema(
            classes.wanted.schema.classes.map(\.name).sorted().compactMap { name in
                classes.wanted.types[name] ?? new.info(className: name).map { ManagedClass.dynamic($0).persisted }
            })
    }

    /// Calls the block with each object of a class that was there before the migration and hasn't been deleted by it.
    /// For a class that is new it is never called; of one that is gone there is no new object. Traps for a class that
    /// neither the file nor the app has.
    public func enumerateObjects(ofType typeName: String, _ block: MigrationObjectEnumerateBlock) {
        guard let former = old.info(className: typeName) else {
            if classes.wants(typeName) { return }
            fail(.noClassToMigrate("enumerate objects", typeName))
        }
        let before = ManagedClass.dynamic(former)
        let after = classes.wants(typeName) ? new.info(className: typeName) : nil
        for key in former.reader.allKeys {
            let object = ObjectBase.accessor(before, key) as? MigrationObject
            guard let after else {
                block(object, nil)
                continue
            }
            // Deleted by the block in the meantime.
            guard new.contains(after, key) else { continue }
            // Renaming a property makes another class of it.
            block(object, ObjectBase.accessor(ManagedClass.dynamic(after), key) as? MigrationObject)
        }
    }

    /// Creates an object of a new class. See `Realm.create`.
    @discardableResult
    public func create(_ typeName: String, value: Any = [String: Any]()) -> MigrationObject {
        guard classes.wants(typeName), let info = new.info(className: typeName) else {
            fail(.noClassToMigrate("create an object", typeName))
        }
        if info.schema.kind == .embedded {
            fail(
                Mistake(
                    "Embedded objects cannot be created directly: '\(typeName)' is part of other objects until the "
                        + "migration is over."))
        }
        let model = ManagedClass.dynamic(info)
        let key = ObjectWriter(new).create(model, value, update: .error)
        return unsafeDowncast(ObjectBase.accessor(model, key), to: MigrationObject.self)
    }

    /// Deletes a new object.
    public func delete(_ object: MigrationObject) {
        guard object._rlmCore === new, let model = object._rlmModel else {
            fail(.deleteOfForeign(object._rlmModel?.info.name ?? MigrationObject.className()))
        }
        object._checkManaged()
        new.delete(model.info, object._rlmKey)
        object._rlmGeneration = 0
    }

    /// Deletes all objects of a class; the class as well, if the app doesn't have it any more.
    ///
    /// - Returns: whether the file had the class.
    @discardableResult
    public func deleteData(forType typeName: String) -> Bool {
        guard old.info(className: typeName) != nil, let info = new.info(className: typeName) else { return false }
        new.deleteAll(info)
        if !classes.wants(typeName) { removed.insert(typeName) }
        return true
    }

    /// Gives a property another name, with its values. Traps (MK-69 … MK-72) unless the class is there before and after,
    /// the old property before only and the new one after, and both have one type.
    public func renameProperty(onType typeName: String, from oldName: String, to newName: String) {
        let doing = "rename property '\(typeName).\(oldName)'"
        guard let former = old.info(className: typeName), classes.wants(typeName),
            let info = new.info(className: typeName)
        else { fail(.noClassToMigrate(doing, typeName)) }
        let model = ManagedClass.dynamic(info)
        guard let from = ManagedClass.dynamic(former).persisted.property(oldName) else {
            fail(Mistake("Cannot \(doing): the file's class '\(typeName)' has no property '\(oldName)'."))
        }
        if model.persisted.property(oldName) != nil {
            fail(Mistake("Cannot \(doing) to '\(newName)': class '\(typeName)' still has a property '\(oldName)'."))
        }
        guard let to = model.persisted.property(newName), !to.isComputed else {
            fail(Mistake("Cannot \(doing): class '\(typeName)' has no property '\(newName)'."))
        }
        guard from.type == to.type, from.collection == to.collection, from.targetName == to.targetName else {
            fail(
                Mistake(
                    "Cannot \(doing) to '\(newName)': they have different types, \(from.typeDescription) and "
                        + "\(to.typeDescription)."))
        }
        if from.isOptional, !to.isOptional {
            fail(
                Mistake(
                    "Cannot \(doing) to '\(newName)': an optional \(from.typeDescription) can't become a required "
                        + "\(to.typeDescription)."))
        }
        let wanted = classes.storedName(of: newName, in: typeName)
        renames.append(PropertyRename(className: typeName, from: from.columnName, to: wanted))
        classes.present(info, renames)
    }
}

extension Mistake {
    /// MK-69, MK-73.
    static func noClassToMigrate(_ doing: String, _ className: String) -> Mistake {
        Mistake("Cannot \(doing) in a migration: class '\(className)' does not exist.")
    }
}
