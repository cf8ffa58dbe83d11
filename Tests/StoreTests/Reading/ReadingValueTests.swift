import Foundation
import Model
import Store
import TestSupport
import Testing

/// Every value of a fixture file comes back, by key, by position and by primary key.
@Suite struct ReadingValueTests {
    private static let long = String(repeating: "long ", count: 300)

    static let sample = Sample(classes: [
        SampleClass(
            schema: ClassSchema(
                "Thing", primaryKey: "id",
                [
                    PropertySchema("id", .string, nullable: true), PropertySchema("int", .int, nullable: true),
                    PropertySchema("bool", .bool, nullable: true), PropertySchema("text", .string, nullable: true),
                    PropertySchema("data", .binary, nullable: true),
                    PropertySchema("date", .timestamp, nullable: true),
                    PropertySchema("decimal", .decimal, nullable: true),
                    PropertySchema("uuid", .uuid, nullable: true),
                    PropertySchema("objectId", .objectId, nullable: true),
                    PropertySchema("float", .float, nullable: true), PropertySchema("double", .double, nullable: true),
                    PropertySchema("other", .link, nullable: true, target: "Thing"),
                    PropertySchema("others", .link, collection: .list, target: "Thing"),
                    PropertySchema("texts", .string, nullable: true, collection: .list),
                    PropertySchema("added", .decimal)
                ]),
            rows: (0..<40).map(row))
    ])

    private static func row(_ row: Int) -> [SampleValue] {
        let isNull = row % 7 == 3
        func cell(_ value: Value) -> SampleValue { .value(isNull ? .null : value) }
        // Two long keys share their first 448 bytes.
        let key: Value = row == 0 ? .null : .string(row < 3 ? long + "\(row)" : "key \(row)")
        var cells: [SampleValue] = [.value(key)]
        cells.append(cell(.int(Int64(row) << (row % 5 * 13))))
        cells.append(cell(.bool(row % 2 == 0)))
        cells.append(cell(.string(row % 5 == 0 ? long : "text \(row)")))
        cells.append(cell(.binary(Data(repeating: UInt8(row), count: row * 20))))
        cells.append(cell(.timestamp(Timestamp(seconds: Int64(row) - 5, nanoseconds: row % 3 == 0 && row > 5 ? 7 : 0))))
        cells.append(cell(.decimal(Decimal128("\(row).50") ?? .zero)))
        cells.append(cell(.uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8(row))))))
        cells.append(cell(.objectId(ObjectId(high: UInt64(row) << 40, low: UInt32(row)))))
        cells.append(cell(.float(Float(row) / 3)))
        cells.append(cell(.double(Double(row) / 3)))
        cells.append(.link(isNull ? nil : (row * 11) % 40))
        cells.append(.links((0..<(row % 9)).map { ($0 * 7 + row) % 40 }))
        cells.append(.list((0..<(row % 8)).map { $0 == 2 ? .null : .string(String(repeating: "e", count: $0 * 200)) }))
        cells.append(.value(.decimal(.zero)))
        return cells
    }

    @Test(arguments: [1, 7, 40])
    func everyValueComesBack(clusterRows: Int) throws {
        let content = Self.sample["Thing"]
        let file = try FixtureFile(Self.sample, FixtureFile.Layout(clusterRows: clusterRows))
        let snapshot = try FileReader(path: file.path).snapshot()
        let table = try #require(snapshot.table(named: "Thing"))
        #expect(table.count == 40)
        #expect(table.clusterCount == (40 + clusterRows - 1) / clusterRows)
        for row in content.rows.indices {
            let key = file.key(row)
            #expect(table.key(at: row) == key)
            let (cluster, place) = try #require(table.locate(key))
            #expect(cluster.firstIndex + place == row)
            let primaryKey: PrimaryKey =
                if case .value(.string(let text)) = content.rows[row][0] { .string(text) } else { .null }
            #expect(table.find(primaryKey) == key)
            #expect(table.primaryKey(of: key) == primaryKey)
            for column in table.stored.columns {
                try expectValue(content.rows[row][column.slot], table, key, column, file)
            }
        }
        #expect(table.find(.string(Self.long + "3")) == nil)
        #expect(table.find(.string("")) == nil)
        #expect(!table.contains(ObjectKey(5)) && !table.contains(ObjectKey(-1)) && !table.contains(ObjectKey(.max)))
        #expect(snapshot.damage.isEmpty)
    }

    private func expectValue(
        _ cell: SampleValue, _ table: Table, _ key: ObjectKey, _ column: StoredColumn, _ file: FixtureFile
    ) throws {
        switch cell {
        case .value(let value): #expect(table.value(key, column) == value, "\(column.property.name)")
        case .link(let target):
            #expect(table.linkKey(key, column) == target.map { file.key($0) })
            let link = target.flatMap { table.primaryKey(of: file.key($0)) }.map { Link(className: "Thing", key: $0) }
            #expect(table.value(key, column) == link.map { .link($0) } ?? .null)
        case .list(let values):
            let list = table.list(key, column)
            #expect(list.count == values.count && list.values == values)
        case .links(let targets):
            let list = table.list(key, column)
            #expect(list.linkKeys == targets.map { file.key($0) })
            for (index, target) in targets.enumerated() { #expect(list.linkKey(at: index) == file.key(target)) }
        }
    }

    @Test func backlinksAreCounted() throws {
        let file = try FixtureFile(Self.sample)
        let snapshot = try FileReader(path: file.path).snapshot()
        let table = try #require(snapshot.table(named: "Thing"))
        let content = Self.sample["Thing"]
        let others = try #require(table.stored.column(named: "others"))
        for target in content.rows.indices {
            var expected: [ObjectKey] = []
            var total = 0
            for (row, cells) in content.rows.enumerated() {
                if case .links(let targets) = cells[others.slot] {
                    expected += targets.filter { $0 == target }.map { _ in file.key(row) }
                }
                if case .link(target) = cells[others.slot - 1] { total += 1 }
            }
            #expect(table.backlinks(to: file.key(target), from: table.stored.id, others.id) == expected)
            #expect(table.incomingLinks(to: file.key(target)).reduce(0) { $0 + $1.count } == total + expected.count)
        }
    }

    @Test("C-13, Q-62: a link to an object that is known by its key only reads as null")
    func unresolvedLinks() throws {
        let file = try FixtureFile(Self.sample, FixtureFile.Layout(tombstones: ["Thing/11", "Thing/22"]))
        let snapshot = try FileReader(path: file.path).snapshot()
        let table = try #require(snapshot.table(named: "Thing"))
        let other = try #require(table.stored.column(named: "other"))
        #expect(table.count == 38)
        #expect(table.linkKey(file.key(1), other) == nil)
        #expect(table.value(file.key(2), other) == .null)
        #expect(table.linkKey(file.key(4), other) == file.key(4))
        #expect(table.find(.string("key 11")) == nil)
        #expect(table.keyRecord(.string("key 11")) == KeyRecord(object: file.key(11), isTombstone: true))
    }

    @Test func snapshotsAreSharedByThreads() async throws {
        let file = try FixtureFile(Self.sample, FixtureFile.Layout(clusterRows: 2))
        let snapshot = try FileReader(path: file.path).snapshot()
        await withTaskGroup(of: Int.self) { group in
            for start in 0..<8 {
                group.addTask {
                    guard let table = snapshot.table(named: "Thing"), let text = table.stored.column(named: "text")
                    else {
                        return 0
                    }
                    return (0..<40).filter { table.value(table.key(at: ($0 + start * 5) % 40), text) != .null }.count
                }
            }
            for await found in group { #expect(found == 34) }
        }
    }
}
