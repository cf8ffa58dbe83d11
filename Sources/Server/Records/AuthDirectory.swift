/// One change of what the server knows of its users. A journal of them is all that must be kept.
package enum AuthChange: Hashable, Sendable, Codable {
    case putApp(AuthApp)
    case putUser(AuthUser)
    case deleteUser(String)
    case putSession(AuthSession)
    case deleteSession(String)
    case putAccount(EmailAccount)
    case deleteAccount(appId: String, email: String)
    case putKey(AuthAPIKey)
    case deleteKey(String)
}

/// What the server knows of apps, users, sessions and keys: the sum of all changes, with what finds them quickly.
package struct AuthDirectory: Sendable {
    private struct Place: Hashable {
        var appId: String
        var provider: AuthProvider
        var externalId: String
    }

    private struct Address: Hashable {
        var appId: String
        var email: String
    }

    private(set) var apps: [String: AuthApp] = [:]
    private(set) var users: [String: AuthUser] = [:]
    private(set) var sessions: [String: AuthSession] = [:]
    private(set) var keys: [String: AuthAPIKey] = [:]
    private var accounts: [Address: EmailAccount] = [:]
    private var appsByDomain: [String: String] = [:]
    private var usersByIdentity: [Place: String] = [:]
    private var sessionsByUser: [String: Set<String>] = [:]
    private var keysByUser: [String: Set<String>] = [:]
    private var keysByDigest: [[UInt8]: String] = [:]
    private var accountsByToken: [String: Address] = [:]

    package init() {}

    /// The directory after all of a journal's changes.
    package init(_ changes: some Sequence<AuthChange>) {
        for change in changes { apply(change) }
    }

    /// The changes that a journal needs to come to this directory.
    package var snapshot: [AuthChange] {
        apps.values.map { .putApp($0) } + users.values.map { .putUser($0) } + accounts.values.map { .putAccount($0) }
            + keys.values.map { .putKey($0) } + sessions.values.map { .putSession($0) }
    }

    package func app(_ id: String) -> AuthApp? { apps[id] }
    package func app(domain: String) -> AuthApp? { appsByDomain[domain].flatMap { apps[$0] } }
    package func user(_ id: String) -> AuthUser? { users[id] }
    package func session(_ id: String) -> AuthSession? { sessions[id] }

    package func user(_ provider: AuthProvider, _ externalId: String, in appId: String) -> AuthUser? {
        usersByIdentity[Place(appId: appId, provider: provider, externalId: externalId)].flatMap { users[$0] }
    }

    package func account(_ email: String, in appId: String) -> EmailAccount? {
        accounts[Address(appId: appId, email: email)]
    }

    package func account(tokenId: String) -> EmailAccount? { accountsByToken[tokenId].flatMap { accounts[$0] } }

    package func key(digest: [UInt8]) -> AuthAPIKey? { keysByDigest[digest].flatMap { keys[$0] } }

    /// By id, that is by age.
    package func keys(of userId: String) -> [AuthAPIKey] {
        (keysByUser[userId] ?? []).compactMap { keys[$0] }.sorted { $0.id < $1.id }
    }

    package func sessions(of userId: String) -> [AuthSession] {
        (sessionsByUser[userId] ?? []).compactMap { sessions[$0] }.sorted { $0.id < $1.id }
    }

    package func accounts(of userId: String) -> [EmailAccount] {
        guard let user = users[userId] else { return [] }
        return user.identities.filter { $0.provider == .emailPassword }
            .compactMap { account($0.externalId, in: user.appId) }
    }

    package mutating func apply(_ change: AuthChange) {
        switch change {
        case .putApp(let app):
            apps[app.id] = app
            appsByDomain[app.domainId] = app.id
        case .putUser(let user):
            removePlaces(of: user.id)
            users[user.id] = user
            for identity in user.identities {
                usersByIdentity[Self.place(identity, user.appId)] = user.id
            }
        case .deleteUser(let id):
            removePlaces(of: id)
            users[id] = nil
        case .putSession(let session):
            sessions[session.id] = session
            sessionsByUser[session.userId, default: []].insert(session.id)
        case .deleteSession(let id):
            guard let session = sessions.removeValue(forKey: id) else { return }
            sessionsByUser[session.userId]?.remove(id)
            if sessionsByUser[session.userId]?.isEmpty == true { sessionsByUser[session.userId] = nil }
        case .putAccount(let account):
            let address = Address(appId: account.appId, email: account.email)
            if let old = accounts[address]?.pending { accountsByToken[old.id] = nil }
            accounts[address] = account
            if let pending = account.pending { accountsByToken[pending.id] = address }
        case .deleteAccount(let appId, let email):
            let old = accounts.removeValue(forKey: Address(appId: appId, email: email))
            if let pending = old?.pending { accountsByToken[pending.id] = nil }
        case .putKey(let key):
            keys[key.id] = key
            keysByUser[key.userId, default: []].insert(key.id)
            keysByDigest[key.digest] = key.id
        case .deleteKey(let id):
            guard let key = keys.removeValue(forKey: id) else { return }
            keysByUser[key.userId]?.remove(id)
            keysByDigest[key.digest] = nil
        }
    }

    private mutating func removePlaces(of userId: String) {
        guard let user = users[userId] else { return }
        for identity in user.identities {
            let place = Self.place(identity, user.appId)
            if usersByIdentity[place] == userId { usersByIdentity[place] = nil }
        }
    }

    private static func place(_ identity: AuthIdentity, _ appId: String) -> Place {
        Place(appId: appId, provider: identity.provider, externalId: identity.externalId)
    }
}
