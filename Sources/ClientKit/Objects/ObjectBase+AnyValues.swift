import Model

extension ObjectBase {
    /// A property as a Swift value, its optional flattened to nil-or-value.
    package final func _anyValue(_ index: Int) -> Any {
        let persisted = _rlmPersisted
        let property = persisted.properties[index]
        if let newKey = persisted.newKey, newKey.index == index {
            let given = property.wrapper.managedValue(self, index)
            return AnyCoercion.unwrapped(given) == nil ? _anyValue(newKey.present) : given
        }
        if _rlmAccess == nil { return property.wrapper.unmanagedValue(at: _rlmAddress + property.offset) }
        if property.collection != .single { return _collection(index) ?? property.wrapper.managedValue(self, index) }
        return property.wrapper.managedValue(self, index)
    }

    /// The collection that property `index` holds.
    package final func _collection(_ index: Int) -> (any PersistedCollection)? {
        let property = _rlmPersisted.properties[index]
        if _rlmAccess == nil { return property.wrapper.collection(at: _rlmAddress + property.offset) }
        return property.wrapper.managedValue(self, index) as? any PersistedCollection
    }

    /// Assigns a property by a value of any type that fits it.
    package final func _setAny(_ value: Any, _ index: Int) {
        let persisted = _rlmPersisted
        let property = persisted.properties[index]
        if property.isComputed {
            fail(Mistake("Cannot assign '\(persisted.name).\(property.name)': linking objects are computed."))
        }
        // Values for an object may come from one of another class, a link can't be to it (MK-27).
        if property.collection == .single, let target = property.objectType,
            let object = AnyCoercion.unwrapped(value) as? ObjectBase, Swift.type(of: object) != target
        {
            fail(.wrongClass(object, ClassLayout.of(target).name, persisted.name, property.name))
        }
        guard let core = _rlmCore, let model = _rlmModel else {
            return UnmanagedBuilder.assign(value, to: property, of: self, persisted)
        }
        core.checkWrite("set '\(persisted.name).\(property.name)'")
        _checkManaged()
        if index == persisted.primaryKeyIndex { fail(.primaryKeyChange(persisted.name, property.name)) }
        ObjectWriter(core).assign(value, to: index, of: model, _rlmKey, isNew: false, update: .error)
        _rlmGeneration = 0
    }

    /// Property by its Swift name. Reading an unknown one traps; so does a value of another type.
    public final subscript(key: String) -> Any? {
        get { AnyCoercion.unwrapped(_anyValue(_index(of: key))) }
        set { _setAny(newValue as Any, _index(of: key)) }
    }

    private func _index(of key: String) -> Int {
        let persisted = _rlmPersisted
        guard let index = persisted.index(of: key) else {
            fail(Mistake("Invalid property name '\(key)' for class '\(persisted.name)'."))
        }
        return index
    }

    /// Key-value coding: a property by name, `self`, or a path through links.
    public final func value(forKey key: String) -> Any? {
        key == "self" ? self : self[key]
    }

    /// Key-value coding: the value at the end of a path, which may lead through collections and end with one of their
    /// operators, such as `dogs.@max.age`. nil if a link on the way is nil.
    public final func value(forKeyPath keyPath: String) -> Any? {
        let (key, rest) = KeyValueCoding.split(keyPath)
        let value = value(forKey: key)
        guard let rest, let value else { return value }
        return KeyValueCoding.value(of: value, forKeyPath: rest)
    }

    public final func setValue(_ value: Any?, forKey key: String) {
        self[key] = value
    }

    /// Key-value coding: assigns the property at the end of a path; of all objects of a collection that it leads
    /// through. Nothing happens if a link on the way is nil.
    public final func setValue(_ value: Any?, forKeyPath keyPath: String) {
        let (key, rest) = KeyValueCoding.split(keyPath)
        guard let rest else { return setValue(value, forKey: key) }
        switch self.value(forKey: key) {
        case let object as ObjectBase: object.setValue(value, forKeyPath: rest)
        case let collection as any RealmCollection: collection.setValue(value, forKeyPath: rest)
        case nil: break
        case .some: fail(Mistake("Invalid key path '\(keyPath)': '\(key)' is no object and no collection."))
        }
    }
}
