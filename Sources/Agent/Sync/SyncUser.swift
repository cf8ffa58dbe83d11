import EventLoop
import Foundation

/// A user of an app who is logged in here, with the tokens that show it.
@LoopActor
package final class SyncUser {
    package let id: String
    let app: AppServer
    /// Nil once logged out.
    private(set) var accessToken: AccessToken?
    private(set) var refreshToken: String?
    private var refreshing: [@LoopActor (AppServerError?) -> Void] = []
    private let clock: @LoopActor () -> Int64
    /// Called with the new tokens whenever they change, so that they can be kept; nil: the user is logged out.
    package var didChange: (@LoopActor (AppServer.Login?) -> Void)?

    package convenience init(
        _ login: AppServer.Login, of app: AppServer,
        clock: @escaping @LoopActor () -> Int64 = { Int64(Date().timeIntervalSince1970) }
    ) {
        self.init(loggedOut: login.userId, of: app, clock: clock)
        accessToken = login.accessToken
        refreshToken = login.refreshToken
    }

    /// One who was logged in before.
    package init(
        loggedOut id: String, of app: AppServer,
        clock: @escaping @LoopActor () -> Int64 = { Int64(Date().timeIntervalSince1970) }
    ) {
        self.id = id
        self.app = app
        self.clock = clock
    }

    package var isLoggedIn: Bool { refreshToken != nil }

    /// Logged in anew.
    package func adopt(_ login: AppServer.Login) {
        accessToken = login.accessToken
        refreshToken = login.refreshToken
        didChange?(login)
    }

    /// Calls back with a token that is good for now, fetching one if need be (P-124).
    func withToken(_ completion: @escaping @LoopActor (Result<AccessToken, AppServerError>) -> Void) {
        if let accessToken, !accessToken.isExpired(at: clock()) { return completion(.success(accessToken)) }
        refresh { [self] error in
            if let error { return completion(.failure(error)) }
            guard let accessToken else { return completion(.failure(Self.loggedOut)) }
            completion(.success(accessToken))
        }
    }

    /// Fetches a new access token, unless somebody does already (H-30). A refusal logs the user out (H-33).
    func refresh(_ completion: @escaping @LoopActor (AppServerError?) -> Void) {
        guard let refreshToken else { return completion(Self.loggedOut) }
        refreshing.append(completion)
        guard refreshing.count == 1 else { return }
        app.refresh(refreshToken) { [self] result in
            var failure: AppServerError?
            switch result {
            // Who was logged out or in meanwhile stays so: the answer is about a session of before.
            case .success(let token):
                if self.refreshToken == refreshToken {
                    accessToken = token
                    didChange?(.init(userId: id, accessToken: token, refreshToken: refreshToken))
                }
            case .failure(let error):
                failure = error
                if error.endsSession, self.refreshToken == refreshToken { forget() }
            }
            let waiting = refreshing
            refreshing = []
            for waiter in waiting { waiter(failure) }
        }
    }

    /// Gives up the tokens, then tells the server (H-34): its answer changes nothing here.
    package func logOut(_ completion: @escaping @LoopActor (AppServerError?) -> Void) {
        guard let refreshToken else { return completion(nil) }
        forget()
        app.logOut(refreshToken) { result in
            if case .failure(let error) = result { completion(error) } else { completion(nil) }
        }
    }

    /// The server doesn't know the session any more.
    func sessionEnded() {
        if isLoggedIn { forget() }
    }

    private func forget() {
        accessToken = nil
        refreshToken = nil
        didChange?(nil)
    }

    private static var loggedOut: AppServerError {
        AppServerError(.named("InvalidSession"), status: 401, "the user is logged out")
    }
}
