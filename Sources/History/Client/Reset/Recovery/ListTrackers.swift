import Model

/// Names a list for the whole recovery: by its object, and what leads to it from there.
struct ListPlace: Hashable {
    enum Step: Hashable {
        /// A property or a dictionary's key.
        case name(PathElement)
        /// An element that the recovery has inserted, by its ident.
        case element(Int)
    }

    let object: Link
    private(set) var steps: [Step]

    init(_ path: InstructionPath) {
        object = Link(className: path.className, key: path.key)
        steps = [.name(.name(path.property))]
    }

    func appending(_ step: Step) -> ListPlace {
        var place = self
        place.steps.append(step)
        return place
    }

    func appending(_ name: String) -> ListPlace { appending(.name(.name(name))) }

    /// Whether it is inside of another place.
    func isBelow(_ other: ListPlace) -> Bool {
        steps.count > other.steps.count && steps.starts(with: other.steps)
    }
}

/// The trackers of all lists that a recovery has touched.
struct ListTrackers {
    private var byObject: [Link: [ListPlace: ListTracker]] = [:]
    /// Lists that must be copied, in the order in which that was found out.
    private(set) var copies: [ListPlace] = []

    subscript(place: ListPlace) -> ListTracker {
        get { byObject[place.object]?[place] ?? ListTracker() }
        set { byObject[place.object, default: [:]][place] = newValue }
    }

    mutating func requireCopy(_ place: ListPlace) {
        self[place].requireCopy()
        noteCopy(place)
    }

    /// Notes a list whose tracker has come to the end of what it can tell.
    mutating func noteCopy(_ place: ListPlace) {
        if !copies.contains(place) { copies.append(place) }
        dropBelow(place)
    }

    /// The list is empty from now on: all is known of it.
    mutating func reset(_ place: ListPlace) {
        byObject[place.object]?[place] = nil
        copies.removeAll { $0 == place }
        dropBelow(place)
    }

    /// What was below a place is gone.
    mutating func dropBelow(_ place: ListPlace) {
        guard let known = byObject[place.object], known.contains(where: { $0.key.isBelow(place) }) else { return }
        byObject[place.object] = known.filter { !$0.key.isBelow(place) }
        copies.removeAll { $0.object == place.object && $0.isBelow(place) }
    }

    /// An object is gone.
    mutating func drop(_ object: Link) {
        guard byObject.removeValue(forKey: object) != nil else { return }
        copies.removeAll { $0.object == object }
    }

    /// Lists are to be copied once more: there is more that can be.
    mutating func renewCopies() {
        for place in copies { self[place].isCopied = false }
    }
}
