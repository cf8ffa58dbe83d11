import Foundation
import RealmSwift

/// Mistakes with apps and users; each ends in a trap. The server is that of `$REEVE_SERVER`.
enum AppMistakes {
    static var all: [String: Scenario.Body] {
        [
            "MK-81": { _ in _ = App(id: "") },
            "MK-82": { _ in _ = try user().configuration(partitionValue: 1.5) },
            "MK-64": { _ in
                var configuration = try user().configuration(partitionValue: "p")
                configuration.deleteRealmIfMigrationNeeded = true
            },
            "MK-65": { _ in
                let user = try user()
                let configuration = user.configuration(partitionValue: "p")
                AppScenarios.wait { user.logOut($0) }
                var other = Realm.Configuration()
                other.syncConfiguration = configuration.syncConfiguration
            },
            "AP-09": { _ in
                let user = try user()
                AppScenarios.wait { user.logOut($0) }
                user.app.switch(to: user)
            }
        ]
    }

    /// An anonymous user of an app.
    private static func user() throws -> User {
        let app = App(id: "mistakes")
        AppScenarios.wait { done in
            app.login(credentials: .anonymous) { result in
                if case .failure(let error) = result { done(error) } else { done(nil) }
            }
        }
        guard let user = app.currentUser else { throw AppError(.userNotFound) }
        return user
    }
}
