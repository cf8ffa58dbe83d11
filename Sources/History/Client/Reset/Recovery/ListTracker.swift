/// Where the elements that a recovery has put into one list are, on this device and in the fresh realm.
///
/// Both indexes grow from pair to pair, so that what moves in one list moves in the other.
struct ListTracker {
    struct Pair: Hashable {
        var local: Int
        var remote: Int
        /// Stays the same while the element is in the list.
        let ident: Int
    }

    private(set) var pairs: [Pair] = []
    /// What happened to the list here can't be told from what happened there: it becomes what it is on this device.
    private(set) var needsCopy = false
    /// It is that already.
    var isCopied = false

    /// The element that has an index here, if the recovery put it there.
    subscript(local: Int) -> Pair? {
        let place = firstPlace(notBelow: local)
        return place < pairs.count && pairs[place].local == local ? pairs[place] : nil
    }

    mutating func requireCopy() {
        needsCopy = true
        pairs = []
    }

    /// An element is inserted here at `local`, there into a list of `size`.
    /// - Returns: where it goes there. Never behind one that follows it here, which a list that is shorter there would
    ///   allow.
    mutating func insert(_ local: Int, size: Int, ident: Int) -> Int {
        let place = firstPlace(notBelow: local)
        var remote = min(local, size)
        if place < pairs.count { remote = min(remote, pairs[place].remote) }
        for index in place..<pairs.count {
            pairs[index].local += 1
            pairs[index].remote += 1
        }
        pairs.insert(Pair(local: local, remote: remote, ident: ident), at: place)
        return remote
    }

    /// An element is inserted here that isn't to be there.
    mutating func skipInsert(_ local: Int) {
        for index in firstPlace(notBelow: local)..<pairs.count { pairs[index].local += 1 }
    }

    /// An element of the recovery goes.
    /// - Returns: what it was; nil, and the list must be copied, if it is none.
    mutating func remove(_ local: Int) -> Pair? {
        let place = firstPlace(notBelow: local)
        guard place < pairs.count, pairs[place].local == local else {
            requireCopy()
            return nil
        }
        let removed = pairs.remove(at: place)
        for index in place..<pairs.count {
            pairs[index].local -= 1
            pairs[index].remote -= 1
        }
        return removed
    }

    /// An element moves from one index to another.
    /// - Returns: the same there; nil, and the list must be copied, if either isn't one of the recovery.
    mutating func move(_ from: Int, to: Int) -> (from: Int, to: Int)? {
        let start = firstPlace(notBelow: from)
        let end = firstPlace(notBelow: to)
        guard start < pairs.count, end < pairs.count, pairs[start].local == from, pairs[end].local == to else {
            requireCopy()
            return nil
        }
        let moved = pairs[start]
        let goal = pairs[end].remote
        pairs.remove(at: start)
        if from < to {
            for index in start..<end {
                pairs[index].local -= 1
                pairs[index].remote -= 1
            }
        } else {
            for index in end..<start {
                pairs[index].local += 1
                pairs[index].remote += 1
            }
        }
        pairs.insert(Pair(local: to, remote: goal, ident: moved.ident), at: end)
        return (moved.remote, goal)
    }

    private func firstPlace(notBelow local: Int) -> Int {
        var low = 0
        var high = pairs.count
        while low < high {
            let middle = (low + high) / 2
            if pairs[middle].local < local { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
