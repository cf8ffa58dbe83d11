import Foundation

/// Notes which persisted property is read of an object that only records. Opaque to apps.
public final class _KeyPathTracer {
    /// What one evaluation of a key path read.
    final class Recording {
        var properties: [PersistedProperty] = []
        /// How many reads there were that did not continue the path.
        var isBroken = false
    }

    let recording: Recording
    let persisted: PersistedClass
    /// How many properties lead here.
    let depth: Int

    init(_ persisted: PersistedClass, _ recording: Recording, depth: Int) {
        self.persisted = persisted
        self.recording = recording
        self.depth = depth
    }

    package func note(_ index: Int) {
        if recording.properties.count != depth { recording.isBroken = true }
        recording.properties.append(persisted.properties[index])
    }

    /// Notes a read of an optional property; a link is answered with an object that records the rest of the path.
    package func noteOptional<Wrapped>(_ index: Int, _ type: Wrapped.Type) -> Wrapped? {
        note(index)
        guard let linked = type as? ObjectBase.Type else { return nil }
        return Self.object(linked, recording, depth: depth + 1) as? Wrapped
    }

    /// The object that answers for what a link or a collection of objects at `index` has.
    package func noteElement(_ index: Int, _ type: ObjectBase.Type) -> ObjectBase {
        note(index)
        return Self.object(type, recording, depth: depth + 1)
    }

    private static func object(_ type: ObjectBase.Type, _ recording: Recording, depth: Int) -> ObjectBase {
        let object = type.init()
        object._rlmTracer = _KeyPathTracer(PersistedClass.of(type), recording, depth: depth)
        return object
    }

    /// The properties that a key path reads, in order; nil if it reads anything but persisted properties.
    package static func trace(_ keyPath: AnyKeyPath) -> [PersistedProperty]? {
        let identifier = keyPath
        if let known = cache.withLock({ $0[identifier] }) { return known }
        guard let type = Swift.type(of: keyPath).rootType as? ObjectBase.Type else { return nil }
        let recording = Recording()
        let root = object(type, recording, depth: 0)
        _ = root[keyPath: keyPath]
        let properties = recording.isBroken || recording.properties.isEmpty ? nil : recording.properties
        if let properties {
            cache.withLock { cache in
                // Key paths in a program are few; those made at run time must not pile up.
                if cache.count >= 10_000 { cache.removeAll() }
                cache[identifier] = properties
            }
        }
        return properties
    }

    /// Dotted path of Swift names. Traps for key paths of anything but persisted properties (XR-13).
    package static func names(_ keyPath: AnyKeyPath) -> [String] {
        guard let properties = trace(keyPath) else {
            fail(Mistake("Invalid key path \(keyPath): it must consist of persisted properties."))
        }
        return properties.map(\.name)
    }

    private static let cache = Lock<[AnyKeyPath: [PersistedProperty]]>([:])
}
