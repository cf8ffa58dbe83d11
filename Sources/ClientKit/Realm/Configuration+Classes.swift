import Model

extension Realm.Configuration {
    /// The classes of the realm. nil: every class of the process that doesn't opt out.
    public var objectTypes: [ObjectBase.Type]? {
        get { types?.compactMap { $0 as? ObjectBase.Type } }
        set { types = newValue }
    }

    private var syncPlace: SchemaFaults.SyncPlace {
        guard let sync = syncConfiguration else { return .local }
        return sync.partitionValue == nil ? .flexible : .partition
    }

    /// The classes to open with. Traps if a class that `objectTypes` lists links to one that it lacks (CF-13).
    ///
    /// - Throws: `Realm.Error.schemaMismatch`, which lists all that is wrong with them.
    func classes() throws -> ClassSet {
        if let describedClasses { return ClassSet(described: describedClasses.schema) }
        let classes = objectTypes.map { SchemaDiscovery.classes($0) } ?? SchemaDiscovery.defaultClasses()
        if types != nil {
            let missing = SchemaFaults.missingTargets(of: classes)
            if !missing.isEmpty { fail(.invalidClassSubset(missing)) }
        }
        let faults = SchemaFaults.ofClasses(classes, isExplicit: types != nil, in: syncPlace)
        if !faults.isEmpty {
            throw Realm.Error(
                .schemaMismatch,
                "Schema validation failed due to the following errors:\n- "
                    + faults.joined(separator: "\n- "), path: fileURL?.path)
        }
        return ClassSet(classes)
    }
}
