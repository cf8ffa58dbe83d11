import EventLoop
import TestSupport
import Testing

@testable import Server

/// A client of the auth API, in one process with it.
final class AuthClient {
    var service: AuthService
    var now: Int64 = 1_700_000_000
    /// All changes so far, as a journal would have them.
    var journal: [AuthChange] = []
    var mails: [AuthMail] = []
    /// How many passwords were worked on.
    var passwordJobs = 0

    static let app = "shop-abcde"

    init(_ change: (inout AuthService.Settings) -> Void = { _ in }, app: (inout AuthApp) -> Void = { _ in }) throws {
        var settings = AuthService.Settings()
        settings.passwordCost = .minimal
        change(&settings)
        service = AuthService(settings: settings, random: SeededGenerator(seed: 7))
        journal += try service.createApp(Self.app, now: now)
        journal += try service.updateApp(Self.app, app)
    }

    struct Answer {
        var status: Int
        var headers: HTTPHeaders
        var body: JSONValue

        subscript(key: String) -> String? { body[key]?.string }
        var code: String? { self["error_code"] }
    }

    @discardableResult
    func send(
        _ method: String, _ path: String, token: String? = nil, body: JSONValue? = nil, raw: String? = nil
    ) throws -> Answer {
        var headers: HTTPHeaders = [
            "Host": "sync.local:9090", "Content-Type": "application/json;charset=utf-8", "Accept": "application/json"
        ]
        if let token { headers.add("Authorization", "Bearer \(token)") }
        let bytes = Array((raw ?? body?.text ?? "").utf8)
        let request = HTTPRequest(method, AuthService.base + path, headers: headers, body: bytes)
        let reply: AuthReply
        switch service.handle(request, now: now) {
        case .reply(let answer): reply = answer
        case .password(let job):
            passwordJobs += 1
            reply = service.finish(job, job.run(), now: now)
        }
        journal += reply.changes
        mails += reply.mails
        let response = reply.response
        let json = response.body.isEmpty ? JSONValue.null : try JSONValue(parsing: response.body)
        let answer = Answer(status: response.status, headers: response.headers, body: json)
        check(answer)
        return answer
    }

    /// What makes original clients fail if it is wrong: H-5, H-47, H-55, H-56.
    private func check(_ answer: Answer) {
        if answer.body != .null { #expect(answer.headers.values("Content-Type") == ["application/json"]) }
        if (200..<300).contains(answer.status) {
            #expect(answer.body["error"] == nil)
        } else {
            #expect(answer["error"]?.isEmpty == false)
            #expect(
                answer["link"]?.hasPrefix("http://sync.local:9090/") == true
                    || answer["link"]?.hasPrefix("https://") == true)
        }
        #expect(answer.status < 300 || answer.status >= 400, "no redirects (H-6)")
    }

    func auth(_ path: String) -> String { "/app/\(Self.app)/auth/providers/\(path)" }

    static let device: JSONValue = ["device": ["appId": "shop-abcde", "platform": "Linux", "sdk": "Swift"]]

    func login(
        _ provider: String, _ fields: [String: JSONValue] = [:], link token: String? = nil
    ) throws -> Answer {
        var body = fields
        body["provider"] = .string(provider)
        body["options"] = Self.device
        return try send(
            "POST", auth("\(provider)/login") + (token == nil ? "" : "?link=true"), token: token, body: .object(body))
    }

    func loginAnonymously() throws -> Answer { try login("anon-user") }

    func register(_ email: String, _ password: String = "password") throws -> Answer {
        try send(
            "POST", auth("local-userpass/register"), body: ["email": .string(email), "password": .string(password)])
    }

    func login(email: String, _ password: String = "password", link token: String? = nil) throws -> Answer {
        try login("local-userpass", ["username": .string(email), "password": .string(password)], link: token)
    }

    /// A new user with address and password, logged in.
    func newUser(_ email: String = "a@example.org") throws -> Answer {
        #expect(try register(email).status == 201)
        return try login(email: email)
    }

    func claims(_ token: String?) throws -> JSONValue { try #require(token.flatMap { JSONWebToken($0) }).claims }
}
