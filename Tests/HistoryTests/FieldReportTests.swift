import Model
import Store
import Sync
import TestSupport
import Testing

@testable import History

/// Reports from the field about histories, each with what is right.
@Suite struct FieldReportTests {
    @Test func `R67: what is still unsent, by object, also after a restart`() throws {
        let test = try ResetCase(ResetSchema.all + (1...4).map { create($0) })
        func unsent() throws -> Set<PrimaryKey> {
            Set(try test.history.unsent(naming: 10).objects.map(\.object.key))
        }
        #expect(try unsent() == [])
        var versions: [Int64] = []
        for key in [Int64(1), 2, 3, 2] {
            try test.write([set(at(key, "s"), "mine"), .addInteger(at(key, "n"), 1)])
            versions.append(test.history.clientFile.newestVersion)
        }
        #expect(try unsent() == [.int(1), .int(2), .int(3)])
        try test.reopenHistory()
        #expect(try unsent() == [.int(1), .int(2), .int(3)])
        #expect(try test.history.unsent().transactions == 4)
        let left: [Set<PrimaryKey>] = [[.int(2), .int(3)], [.int(2), .int(3)], [.int(2)], []]
        for (place, expected) in left.enumerated() {
            try test.acknowledge(versions[place])
            #expect(try unsent() == expected)
            #expect(try test.history.unsent().transactions == 3 - place)
        }
        #expect(try test.history.unsent().bytes == 0)
    }
}
