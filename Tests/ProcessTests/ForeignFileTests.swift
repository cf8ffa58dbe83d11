import CPlatform
import Foundation
import Model
import TestSupport
import Testing
import Wire

/// Files that aren't realms, and realms that others use: nobody makes anything of them, or removes them.
@Suite struct ForeignFileTests {
    private let agent: AgentUnderTest
    private let client: RawClient

    init() throws {
        agent = try AgentUnderTest().start()
        client = try RawClient(agent)
    }

    private func file(_ name: String, _ text: String) -> String {
        let path = agent.home.path(name)
        #expect(FileManager.default.createFile(atPath: path, contents: Data(text.utf8)))
        return path
    }

    private func code(_ body: () throws -> Void) -> WireError.Code? {
        (#expect(throws: WireError.self) { try body() })?.code
    }

    /// Names in the home that begin with `prefix`.
    private func names(_ prefix: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: agent.home.path).filter { $0.hasPrefix(prefix) }.sorted()
    }

    @Test func anEmptyFileBecomesARealmOnlyWhereOneMayBeMade() throws {
        let path = file("e", "")
        for command in ["ls", "schema", "verify", "compact", "query"] {
            let (status, output) = try agent.command([command, path] + (command == "query" ? ["Thing"] : []))
            #expect(status == 1)
            #expect(output.contains("empty file"), "\(output)")
        }
        #expect(code { _ = try client.wire.call(RealmOpen(path: path)) } == .notARealm)
        #expect(try names("e") == ["e"])
        #expect(FileManager.default.contents(atPath: path) == Data())
        try client.open(path)
        try client.commit(Changes.create([1]))
        #expect(try client.count() == 1)
    }

    @Test func anEmptyFileCanBeImportedInto() throws {
        let path = file("e", "")
        let objects = file("o.json", #"[{"id": 1}]"#)
        #expect(try agent.command(["import", path, "Thing", objects, "--key", "id"]).status == 0)
        #expect(try agent.command(["query", path, "Thing", "--count"]).output == "1\n")
    }

    @Test func nothingIsMadeBesideWhatIsNoRealm() throws {
        let path = file("text", String(repeating: "no realm ", count: 1_000))
        for command in ["ls", "schema", "verify", "compact"] {
            let (status, output) = try agent.command([command, path])
            #expect(status == 1)
            #expect(output.contains("it isn't a realm file") && output.contains(path), "\(output)")
        }
        #expect(try names("text") == ["text"])
    }

    @Test func whatIsNoRealmIsNotDeleted() throws {
        for path in [file("a", "mine"), file("b", "")] {
            #expect(code { _ = try client.wire.call(RealmDelete(path: path)) } == .notARealm)
            #expect(access(path, F_OK) == 0)
        }
        // Nor what only has the name of something beside a realm.
        let lock = file("Gemfile.lock", "mine")
        #expect(try client.wire.call(RealmDelete(path: agent.home.path("Gemfile"))).deleted == false)
        #expect(access(lock, F_OK) == 0)
        #expect(try names("a") + names("b") == ["a", "agent.out", "b"])
    }

    @Test func whatAnotherAgentHasOpenIsNotDeleted() throws {
        let path = agent.home.path("x.realm")
        let other = try AgentUnderTest().start()
        let owner = try RawClient(other)
        try owner.open(path)
        try owner.commit(Changes.create([1]))
        #expect(code { _ = try client.wire.call(RealmDelete(path: path)) } == .alreadyOpen)
        #expect(try owner.count() == 1)
        #expect(try names("x") == ["x.realm", "x.realm-lock", "x.realm.journal", "x.realm.lock"])
        other.kill(SIGKILL)
        #expect(try client.wire.call(RealmDelete(path: path)).deleted)
        #expect(try names("x") == [])
    }

    @Test func whatSomebodyReadsIsNotDeleted() throws {
        let path = agent.home.path("x.realm")
        try client.open(path)
        _ = try client.wire.call(RealmClose(realm: client.realm))
        let reader = open(path, O_RDONLY | O_CLOEXEC)
        #expect(reeve_lock_shared(reader) == 0)
        #expect(eventually { (try? client.wire.call(RealmList()).realms.isEmpty) ?? false })
        #expect(code { _ = try client.wire.call(RealmDelete(path: path)) } == .alreadyOpen)
        #expect(access(path, F_OK) == 0)
        close(reader)
        #expect(try client.wire.call(RealmDelete(path: path)).deleted)
    }

    @Test("C-15 names that no message could carry are refused") func namesWithZeroBytes() throws {
        let path = agent.home.path("n.realm")
        for schema in [
            ClassSchema("A\0", primaryKey: "id", [PropertySchema("id", .int)]),
            ClassSchema("A", primaryKey: "id", [PropertySchema("id", .int), PropertySchema("b\0c", .int)])
        ] {
            #expect(
                code { _ = try client.wire.call(RealmOpen(path: path, schema: RealmSchema([schema]), create: true)) }
                    == .badParams)
        }
        try client.open(path)
        let key = KeyColumn(name: "i\0", type: .int, isNullable: false)
        let column = ColumnDeclaration(
            type: ValueType.int.rawValue, isNullable: false, collection: .single, target: nil, keyType: nil)
        for instruction in [
            Instruction.addTable(
                className: "A\0", kind: .topLevel, key: KeyColumn(name: "", type: nil, isNullable: false)),
            .addTable(className: "A", kind: .topLevel, key: key),
            .addColumn(className: "Item", property: "\0", column)
        ] {
            var writer = ChangesetWriter()
            writer.append(instruction)
            #expect(code { try client.commit(writer.finished()) } == .badChangeset)
        }
    }
}
