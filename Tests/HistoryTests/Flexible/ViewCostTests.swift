import Model
import Store
import Sync
import TestSupport
import Testing

@testable import History

/// What a change costs a server with many sessions, counted in objects looked at and sessions woken.
@Suite struct ViewCostTests {
    /// Sessions with a query of their own each, without devices: their files are new.
    private static func sessions(_ count: Int, _ yard: FlexibleYard) throws -> [FlexibleSession] {
        try (0..<count).map { number in
            let session = FlexibleSession(yard.realm, user: PermissionUser(id: "u\(number)"))
            var history: any ServerHistory = session
            guard case .opened(let ident?) = history.answer(.open(path: "", flexible: FlexibleBind(), needsIdent: true))
            else { throw HistoryError.damaged }
            _ = history.answer(
                .lookUp(
                    ClientMessage.Ident(
                        session: 1, file: ident, download: DownloadCursor(), latest: SaltedVersion(),
                        query: .init(version: 1, text: #"{"Item":"(owner == \"u\#(number)\" AND n >= 0)"}"#))))
            return session
        }
    }

    /// A write that matters to one of so many sessions: objects looked at, and files woken, by it and by what is sent then.
    private func cost(_ count: Int) throws -> (evaluations: Int, woken: Int) {
        let yard = try FlexibleYard()
        let writer = try yard.device("w")
        try writer.write(FlexibleSyncTests.schema)
        try writer.subscribe { $0.insert(className: "Item", query: "_id == 1") }
        #expect(try yard.settle())
        let sessions = try Self.sessions(count, yard)
        _ = yard.realm.takeWoken()
        let before = yard.realm.evaluations
        try writer.write(FlexibleSyncTests.make(1, owner: "u3"))
        while writer.isBusy {
            try writer.deliverToServer()
            try writer.deliverToClient()
        }
        let woken = yard.realm.takeWoken()
        for session in sessions where session.file.map({ woken.contains($0) }) ?? false {
            var history: any ServerHistory = session
            guard
                case .batch(let batch) = history.answer(
                    .fetch(file: session.file ?? 0, after: DownloadCursor(server: 1), byteLimit: 1 << 20))
            else { throw HistoryError.damaged }
            #expect(!batch.entries.isEmpty)
        }
        return (yard.realm.evaluations - before, woken.count)
    }

    @Test func `a write that matters to one of a thousand sessions costs what it costs with ten`() throws {
        let few = try cost(10)
        let many = try cost(1_000)
        #expect(few.woken == 1 && many.woken == 1)
        #expect(many.evaluations == few.evaluations && many.evaluations < 12, "\(few), \(many)")
    }

    @Test func `queries that don't compare a field with values are looked at for each object`() throws {
        let schema = ClassSchema(
            "Item", primaryKey: "_id",
            [PropertySchema("_id", .int), PropertySchema("n", .int), PropertySchema("owner", .string, nullable: true)])
        func keys(_ text: String) throws -> QueryKeys {
            let rules = QueryRules(configuration: FlexibleConfiguration(), schema: RealmSchema([schema]))
            return QueryKeys(try rules.condition(text, on: "Item"), schema)
        }
        func some(_ pairs: (String, Value)...) -> QueryKeys {
            .some(Set(pairs.map { QueryKeys.Key(field: $0.0, value: $0.1) }))
        }
        #expect(try keys("n == 1") == some(("n", .int(1))))
        #expect(try keys("n == 1 AND owner BEGINSWITH 'x'") == some(("n", .int(1))))
        #expect(try keys("n IN {1, 2} AND owner == 'x'") == some(("owner", .string("x"))))
        #expect(try keys("n == 1 OR owner == NULL") == some(("n", .int(1)), ("owner", .null)))
        #expect(try keys("FALSEPREDICATE") == .some([]))
        for text in ["TRUEPREDICATE", "n > 1", "!(n == 1)", "n == 1 OR n > 7", "owner ==[c] 'x'", "n != 1"] {
            #expect(try keys(text) == .any, "\(text)")
        }
    }
}
