import Testing

@testable import EventLoop

@Suite("HTTP messages")
struct HTTPMessageTests {
    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test("what a message looks like on the wire")
    func encoding() {
        #expect(
            text(HTTPRequest("GET", "/a", headers: ["Host": "h"]).encoded) == "GET /a HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(
            text(HTTPRequest("POST", "/a", headers: ["Host": "h"]).encoded)
                == "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n")
        let response = HTTPResponse(200, text: "hi")
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 2\r\n\r\n"
        #expect(text(response.encoded()) == head + "hi")
        #expect(text(response.encoded(toHead: true)) == head)
        #expect(text(HTTPResponse(204).encoded()) == "HTTP/1.1 204 No Content\r\n\r\n")
        #expect(text(HTTPResponse(404).encoded()) == "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
    }

    @Test("no value begins a header field of its own")
    func injection() {
        var headers = HTTPHeaders()
        headers.add("A", "b\r\nSet-Cookie: c\n\0d")
        headers["E\r\nF"] = "g"
        #expect(
            text(HTTPRequest("GET", "/", headers: headers).encoded)
                == "GET / HTTP/1.1\r\nA: b  Set-Cookie: c  d\r\nE  F: g\r\n\r\n")
    }

    @Test("names of fields are compared without case, lists are taken apart")
    func headers() {
        var headers: HTTPHeaders = ["Connection": "keep-alive , Upgrade", "connection": "x", "Other": "y"]
        #expect(headers["CONNECTION"] == "keep-alive , Upgrade")
        #expect(headers.tokens("Connection") == ["keep-alive", "upgrade", "x"])
        headers["connection"] = "close"
        #expect(headers.fields.map(\.name) == ["Other", "connection"])
        headers["other"] = nil
        #expect(headers.values("Other").isEmpty)
        #expect(!HTTPHeaders.isSame("[", "{") && HTTPHeaders.isSame("aZ-", "Az-"))
    }

    @Test("path, query and its values")
    func query() {
        let request = HTTPRequest("GET", "/a/b?x=1&y=%41+%c3%a9&z&bad=%4&x=2&worse=%ff")
        #expect(request.path == "/a/b" && request.query == "x=1&y=%41+%c3%a9&z&bad=%4&x=2&worse=%ff")
        #expect(request.queryValue("x") == "1")
        #expect(request.queryValue("y") == "A+é")
        #expect(request.queryValue("z") == "")
        #expect(request.queryValue("bad") == nil && request.queryValue("worse") == nil)
        #expect(request.queryValue("none") == nil)
        #expect(HTTPRequest("GET", "/a").query.isEmpty)
    }

    @Test("URLs and what is in them")
    func urls() throws {
        let url = try WebURL("HTTP://sync.local:9090/api?x")
        #expect(url.scheme == "http" && url.endpoint == Endpoint("sync.local", 9090) && url.target == "/api?x")
        #expect(!url.isSecure && url.hostField == "sync.local:9090")
        #expect(try WebURL("wss://h").endpoint == Endpoint("h", 443))
        #expect(try WebURL("https://h:443?a").hostField == "h")
        #expect(try WebURL("https://h:443?a").target == "/?a")
        #expect(try WebURL("ws://[::1]:80/").hostField == "[::1]")
        #expect(try WebURL("http://[::1]:8080").description == "http://[::1]:8080/")
        // Tokens stand in queries, and descriptions in logs.
        #expect(try WebURL("wss://h/realm-sync?baas_at=secret").description == "wss://h/realm-sync")
        do throws(NetworkError) {
            _ = try WebURL("wss://user@h/realm-sync?baas_at=secret")
            Issue.record("a user name was taken")
        } catch {
            #expect(!error.message.contains("secret") && error.message.contains("wss://user@h/realm-sync"))
        }
        for text in [
            "", "h", "ftp://h", "http://", "http://:80", "http://u@h", "http://h#f", "http://h:0", "http://h:65536",
            "http://h:x", "http://h: 80", "http://[::1", "http://[::1]x", "http://h\r\n", "http://é"
        ] {
            #expect(throws: NetworkError.self, "\(text)") { try WebURL(text) }
        }
    }
}
