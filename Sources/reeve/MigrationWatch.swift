import Foundation

/// Shows on the terminal how far a server is with migrating an app, while another thread waits for it.
final class MigrationWatch: Sendable {
    private let ending = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    init(of app: String, _ dataDirectory: String) {
        let (ending, ended) = (ending, ended)
        Thread.detachNewThread {
            var progress = Progress("objects")
            while ending.wait(timeout: .now() + .milliseconds(500)) == .timedOut {
                // A server that doesn't run does nothing that could be asked for.
                guard
                    let answer = try? AdministrationClient(dataDirectory: dataDirectory).ask(
                        "app.migration", ["name": app])
                else { continue }
                if let objects = (answer as? [String: Any])?["objects"] as? NSNumber {
                    progress.update(objects.intValue)
                }
            }
            progress.finish()
            ended.signal()
        }
    }

    /// Nothing is shown any more. May be called again.
    func end() {
        ending.signal()
        ended.wait()
        ended.signal()
    }
}
