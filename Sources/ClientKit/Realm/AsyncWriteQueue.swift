/// Asynchronous transactions of a realm instance that wait for their turn. Used inside its confinement only.
final class AsyncWriteQueue {
    struct Entry {
        let id: UInt32
        /// Runs when the lock is held.
        let begin: () -> Void
        /// Runs in its place when the lock can't be had.
        let fail: (any Error) -> Void
    }

    private(set) var waiting: [Entry] = []
    private var lastId: UInt32 = 0
    /// The transaction that is being begun, run or committed.
    var running: UInt32?
    /// Commits that run in the background, and whether their completion is still wanted.
    var committing: [UInt32: Bool] = [:]

    var isBusy: Bool { running != nil || !waiting.isEmpty || !committing.isEmpty }

    func nextId() -> UInt32 {
        lastId &+= 1
        return lastId
    }

    func append(_ entry: Entry) {
        waiting.append(entry)
    }

    func next() -> Entry? {
        waiting.isEmpty ? nil : waiting.removeFirst()
    }

    /// Takes an entry out that hasn't begun, or silences a commit's completion.
    func cancel(_ id: UInt32) {
        waiting.removeAll { $0.id == id }
        if committing[id] != nil { committing[id] = false }
    }
}
