import EventLoop
import Foundation

/// Whether a sync server can be reached, and whether its clock agrees with ours.
enum ServerExamination {
    /// A server that takes longer is as good as none.
    private static let patience = Duration.seconds(10)
    /// Tokens allow for so much.
    private static let tolerance: TimeInterval = 60

    static func findings(_ text: String) -> [Finding] {
        let base = text.hasSuffix("/") ? String(text.dropLast()) : text
        let url: WebURL
        do {
            url = try WebURL(base + "/health")
        } catch {
            return [
                .problem("server", "\"\(text)\" is no URL: \(error)", cure: "give one such as http://localhost:9090")
            ]
        }
        switch ask(url) {
        case .success(let response):
            guard response.status == 200 else {
                return [
                    .problem(
                        "server", "\(url) answers with status \(response.status)",
                        cure: "see the server's log; 502 to 504 come from a proxy that doesn't find it")
                ]
            }
            return [.ok("server", "\(base) answers")] + clock(response)
        case .failure(let error):
            return [
                .problem(
                    "server", "\(base) can't be reached: \(error)",
                    cure: "is it running, is the name right, does a firewall or proxy stand between?")
            ]
        }
    }

    private static func ask(_ url: WebURL) -> Result<HTTPResponse, NetworkError> {
        // Written before the semaphore is signalled, read after.
        nonisolated(unsafe) var answer: Result<HTTPResponse, NetworkError>?
        let done = DispatchSemaphore(value: 0)
        EventLoop.shared.start()
        EventLoop.shared.post {
            let client = HTTPClient(SystemNetwork(), scheduler: LoopScheduler())
            let call = Held<any Cancellable>()
            call.value = client.send(HTTPRequest("GET", ""), to: url, within: patience) { result in
                answer = result.map(\.response)
                call.value = nil
                withExtendedLifetime(client) {}
                done.signal()
            }
        }
        done.wait()
        return answer ?? .failure(NetworkError(.closed, "no answer"))
    }

    @LoopActor
    private final class Held<Value> {
        var value: Value?
    }

    private static func clock(_ response: HTTPResponse) -> [Finding] {
        guard let text = response.headers["Date"], let date = date(text) else { return [] }
        let difference = Date().timeIntervalSince(date)
        guard abs(difference) > tolerance else { return [.ok("clock", "agrees with the server's")] }
        return [
            .warning(
                "clock", "\(Int(abs(difference))) s \(difference > 0 ? "ahead of" : "behind") the server's",
                cure: "set both by NTP: the later of two changes of one property wins")
        ]
    }

    private static func date(_ text: String) -> Date? {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.date(from: text)
    }
}
