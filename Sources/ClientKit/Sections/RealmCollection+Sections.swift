import Model

extension RealmCollection where Element: _KeyPathRoot {
    /// Divides the collection by a property, sorted by that property.
    ///
    ///     realm.objects(Dog.self).sectioned(by: \.breed)
    public func sectioned<Key: _Persistable & Hashable>(
        by keyPath: KeyPath<Element, Key>, ascending: Bool = true
    ) -> SectionedResults<Key, Element> {
        sectioned(by: keyPath, sortDescriptors: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
    }

    /// Divides the collection by a property, which must also be the first one to sort by.
    public func sectioned<Key: _Persistable & Hashable>(
        by keyPath: KeyPath<Element, Key>, sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> {
        let name = _KeyPathTracer.names(keyPath).joined(separator: ".")
        if let first = sortDescriptors.first, first.keyPath != name {
            fail(Mistake("The section key path '\(name)' must match the primary sort descriptor '\(first.keyPath)'."))
        }
        return sectioned(sortDescriptors, .init(key: { $0[keyPath: keyPath] }, keyPath: keyPath))
    }

    /// Divides the collection by what `block` says of each element. The block is called whenever sections are made
    /// anew: it must always say the same of the same element.
    public func sectioned<Key: _Persistable & Hashable>(
        by block: @escaping (Element) -> Key, sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> {
        sectioned(sortDescriptors, .init(key: block, keyPath: nil))
    }

    private func sectioned<Key>(
        _ sortDescriptors: [SortDescriptor], _ division: SectionedState<Key, Element>.Division
    ) -> SectionedResults<Key, Element> {
        if sortDescriptors.isEmpty {
            fail(Mistake("There must be at least one SortDescriptor to divide a collection into sections."))
        }
        let sorted = managedState("divide into sections").sorted(by: sortDescriptors)
        return SectionedResults(SectionedState(sorted, division))
    }
}

extension RealmCollection where Element.PersistedType: SortableType {
    /// Divides the values, in their order, by what `block` says of each. The block is called whenever sections are
    /// made anew: it must always say the same of the same value.
    public func sectioned<Key: _Persistable & Hashable>(
        by block: @escaping (Element) -> Key, ascending: Bool = true
    ) -> SectionedResults<Key, Element> {
        let sorted = managedState("divide into sections").sorted(ascending: ascending)
        return SectionedResults(SectionedState(sorted, .init(key: block, keyPath: nil)))
    }
}

extension RealmCollection where Element: ProjectionObservable {
    /// Divides the projections, in the collection's order or from its end, by what `block` says of each. The block is
    /// called whenever sections are made anew: it must always say the same of the same projection.
    public func sectioned<Key: _Persistable & Hashable>(
        by block: @escaping (Element) -> Key, ascending: Bool = true
    ) -> SectionedResults<Key, Element> {
        let state = managedState("divide into sections")
        return SectionedResults(
            SectionedState(state, .init(key: block, keyPath: nil, isReversed: !ascending)))
    }
}
