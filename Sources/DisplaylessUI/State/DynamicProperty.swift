/// A stored property of a view that is brought up to date before the view's body is evaluated.
public protocol DynamicProperty {
    /// Called before each evaluation, after the properties inside it are up to date.
    mutating func update()
}

extension DynamicProperty {
    public mutating func update() {}
}

/// A dynamic property that the module connects to the tree itself.
@MainActor
protocol InstalledProperty: DynamicProperty {
    mutating func install(_ place: InstallationPlace)
}

/// Where a dynamic property is: which view of the tree it belongs to, and how far into it.
@MainActor
struct InstallationPlace {
    let node: ViewNode
    let environment: EnvironmentValues
    var offset = 0

    /// What the property keeps from one evaluation to the next.
    func stored<Stored: AnyObject>(_ make: () -> Stored) -> Stored {
        node.stored(at: offset, make)
    }
}
