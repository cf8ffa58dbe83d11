import Model

/// What a view can show, and be told of the changes of: an object, a collection, a projection. Opaque to apps.
public protocol _Viewable: ThreadConfined {
    /// Calls `changed` after each transaction that changed it. Live and managed.
    func _watch(_ keyPaths: [String]?, _ changed: @escaping () -> Void) -> NotificationToken
    /// Whether both stand for the same row or property of one file, in whatever version.
    func _isSame(as other: Self) -> Bool
    /// What is shown when there is nothing any more.
    static func _blank() -> Self
}

extension ObjectBase: _Viewable {
    public func _watch(_ keyPaths: [String]?, _ changed: @escaping () -> Void) -> NotificationToken {
        observe(keyPaths: keyPaths, on: nil) { (_: ObjectChange<ObjectBase>) in changed() }
    }

    public func _isSame(as other: ObjectBase) -> Bool { _isSameRow(as: other) }

    public class func _blank() -> Self { self.init() }
}

extension Projection: _Viewable {
    public func _watch(_ keyPaths: [String]?, _ changed: @escaping () -> Void) -> NotificationToken {
        observe(keyPaths: keyPaths, on: nil) { (_: ObjectChange<Projection>) in changed() }
    }

    public func _isSame(as other: Projection) -> Bool { rootObject._isSameRow(as: other.rootObject) }

    public class func _blank() -> Self { Self(projecting: Root()) }
}

extension RealmCollection {
    fileprivate func watch(_ keyPaths: [String]?, _ changed: @escaping () -> Void) -> NotificationToken {
        // The first call is about what there is when the observation begins, which may be newer than what is shown.
        let version = _rlmState?.core.snapshot.version
        return observe(keyPaths: keyPaths, on: nil) { change in
            if case .initial(let collection) = change, collection._rlmState?.core.snapshot.version == version { return }
            changed()
        }
    }
}

extension List: _Viewable {
    public func _watch(_ keyPaths: [String]?, _ changed: @escaping () -> Void) -> NotificationToken {
        watch(keyPaths, changed)
    }

    public func _isSame(as other: List) -> Bool {
        guard let own = place, let others = other.place else { return self === other }
        return own.core.isSameFile(as: others.core) && own.key == others.key && own.column.id == others.column.id
            && own.model.info.name == others.model.info.name && own.steps == others.steps
    }

    public static func _blank() -> List { List() }
}

extension MutableSet: _Viewable {
    public func _watch(_ keyPaths: [String]?, _ changed: @escaping () -> Void) -> NotificationToken {
        watch(keyPaths, changed)
    }

    public func _isSame(as other: MutableSet) -> Bool {
        guard let own = place, let others = other.place else { return self === other }
        return own.isSameProperty(as: others)
    }

    public static func _blank() -> MutableSet { MutableSet() }
}

extension Map: _Viewable {
    public func _watch(_ keyPaths: [String]?, _ changed: @escaping () -> Void) -> NotificationToken {
        let version = place?.core.snapshot.version
        return observe(keyPaths: keyPaths, on: nil) { change in
            if case .initial(let map) = change, map.place?.core.snapshot.version == version { return }
            changed()
        }
    }

    public func _isSame(as other: Map) -> Bool {
        guard let own = place, let others = other.place else { return self === other }
        return own.isSameProperty(as: others)
    }

    public static func _blank() -> Map { Map() }
}

extension CollectionPlace {
    fileprivate func isSameProperty(as other: CollectionPlace) -> Bool {
        core.isSameFile(as: other.core) && settledKey == other.settledKey && column.id == other.column.id
            && model.info.name == other.model.info.name && steps == other.steps
    }
}

extension Results {
    /// As `_Viewable._watch`.
    package func watch(_ keyPaths: [String]?, changed: @escaping () -> Void) -> NotificationToken {
        watch(keyPaths, changed)
    }
}

extension SectionedResults {
    /// As `_Viewable._watch`.
    package func watch(_ keyPaths: [String]?, changed: @escaping () -> Void) -> NotificationToken {
        let version = state.collection.core.snapshot.version
        return observe(keyPaths: keyPaths, on: nil) { change in
            if case .initial(let sections) = change, sections.state.collection.core.snapshot.version == version {
                return
            }
            changed()
        }
    }

    /// Whether both divide the same collection. Divisions by blocks can't be compared: they are taken to be the same.
    package func dividesSame(as other: SectionedResults) -> Bool {
        state.collection == other.state.collection && state.division.keyPath == other.state.division.keyPath
    }
}
