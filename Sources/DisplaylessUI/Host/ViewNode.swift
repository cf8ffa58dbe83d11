/// What stays of a view from one evaluation to the next: its state, and what happens when it goes.
@MainActor
final class ViewNode {
    struct Key: Hashable {
        let slot: AnyHashable
        let type: ObjectIdentifier
    }

    private(set) var children: [Key: ViewNode] = [:]
    /// State of the dynamic properties, by where they lie in the view.
    private var storage: [Int: AnyObject] = [:]
    /// The last evaluation in which the view was there.
    private var round: UInt64 = 0
    /// Called when the view is there no more.
    var whenGone: [@MainActor () -> Void] = []
    /// What modifiers remember.
    var memory: [String: Any] = [:]

    func child(_ slot: AnyHashable, _ type: any View.Type, _ round: UInt64) -> ViewNode {
        let key = Key(slot: slot, type: ObjectIdentifier(type))
        let node = children[key] ?? ViewNode()
        children[key] = node
        node.round = round
        return node
    }

    func stored<Stored: AnyObject>(at offset: Int, _ make: () -> Stored) -> Stored {
        if let known = storage[offset] as? Stored { return known }
        let made = make()
        storage[offset] = made
        return made
    }

    /// Lets go of the views below that this evaluation hasn't come to.
    func sweep(_ round: UInt64) {
        for (key, child) in children {
            if child.round == round {
                child.sweep(round)
            } else {
                children[key] = nil
                child.disappear()
            }
        }
    }

    private func disappear() {
        for child in children.values { child.disappear() }
        for action in whenGone { action() }
        whenGone = []
    }
}
