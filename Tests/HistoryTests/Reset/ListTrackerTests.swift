import Testing

@testable import History

/// The pairs of indexes of R-54.
@Suite struct ListTrackerTests {
    private func pairs(_ tracker: ListTracker) -> [[Int]] { tracker.pairs.map { [$0.local, $0.remote] } }

    @Test func `an insert shifts what follows`() {
        var tracker = ListTracker()
        #expect(tracker.insert(2, size: 5, ident: 1) == 2)
        #expect(tracker.insert(7, size: 6, ident: 2) == 6)
        #expect(tracker.insert(0, size: 7, ident: 3) == 0)
        #expect(pairs(tracker) == [[0, 0], [3, 3], [8, 7]])
    }

    @Test func `in a shorter list nothing gets behind what follows it`() {
        var tracker = ListTracker()
        #expect(tracker.insert(5, size: 0, ident: 1) == 0)
        #expect(tracker.insert(6, size: 1, ident: 2) == 1)
        #expect(tracker.insert(5, size: 2, ident: 3) == 0)
        #expect(pairs(tracker) == [[5, 0], [6, 1], [7, 2]])
    }

    @Test func `a removal shifts what follows, and ends all if it isn't known`() {
        var tracker = ListTracker()
        for index in 0..<3 { _ = tracker.insert(index, size: 9, ident: index) }
        #expect(tracker.remove(1)?.ident == 1)
        #expect(pairs(tracker) == [[0, 0], [1, 1]])
        #expect(tracker.remove(5) == nil)
        #expect(tracker.needsCopy)
        #expect(tracker.pairs == [])
    }

    @Test func `moves in both directions`() {
        var tracker = ListTracker()
        for index in 0..<4 { _ = tracker.insert(index, size: 9, ident: index) }
        #expect(tracker.move(0, to: 2).map { [$0.from, $0.to] } == [0, 2])
        #expect(tracker.pairs.map(\.ident) == [1, 2, 0, 3])
        #expect(tracker.move(3, to: 0).map { [$0.from, $0.to] } == [3, 0])
        #expect(tracker.pairs.map(\.ident) == [3, 1, 2, 0])
        #expect(pairs(tracker) == [[0, 0], [1, 1], [2, 2], [3, 3]])
        #expect(tracker.move(0, to: 7) == nil)
        #expect(tracker.needsCopy)
    }
}
