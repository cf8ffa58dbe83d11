import Foundation
import RealmSwift

/// What apps and users leave for the next process. The server is that of `$REEVE_SERVER`.
enum AppScenarios {
    static var all: [String: Scenario.Body] {
        [
            // Two users with a realm each are removed; the second one comes back. Says the realms' paths.
            "AP-28 removed": { arguments in
                let app = App(id: arguments[0])
                for email in ["ann@example.net", "ben@example.net"] {
                    wait { app.emailPasswordAuth.registerUser(email: email, password: "secret-1", completion: $0) }
                    let user = try logIn(app, email)
                    guard let file = user.configuration(partitionValue: "p").fileURL else { return }
                    try FileManager.default.createDirectory(
                        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                    _ = try Realm(configuration: Realm.Configuration(fileURL: file, objectTypes: []))
                    wait { user.remove($0) }
                    Scenario.say(file.path)
                }
                _ = try logIn(app, "ben@example.net")
            },
            "AP-28 next": { arguments in _ = App(id: arguments[0]) }
        ]
    }

    private static func logIn(_ app: App, _ email: String) throws -> User {
        wait { done in
            app.login(credentials: .emailPassword(email: email, password: "secret-1")) { result in
                if case .failure(let error) = result { done(error) } else { done(nil) }
            }
        }
        guard let user = app.currentUser else { throw AppError(.userNotFound) }
        return user
    }

    static func wait(_ begin: (@escaping @Sendable ((any Error)?) -> Void) -> Void) {
        let done = DispatchSemaphore(value: 0)
        begin { error in
            if let error { Scenario.say("\(error)") }
            done.signal()
        }
        done.wait()
    }
}
