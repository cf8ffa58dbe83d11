import Testing

@testable import Server

@Suite("Auth: e-mail and password")
struct EmailPasswordTests {
    private func byMail() throws -> AuthClient {
        try AuthClient(app: { $0.emailPassword = EmailPasswordSettings(confirmation: .mail) })
    }

    private func post(_ client: AuthClient, _ path: String, _ body: JSONValue) throws -> AuthClient.Answer {
        try client.send("POST", client.auth("local-userpass/\(path)"), body: body)
    }

    private func token(_ mail: AuthMail, _ password: String? = nil) -> JSONValue {
        var body: [String: JSONValue] = ["token": .string(mail.token), "tokenId": .string(mail.tokenId)]
        if let password { body["password"] = .string(password) }
        return .object(body)
    }

    @Test("registering answers 201 with an empty object; a name is taken once, and case counts (H-45 to H-47)")
    func register() throws {
        let client = try AuthClient()
        let answer = try client.register("a@example.org")
        #expect(answer.status == 201 && answer.body == [:])
        let taken = try client.register("a@example.org", "other password")
        #expect(taken.status == 409 && taken.code == "AccountNameInUse" && taken["error"] == "name already in use")
        #expect(try client.register("A@example.org").status == 201)
        #expect(try client.login(email: "a@example.org").status == 200)
    }

    @Test("two registrations of one name at a time: one wins")
    func race() throws {
        let client = try AuthClient()
        func job() throws -> PasswordJob {
            let body: JSONValue = ["email": "a@example.org", "password": "password"]
            let request = HTTPRequestForTests.post(client.auth("local-userpass/register"), body)
            guard case .password(let job) = client.service.handle(request, now: client.now) else {
                throw AuthFailure(500, nil, "no job")
            }
            return job
        }
        let jobs = try [job(), job()]
        let statuses = jobs.map { client.service.finish($0, $0.run(), now: client.now).response.status }
        #expect(statuses == [201, 409])
        #expect(client.service.finish(jobs[0], .failed, now: client.now).response.status == 500)
    }

    @Test("lengths of passwords and addresses (H-46)", arguments: [5, 6, 128, 129])
    func lengths(count: Int) throws {
        let client = try AuthClient()
        let answer = try client.register("a@example.org", String(repeating: "é", count: count))
        if (6...128).contains(count) {
            #expect(answer.status == 201)
            #expect(try client.login(email: "a@example.org", String(repeating: "é", count: count)).status == 200)
        } else {
            #expect(answer.status == 400 && answer.code == "BadRequest")
        }
        for email in ["", "a b@example.org", "a\n@example.org", String(repeating: "a", count: 321)] {
            #expect(try client.register(email).code == "BadRequest")
        }
    }

    @Test(
        "an address that must be confirmed can't log in before that; the token works once, for 30 minutes (H-46, H-47)")
    func confirmation() throws {
        let client = try byMail()
        #expect(try client.register("a@example.org").status == 201)
        #expect(try client.login(email: "a@example.org").code == "InvalidPassword")
        let first = try #require(client.mails.last)
        #expect(first.kind == .confirm && first.email == "a@example.org" && first.appId == AuthClient.app)
        #expect(try post(client, "confirm/send", ["email": "a@example.org"]).status == 200)
        let second = try #require(client.mails.last)
        #expect(second.token != first.token)
        let stale = try post(client, "confirm", token(first))
        #expect(stale.status == 400 && stale.code == "UserpassTokenInvalid" && stale["error"] == "invalid token data")
        client.now += 1800
        #expect(try post(client, "confirm", token(second)).code == "UserpassTokenInvalid")
        _ = try post(client, "confirm/send", ["email": "a@example.org"])
        let third = try #require(client.mails.last)
        var wrong = third
        wrong.token += "x"
        #expect(try post(client, "confirm", token(wrong)).code == "UserpassTokenInvalid")
        #expect(try post(client, "reset", token(third, "new password")).code == "UserpassTokenInvalid")
        #expect(try post(client, "confirm", token(third)).status == 200)
        #expect(try post(client, "confirm", token(third)).code == "UserpassTokenInvalid")
        #expect(try client.login(email: "a@example.org").status == 200)
        let again = try post(client, "confirm/send", ["email": "a@example.org"])
        #expect(again.code == "UserAlreadyConfirmed" && again["error"] == "already confirmed")
        let unknown = try post(client, "confirm/send", ["email": "b@example.org"])
        #expect(unknown.code == "UserNotFound" && unknown["error"] == "user not found")
    }

    @Test("no token is kept as it was sent")
    func secrets() throws {
        let client = try byMail()
        _ = try client.register("a@example.org")
        let mail = try #require(client.mails.last)
        #expect(!"\(client.journal)".contains(mail.token))
        #expect(!"\(client.journal)".contains("password\""))
    }

    @Test("a reset changes the password, once, and ends all sessions (H-45, H-47)")
    func reset() throws {
        let client = try AuthClient()
        let user = try client.newUser()
        #expect(try post(client, "reset/send", ["email": "a@example.org"]).status == 200)
        let mail = try #require(client.mails.last)
        #expect(mail.kind == .reset)
        #expect(try post(client, "reset", token(mail, "short")).code == "BadRequest")
        let answer = try post(client, "reset", token(mail, "new password"))
        #expect(answer.status == 200 && answer.body == [:])
        #expect(try post(client, "reset", token(mail, "newer password")).code == "UserpassTokenInvalid")
        #expect(try client.login(email: "a@example.org").code == "InvalidPassword")
        #expect(try client.login(email: "a@example.org", "new password")["user_id"] == user["user_id"])
        #expect(try client.send("POST", "/auth/session", token: user["refresh_token"]).code == "InvalidSession")
        #expect(try post(client, "reset/send", ["email": "b@example.org"]).code == "UserNotFound")
    }

    @Test("tokens of another app aren't accepted")
    func otherApp() throws {
        let client = try byMail()
        client.journal += try client.service.createApp("other", now: client.now)
        _ = try client.register("a@example.org")
        let mail = try #require(client.mails.last)
        let answer = try client.send("POST", "/app/other/auth/providers/local-userpass/confirm", body: token(mail))
        #expect(answer.code == "UserpassTokenInvalid")
    }

    @Test("functions for confirming and resetting don't exist here")
    func functions() throws {
        let client = try AuthClient()
        for path in ["confirm/call", "reset/call"] {
            #expect(try post(client, path, ["email": "a"]).code == "FunctionNotFound")
        }
        #expect(try post(client, "x", [:]).status == 404)
    }
}
