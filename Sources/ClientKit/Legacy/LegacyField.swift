import Model

/// A type that a persisted property may have without `@Persisted` (LG-02, LG-03).
package protocol LegacyDeclarable {
    static var _legacyField: any AnyPersisted.Type { get }
}

extension List: LegacyDeclarable {
    package static var _legacyField: any AnyPersisted.Type { LegacyCollection<List>.self }
}

extension MutableSet: LegacyDeclarable {
    package static var _legacyField: any AnyPersisted.Type { LegacyCollection<MutableSet>.self }
}

extension Map: LegacyDeclarable {
    package static var _legacyField: any AnyPersisted.Type { LegacyCollection<Map>.self }
}

extension RealmProperty: LegacyDeclarable {
    package static var _legacyField: any AnyPersisted.Type { LegacyProperty<Value>.self }
}

extension LinkingObjects: LegacyDeclarable {
    package static var _legacyField: any AnyPersisted.Type { LegacyLinks<Element>.self }
}

/// A stored property that is persisted without a wrapper: the wrapper's address is that of the property itself.
protocol LegacyField: AnyPersisted {
    associatedtype Declared: _Persistable
}

extension LegacyField {
    package static var shape: _PropertyShape { Declared._shape }
    package static func options(at wrapper: UnsafeRawPointer) -> UInt32 { 0 }
    package static func originProperty(at wrapper: UnsafeRawPointer) -> String? { nil }
    package static func content(at wrapper: UnsafeMutableRawPointer) -> _StoredValue? { nil }
    package static func collection(at wrapper: UnsafeMutableRawPointer) -> (any PersistedCollection)? { nil }
    package static func keptCollection(at wrapper: UnsafeMutableRawPointer) -> (any PersistedCollection)? {
        collection(at: wrapper)
    }
    package static func assign(_ content: _StoredValue, at wrapper: UnsafeMutableRawPointer) -> Bool { false }
    package static func unmanagedValue(at wrapper: UnsafeMutableRawPointer) -> Any {
        wrapper.assumingMemoryBound(to: Declared.self).pointee
    }
    package static func managedValue(_ object: ObjectBase, _ index: Int) -> Any { Declared._get(object, index) }
    package static func swiftValue(_ content: _StoredValue) -> Any? {
        Declared._make(content).flatMap { AnyCoercion.unwrapped($0) }
    }
    package static func markManaged(at wrapper: UnsafeMutableRawPointer) {}
    /// Accessors of classes with such properties are never used again for another object.
    package static func reset(at wrapper: UnsafeMutableRawPointer) {}
}

private enum LegacyCollection<Declared: _Persistable & PersistedCollection>: LegacyField {
    static func collection(at wrapper: UnsafeMutableRawPointer) -> (any PersistedCollection)? {
        wrapper.assumingMemoryBound(to: Declared.self).pointee
    }

    static func attach(at wrapper: UnsafeMutableRawPointer, to object: ObjectBase, _ index: Int, isNew: Bool) {
        // Those of an object that is being added have elements, and are attached when these are stored.
        if !isNew { wrapper.assumingMemoryBound(to: Declared.self).pointee.attach(to: object, index) }
    }
}

private enum LegacyProperty<Declared: RealmPropertyType>: LegacyField {
    private static func property(at wrapper: UnsafeMutableRawPointer) -> RealmProperty<Declared> {
        wrapper.assumingMemoryBound(to: RealmProperty<Declared>.self).pointee
    }

    static func content(at wrapper: UnsafeMutableRawPointer) -> _StoredValue? { property(at: wrapper).held._rlmContent }

    static func assign(_ content: _StoredValue, at wrapper: UnsafeMutableRawPointer) -> Bool {
        property(at: wrapper).hold(content)
    }

    static func unmanagedValue(at wrapper: UnsafeMutableRawPointer) -> Any { property(at: wrapper).held }

    static func attach(at wrapper: UnsafeMutableRawPointer, to object: ObjectBase, _ index: Int, isNew: Bool) {
        property(at: wrapper).attach(to: object, index)
    }
}

private enum LegacyLinks<Element: ObjectBase & RealmCollectionValue>: LegacyField {
    typealias Declared = LinkingObjects<Element>

    static func originProperty(at wrapper: UnsafeRawPointer) -> String? {
        wrapper.assumingMemoryBound(to: Declared.self).pointee._originProperty
    }

    static func attach(at wrapper: UnsafeMutableRawPointer, to object: ObjectBase, _ index: Int, isNew: Bool) {
        // A constant in Swift, and before anybody reads it.
        wrapper.assumingMemoryBound(to: Declared.self).pointee = Declared._get(object, index)
    }
}

extension ObjectBase {
    /// Tells the properties without wrapper whose they are.
    final func _attachLegacyFields(_ persisted: PersistedClass, isNew: Bool) {
        for (index, property) in persisted.properties.enumerated() {
            property.wrapper.attach(at: _rlmAddress + property.offset, to: self, index, isNew: isNew)
        }
    }
}
