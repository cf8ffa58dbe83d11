/// The projected properties of a class of projections. One per class, for ever.
final class ProjectedClass: @unchecked Sendable {
    struct Property {
        let name: String
        /// From the object that is projected.
        let keyPath: AnyKeyPath
        /// The persisted properties that the key path reads, by stored names.
        let paths: [[String]]
    }

    let properties: [Property]

    private static let known = Lock<[ObjectIdentifier: ProjectedClass]>([:])

    /// Traps if a property is no part of the projected object (MK-85).
    static func of<P: ProjectionObservable>(_ projection: P) -> ProjectedClass {
        let type = Swift.type(of: projection)
        if let known = known.withLock({ $0[ObjectIdentifier(type)] }) { return known }
        let made = ProjectedClass(projection, "\(type)")
        known.withLock { $0[ObjectIdentifier(type)] = made }
        return made
    }

    static func of<P: ProjectionObservable>(_ type: P.Type) -> ProjectedClass {
        if let known = known.withLock({ $0[ObjectIdentifier(type)] }) { return known }
        return of(P(projecting: P.Root()))
    }

    private init<P: ProjectionObservable>(_ projection: P, _ name: String) {
        var properties: [Property] = []
        var mirror: Mirror? = Mirror(reflecting: projection)
        while let current = mirror {
            let own = current.children.compactMap { child -> Property? in
                guard let label = child.label, let keyPath = (child.value as? any AnyProjected)?.anyKeyPath else {
                    return nil
                }
                let property = String(label.drop { $0 == "_" })
                let paths = _KeyPathTracer.storedPaths(keyPath)
                if paths.isEmpty {
                    fail(
                        Mistake(
                            "@Projected property '\(property)' of '\(name)' must be a part of Realm object "
                                + "'\(P.Root.className())'."))
                }
                return Property(name: property, keyPath: keyPath, paths: paths)
            }
            properties = own + properties
            mirror = current.superclassMirror
        }
        self.properties = properties
    }

    func property(_ name: String) -> Property? {
        properties.first { $0.name == name }
    }
}
