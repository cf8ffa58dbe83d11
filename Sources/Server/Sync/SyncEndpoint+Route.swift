import EventLoop
import History
import Sync

extension SyncEndpoint {
    /// What the server's front needs of it. `now` gives the seconds since 1970.
    package func route(now: @escaping @LoopActor () -> Int64) -> SyncRoute {
        SyncRoute(
            choose: { offered throws(HTTPViolation) in try Self.choose(offered).token },
            accept: { [self] socket, client in
                do throws(HTTPViolation) {
                    let agreed = try Self.choose(client.subprotocol).agreed
                    accept(socket, SyncPeer(client, agreed, now: now()))
                } catch {
                    // The choice was made by the same rules a moment ago.
                    socket.close(1002, error.message)
                }
            })
    }
}

extension SyncPeer {
    fileprivate init(_ client: SyncClient, _ agreed: SyncProtocol, now: Int64) {
        self.init(
            appId: client.user.app.id, userId: client.user.user.id,
            expiresIn: .seconds(max(0, client.user.expiresAt - now)), agreed: agreed, requestId: client.requestId,
            userAgent: client.userAgent)
        partitionKey = client.user.app.partitionKey
        let user = client.user.user
        permissionUser = PermissionUser(
            id: user.id, type: user.kind.rawValue, data: .object(user.profile.mapValues { .string($0) }),
            customData: user.customData.flatMap { JSONTree(text: $0) } ?? .object([:]))
    }
}
