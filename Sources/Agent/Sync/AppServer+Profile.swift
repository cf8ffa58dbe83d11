import EventLoop
import Foundation
import Wire

extension AppServer {
    /// Who the server says that a user is (H-37).
    struct Profile: Hashable, Sendable {
        var identities: [AppUserIdentity]
        /// JSON of an object.
        var data: String
    }

    /// Fetches the profile of the user that an access token is of.
    func profile(
        _ token: AccessToken, within deadline: Duration,
        completion: @escaping @LoopActor (Result<Profile, AppServerError>) -> Void
    ) {
        send("GET", "auth/profile", bearer: token.text, body: nil, within: deadline) { result in
            completion(Result { () throws(AppServerError) in try Self.profile(in: try result.get()) })
        }
    }

    private static func profile(in response: HTTPResponse) throws(AppServerError) -> Profile {
        let answer = JSONText.members(String(decoding: response.body, as: UTF8.self)) ?? [:]
        guard let list = answer["identities"] as? [Any], let data = answer["data"] as? [String: Any],
            let text = JSONText.object(data)
        else {
            throw AppServerError(.malformed, status: 200, "the server's profile lacks 'identities' or 'data'")
        }
        let identities = list.compactMap { item -> AppUserIdentity? in
            guard let item = item as? [String: Any], let id = item["id"] as? String,
                let provider = item["provider_type"] as? String
            else { return nil }
            return AppUserIdentity(id: id, provider: provider)
        }
        guard identities.count == list.count else {
            throw AppServerError(.malformed, status: 200, "the server's profile has an identity without id or type")
        }
        return Profile(identities: identities, data: text)
    }
}
