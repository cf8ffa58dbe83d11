import Foundation

/// Notes which persisted property is read of an object that only records. Opaque to apps.
public final class _KeyPathTracer {
    /// What one evaluation of a key path read. Opaque to apps.
    public final class Recording {
        /// Paths of properties, none of which is the beginning of another.
        fileprivate(set) var paths: [[PersistedProperty]] = []
        /// Key paths of the projected properties that were read, for key paths of projections.
        var projected: [AnyKeyPath] = []
    }

    let recording: Recording
    let persisted: PersistedClass
    /// The properties that lead here.
    private let prefix: [PersistedProperty]

    private init(_ persisted: PersistedClass, _ recording: Recording, prefix: [PersistedProperty]) {
        self.persisted = persisted
        self.recording = recording
        self.prefix = prefix
    }

    package func note(_ index: Int) {
        let names = prefix.map(\.name)
        let property = persisted.properties[index]
        // A computed property may read the same persisted one several times.
        if recording.paths.contains(where: { $0.map(\.name).starts(with: names + [property.name]) }) { return }
        if let last = recording.paths.last, last.map(\.name) == names { recording.paths.removeLast() }
        recording.paths.append(prefix + [property])
    }

    /// Notes a read of an optional property; a link is answered with an object that records the rest of the path.
    package func noteOptional<Wrapped>(_ index: Int, _ type: Wrapped.Type) -> Wrapped? {
        guard let linked = type as? ObjectBase.Type else {
            note(index)
            return nil
        }
        return noteElement(index, linked) as? Wrapped
    }

    /// The object that answers for what a link or a collection of objects at `index` has.
    package func noteElement(_ index: Int, _ type: ObjectBase.Type) -> ObjectBase {
        note(index)
        return Self.object(type, recording, prefix: prefix + [persisted.properties[index]])
    }

    /// An object whose properties note that they are read.
    static func object(
        _ type: ObjectBase.Type, _ recording: Recording, prefix: [PersistedProperty] = []
    ) -> ObjectBase {
        let object = type.init()
        object._rlmTracer = _KeyPathTracer(PersistedClass.of(type), recording, prefix: prefix)
        return object
    }

    // MARK: Key paths

    private struct Trace {
        let paths: [[PersistedProperty]]
        let projected: AnyKeyPath?
    }

    private static func traced(_ keyPath: AnyKeyPath) -> Trace {
        if let known = cache.withLock({ $0[keyPath] }) { return known }
        guard let type = Swift.type(of: keyPath).rootType as? any _KeyPathRoot.Type else {
            return Trace(paths: [], projected: nil)
        }
        let recording = Recording()
        _ = type._tracingRoot(recording)[keyPath: keyPath]
        let trace = Trace(paths: recording.paths, projected: recording.projected.first)
        cache.withLock { cache in
            // Key paths in a program are few; those made at run time must not pile up.
            if cache.count >= 10_000 { cache.removeAll() }
            cache[keyPath] = trace
        }
        return trace
    }

    /// The properties that a key path reads, one of the other; nil if it reads none, or several of one object.
    package static func trace(_ keyPath: AnyKeyPath) -> [PersistedProperty]? {
        let paths = traced(keyPath).paths
        return paths.count == 1 ? paths[0] : nil
    }

    /// All that a key path reads, in stored names, as far as it is stored: a path ends where it goes on through inverse
    /// links.
    static func storedPaths(_ keyPath: AnyKeyPath) -> [[String]] {
        traced(keyPath).paths.map { path in path.prefix { !$0.isComputed }.map(\.columnName) }
    }

    /// The key path of the projected property that a key path of a projection begins with.
    static func projected(_ keyPath: AnyKeyPath) -> AnyKeyPath? {
        traced(keyPath).projected
    }

    /// Dotted path of Swift names. Traps for key paths of anything but persisted properties (XR-13).
    package static func names(_ keyPath: AnyKeyPath) -> [String] {
        guard let properties = trace(keyPath) else {
            fail(Mistake("Invalid key path \(keyPath): it must consist of persisted properties."))
        }
        return properties.map(\.name)
    }

    /// Dotted paths of Swift names.
    package static func paths(_ keyPaths: [AnyKeyPath]) -> [String] {
        keyPaths.map { names($0).joined(separator: ".") }
    }

    private static let cache = Lock<[AnyKeyPath: Trace]>([:])
}
