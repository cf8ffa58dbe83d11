import EventLoop
import Foundation
import TestSupport
import Testing

@testable import Server

@Suite("Auth: on a server")
struct AuthEndpointTests {
    @LoopActor
    final class Setup {
        let network = MemoryNetwork(LoopScheduler())
        let scheduler = LoopScheduler()
        let endpoint: AuthEndpoint
        let client: HTTPClient
        private var server: HTTPServer?
        var answers: [Result<HTTPResponse, NetworkError>] = []

        init(_ journal: any AuthJournal = NoJournal(), _ changes: [AuthChange] = []) throws {
            var settings = AuthService.Settings()
            settings.makesApps = true
            settings.passwordCost = .minimal
            endpoint = AuthEndpoint(AuthService(AuthDirectory(changes), settings: settings), journal: journal)
            client = HTTPClient(network, scheduler: scheduler)
            let server = HTTPServer(scheduler: scheduler) { [endpoint] in endpoint.handle($0) }
            self.server = server
            _ = try network.listen(Endpoint("h", 80)) { server.serve($0) }
        }

        func send(_ method: String, _ path: String, _ body: String = "") throws {
            let request = HTTPRequest(method, "", body: Array(body.utf8))
            _ = client.send(request, to: try WebURL("http://h\(AuthService.base)\(path)")) { [self] result in
                answers.append(result.map(\.response))
            }
        }

        func statuses() throws -> [Int] { try answers.map { try $0.get().status } }
    }

    private static let credentials = #"{"email":"a@b","password":"password","username":"a@b"}"#

    @Test("a user registers and logs in over HTTP; passwords are worked on aside")
    func flow() throws {
        let setup = try onServerLoop { try Setup() }
        for (number, path) in ["register", "login"].enumerated() {
            try onServerLoop {
                try setup.send("POST", "/app/a/auth/providers/local-userpass/\(path)", Self.credentials)
            }
            #expect(try eventually { try onServerLoop { setup.answers.count == number + 1 } })
        }
        #expect(try onServerLoop { try setup.statuses() } == [201, 200])
        let response = try onServerLoop { try setup.answers[1].get() }
        #expect(response.headers["Content-Type"] == "application/json")
        #expect(try JSONValue(parsing: response.body)["device_id"]?.string?.count == 24)
    }

    @Test("guessing can't fill the memory: beyond a number of waiting jobs the answer is 429 (H-58)")
    func flood() throws {
        let setup = try onServerLoop { try Setup() }
        try onServerLoop {
            for _ in 0..<PasswordQueue.limit + 10 {
                try setup.send("POST", "/app/a/auth/providers/local-userpass/login", Self.credentials)
            }
        }
        #expect(try eventually { try onServerLoop { setup.answers.count == PasswordQueue.limit + 10 } })
        let statuses = try onServerLoop { try setup.statuses() }
        #expect(Set(statuses).isSubset(of: [401, 429]) && statuses.contains(401))
    }

    @Test("nothing is acknowledged before it is durable, and nothing after the disk has failed")
    func durability() throws {
        let journal = try onServerLoop { HeldJournal() }
        let setup = try onServerLoop { try Setup(journal) }
        try onServerLoop { try setup.send("POST", "/app/a/auth/providers/anon-user/login", "{}") }
        #expect(try eventually { try onServerLoop { journal.waiting.count == 1 } })
        #expect(try onServerLoop { setup.answers.isEmpty })
        try onServerLoop { journal.waiting.removeFirst()(nil) }
        #expect(try eventually { try onServerLoop { setup.answers.count == 1 } })
        try onServerLoop { try setup.send("POST", "/app/a/auth/providers/anon-user/login", "{}") }
        #expect(try eventually { try onServerLoop { journal.waiting.count == 1 } })
        try onServerLoop { journal.waiting.removeFirst()(NetworkError(.write, "disk full")) }
        #expect(try eventually { try onServerLoop { setup.answers.count == 2 } })
        try onServerLoop { try setup.send("POST", "/app/a/auth/providers/anon-user/login", "{}") }
        #expect(try eventually { try onServerLoop { setup.answers.count == 3 } })
        #expect(try onServerLoop { try setup.statuses() } == [200, 500, 500])
        #expect(try onServerLoop { journal.waiting.isEmpty })
    }

    @LoopActor
    final class HeldJournal: AuthJournal {
        var waiting: [@LoopActor ((any Error)?) -> Void] = []

        func append(_ changes: [AuthChange], completion: @escaping @LoopActor ((any Error)?) -> Void) {
            waiting.append(completion)
        }
    }

    @Test("what was acknowledged is there after a restart, from a file that only its owner reads")
    func restart() throws {
        let directory = TemporaryDirectory()
        let path = directory.path("users.journal")
        var ids: [JSONValue?] = []
        for _ in 0..<2 {
            // What the last server had is given up a moment after its last answer.
            var opened: (journal: AuthJournalFile, changes: [AuthChange])?
            #expect(
                eventually {
                    opened = try? AuthJournalFile.open(path)
                    return opened != nil
                })
            let (journal, changes) = try #require(opened)
            opened = nil
            let setup = try onServerLoop { try Setup(journal, changes) }
            if ids.isEmpty {
                try onServerLoop {
                    try setup.send("POST", "/app/a/auth/providers/local-userpass/register", Self.credentials)
                }
                #expect(try eventually { try onServerLoop { setup.answers.count == 1 } })
            }
            #expect(throws: AuthJournalFile.Failure.self) { try AuthJournalFile.open(path) }
            let count = try onServerLoop { setup.answers.count }
            try onServerLoop { try setup.send("POST", "/app/a/auth/providers/local-userpass/login", Self.credentials) }
            #expect(try eventually { try onServerLoop { setup.answers.count == count + 1 } })
            ids.append(try JSONValue(parsing: try onServerLoop { try setup.answers[count].get().body })["user_id"])
            try onServerLoop { setup.answers = [] }
            withExtendedLifetime(setup) {}
        }
        #expect(ids.count == 2 && ids[0] != nil && ids[0] == ids[1])
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test("a torn last line is cut off, damage before it is refused, and so is what a newer version wrote")
    func damage() throws {
        let directory = TemporaryDirectory()
        let path = directory.path("j")
        let url = URL(fileURLWithPath: path)
        let users = (0..<3).map { AuthChange.putUser(AuthUser(id: "u\($0)", appId: "a", createdAt: 1)) }
        do {
            let (journal, changes) = try AuthJournalFile.open(path)
            #expect(changes.isEmpty)
            for user in users { try append(journal, [user]) }
        }
        let whole = try Data(contentsOf: url)
        for count in [1, 5, 20] {
            try whole.dropLast(count).write(to: url)
            #expect(try AuthJournalFile.open(path).changes == Array(users[..<2]))
            #expect(try AuthJournalFile.open(path).changes.count == 2)
        }
        var damaged = whole
        damaged[30] ^= 1
        try damaged.write(to: url)
        #expect(throws: AuthJournalFile.Failure.self) { try AuthJournalFile.open(path) }
        // The end of the file as zeros, as some file systems leave it.
        try (whole + Data(count: 100)).write(to: url)
        #expect(try AuthJournalFile.open(path).changes == users)
        try Data("b1714dba [{\"putFuture\":{}}]\n".utf8).write(to: url)
        #expect(throws: AuthJournalFile.Failure.self) { try AuthJournalFile.open(path) }
    }

    @Test("a file with much that is over is written anew")
    func compaction() throws {
        let directory = TemporaryDirectory()
        let path = directory.path("j")
        let user = AuthUser(id: "u", appId: "a", createdAt: 1)
        do {
            let (journal, _) = try AuthJournalFile.open(path)
            try append(journal, Array(repeating: .putUser(user), count: AuthJournalFile.compactionSlack + 3))
        }
        let (journal, changes) = try AuthJournalFile.open(path)
        #expect(changes == [.putUser(user)])
        #expect(throws: AuthJournalFile.Failure.self) { try AuthJournalFile.open(path) }
        try append(journal, [.deleteUser("u")])
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count < 1000)
    }

    private func append(_ journal: AuthJournalFile, _ changes: [AuthChange]) throws {
        let done = try onServerLoop { Flag() }
        try onServerLoop {
            journal.append(changes) { error in
                #expect(error == nil)
                done.isSet = true
            }
        }
        #expect(try eventually { try onServerLoop { done.isSet } })
    }

    @LoopActor
    final class Flag { var isSet = false }
}

/// Runs `body` on the loop.
func onServerLoop<Result: Sendable>(_ body: @escaping @Sendable @LoopActor () throws -> Result) throws -> Result {
    try EventLoop.shared.run(body)
}
