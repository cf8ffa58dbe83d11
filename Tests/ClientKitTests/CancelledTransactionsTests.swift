import Store
import Testing

@testable import ClientKit

@Suite("Objects of cancelled transactions")
struct CancelledTransactionsTests {
    @Test("WR-05: what was located in a cancelled transaction and is new stays invalid")
    func contains() {
        var cancelled = CancelledTransactions()
        let dogs = TableId(1)
        cancelled.insert(10...12, [dogs: 100])
        cancelled.insert(20...25, [dogs: 100, TableId(2): 5])
        #expect(cancelled.contains(dogs, ObjectKey(100), generation: 11))
        #expect(cancelled.contains(dogs, ObjectKey(101), generation: 25))
        #expect(!cancelled.contains(dogs, ObjectKey(99), generation: 11), "was in the file before")
        #expect(!cancelled.contains(dogs, ObjectKey(100), generation: 15), "located between the two")
        #expect(!cancelled.contains(dogs, ObjectKey(100), generation: 26), "located after both")
        #expect(!cancelled.contains(TableId(2), ObjectKey(5), generation: 11))
        #expect(cancelled.contains(TableId(2), ObjectKey(5), generation: 20))
    }
}
