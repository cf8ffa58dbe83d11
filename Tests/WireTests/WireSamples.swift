import Foundation
import Model

@testable import Wire

/// A value of every message type, with every field set.
enum WireSamples {
    static let uuid = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
    static let objectId = ObjectId(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C)
    static let object: BSONDocument = ["$key": .int64(7), "_id": .objectId(objectId), "name": .string("Rex")]
    static let query = QueryRequest(
        "Dog", filter: "age > $0 AND name IN $1",
        arguments: [.value(.int(3)), .list([.string("Rex"), .null]), .value(.null)],
        sort: [SortCriterion("owner.name"), SortCriterion("age", ascending: false)], distinct: ["name"], limit: 10,
        among: PackedKeys([1, 2]))
    static let form = ObjectForm(properties: ["name"], keysOnly: true, batch: 100)
    static let schema = RealmSchema([
        ClassSchema(
            "Dog", primaryKey: "_id",
            [
                PropertySchema("_id", .objectId), PropertySchema("name", .string, nullable: true, indexed: true),
                PropertySchema("owner", .link, nullable: true, target: "Person"),
                PropertySchema("toys", .link, collection: .list, target: "Toy")
            ]),
        ClassSchema("Toy", kind: .embedded, [PropertySchema("weight", .float)])
    ])
    static let client = ClientInfo(
        client: "app", pid: 42, version: "1", session: UniqueId(uuid), connectedMilliseconds: 5, inFlight: 1,
        queuedBytes: 2, pins: 3, subscriptions: 4, realms: ["/a.realm"])
    static let info = RealmInfoReply(
        path: "/a.realm", version: 9, schemaVersion: .max, generation: 2, fileSize: 4096, usedSize: 1000,
        inMemory: true, encrypted: true, diskFull: true, handles: 2, classes: [ClassInfo(name: "Dog", count: 3)],
        pins: [PinInfo(client: "app", pid: 42, pin: 1, version: 8, ageMilliseconds: 100)], writer: client,
        waitingWriters: 1)

    static let key = EncryptionKey((0..<64).map { UInt8($0) })

    static let app = AppIdentity(id: "shop", baseURL: "http://localhost:9090")
    static let user = AppUser(
        id: "5", state: .loggedIn, profile: "{\"name\":\"Ann\"}",
        identities: [AppUserIdentity(id: "7", provider: "anon-user")], deviceId: "8", customData: "{}",
        accessToken: "a.b.c", refreshToken: "d.e.f")

    static let subscription = WireSubscription(
        id: objectId, name: "mine", className: "Dog", query: "age > 3", created: Timestamp(milliseconds: 5),
        updated: Timestamp(seconds: 1, nanoseconds: 2))
    static let subscriptions = WireSubscriptionSet(
        version: 4, state: .error, error: "no", subscriptions: [subscription])

    static let payloads: [any WirePayload] = [
        Hello(client: "app", pid: 42, version: "0.1", session: UniqueId(uuid)),
        HelloReply(agent: "0.1", pid: 1, limits: Limits(leaseMilliseconds: 5)),
        RealmOpen(
            path: "/a.realm", schema: schema, schemaVersion: .max, create: true, inMemory: true,
            deleteIfMigrationNeeded: true, events: true),
        RealmOpen(path: "/a.realm", sync: SyncTarget(app: "a", server: "http://h", user: "u", partition: "\"p\"")),
        RealmCopy(
            target: .handle(1), destination: "/b.realm",
            destinationSync: SyncTarget(app: "a", server: "http://h", user: "u", partition: "1")),
        RealmOpen(path: "/a.realm", resetMode: .recoverOrDiscardUnsyncedChanges, resetBlocks: true),
        subscription, subscriptions, SubscriptionsGet(realm: 1), SubscriptionsReply(set: subscriptions, active: 3),
        SubscriptionsUpdate(
            realm: 1, base: 3,
            edits: [
                SubscriptionsEdit(.insert, name: "mine", className: "Dog", query: "age > 3"),
                SubscriptionsEdit(.removeClass, className: "Dog", unnamedOnly: true)
            ]),
        SubscriptionsEdit(
            .setQuery, name: "n", className: "Dog", query: "TRUEPREDICATE", id: objectId, unnamedOnly: true),
        SubscriptionsUpdateReply(set: subscriptions, applied: true), SubscriptionsWait(realm: 1, version: 4),
        SubscriptionsWaitReply(state: .error, error: "no"),
        SubscriptionsChanged(realm: 1, version: 4, state: .bootstrapping, error: "no"),
        RealmOpen(
            path: "/a.realm", sync: SyncTarget(app: "a", server: "http://h", user: "u", partition: "1"),
            seed: "/.seed-1"),
        SyncReset(realm: 1, recovered: true), SyncResetting(realm: 1),
        SyncTarget(app: "a", server: "http://h", user: "u", partition: nil),
        SyncWait(realm: 1, direction: .download), SyncControl(target: .path("/a.realm"), wish: .suspend),
        SyncStateRequest(target: .handle(1), objects: 3),
        SyncStateReply(
            target: SyncTarget(app: "a", server: "http://h", user: "u", partition: "null"), session: .inactive,
            connection: .connecting, paused: true, unsentTransactions: 2, unsentBytes: 99, oldestUnsent: 7,
            unsentObjects: [UnsentObject(className: "Dog", key: .int(1), since: 7)], error: "it failed",
            subscriptions: SubscriptionsReply(set: subscriptions, active: 3),
            progress: SyncChanged(realm: 1, session: .inactive, connection: .connecting, isDownloadKnown: false)),
        SyncChanged(
            realm: 1, session: .active, connection: .connected, uploaded: 1, uploadable: 2, downloaded: 3,
            downloadable: 4),
        SyncExplain(target: .path("/a.realm"), className: "Dog", key: .int(7)),
        SyncExplainReply(
            state: SyncStateReply(
                target: SyncTarget(app: "a", server: "s", user: "u", partition: "p"), session: .active,
                connection: .connected),
            obstacle: "o", offlineSince: 1, isResetting: true, exists: true, unsentTransactions: 2, unsentSince: 3,
            before: 4, rejection: SyncRejection(reason: "r", at: 5), lastWriter: SyncWriter(file: 6, at: 7),
            isSubscribed: false),
        SyncCarryOut(path: "/a.realm"), SyncCarryOutReply(done: true),
        SyncFailed(
            realm: 1, status: "SyncClientResetRequired", message: "m", isFatal: true, action: "ClientReset",
            recovery: "/r"),
        SyncFailed(
            realm: 1, status: "SyncCompensatingWrite", code: 231, message: "no", logURL: "http://h/log",
            isFatal: false, action: "Warning",
            rejected: [RejectedObject(className: "Dog", key: .string("k"), reason: "not allowed")]),
        RealmOpen(path: "/a.realm", key: key), RealmVerify(target: .path("/a.realm", key: key)),
        RealmOpenReply(realm: 1, version: 9, pin: 2, generation: 3, created: true, descriptor: true),
        RealmOpenReply(realm: 1, version: 9, pin: 2, generation: 3, identity: UniqueId(uuid)),
        ReceiptWait(
            receipt: "reeve:1:9:00:/a.realm", until: .durable, timeoutMilliseconds: 5, key: key),
        ReceiptWait(receipt: ""), ReceiptWaitReply(state: .uploaded),
        ReceiptWaitReply(
            state: .rejected, reason: "no",
            rejected: [RejectedObject(className: "Dog", key: .string("k"), reason: "not allowed")]),
        RealmReopen(realm: 1), RealmReopenReply(version: 9, pin: 2, generation: 3, descriptor: true),
        RealmClose(realm: 1), Acknowledgement(),
        RealmInfo(target: .handle(1)), RealmInfo(target: .path("/a.realm")), info,
        RealmList(closed: true),
        RealmListReply(realms: [
            RealmListEntry(
                path: "/a.realm", open: true, version: 9, fileSize: 4096, handles: 1, inMemory: true, encrypted: true)
        ]),
        RealmSchemaRequest(target: .handle(1)), RealmSchemaReply(version: 9, schemaVersion: 1, schema: schema),
        RealmCompact(target: .path("/a.realm")), RealmCompactReply(before: 2, after: 1, generation: 3),
        RealmVerify(target: .handle(1)), RealmVerifyReply(version: 9, objects: 3, problems: ["bad"]),
        RealmHash(target: .path("/a.realm", key: key)), RealmHashReply(version: 9, hash: "00ff"),
        RealmCopy(target: .handle(1), pin: 2, destination: "/b.realm"),
        RealmCopy(target: .handle(1), transaction: 3, destination: "/b.realm", destinationKey: key),
        RealmCopyReply(bytes: 4096),
        RealmDelete(path: "/a.realm"), RealmDeleteReply(deleted: true),
        SnapshotPin(realm: 1), SnapshotPinReply(pin: 2, version: 9, generation: 3),
        SnapshotRelease(realm: 1, pins: [2, 3]), SnapshotRelease(realm: 1, pins: [], kept: [4]),
        WriteBegin(realm: 1), WriteBeginReply(transaction: 5, version: 9, pin: 2, generation: 3),
        WriteAppend(realm: 1, transaction: 5, changes: Bytes([1, 2, 3])),
        WriteQuery(realm: 1, transaction: 5, query: query, form: form),
        WriteCommit(realm: 1, transaction: 5, changes: Bytes([]), uid: UniqueId(uuid)),
        WriteCommit(realm: 1, changes: Bytes([1]), uid: UniqueId(uuid), mustCreate: true, ifVersion: 9),
        WriteCommitReply(version: 10, pin: 3, generation: 3), WriteCommitReply(version: 10, pin: 3, own: 9),
        WriteCancel(realm: 1, transaction: 5), WriteOutcome(realm: 1, uid: UniqueId(uuid)),
        WriteOutcome(realm: 1, uid: UniqueId(uuid), after: 9),
        WriteOutcomeReply(version: 10), WriteOutcomeReply(version: nil),
        WriteMigrate(realm: 1, transaction: 5, schema: schema, schemaVersion: 2),
        WriteMigrateReply(schema: Bytes([1, 2, 3])),
        WriteMigrated(realm: 1, transaction: 5, schema: schema, schemaVersion: 2),
        WriteMigrated(
            realm: 1, transaction: 5, schema: schema, schemaVersion: 2,
            renames: [WriteMigrated.Rename(className: "Dog", from: "name", to: "fullName")], removed: ["Cat"]),
        ReadQuery(realm: 1, pin: 2, query: query, form: form), ReadQuery(realm: 1, query: QueryRequest("Dog")),
        QueryReply(version: 9, count: 2, objects: [object], keys: nil, cursor: 4),
        QueryReply(version: 9, keys: PackedKeys([.min, 0, .max])),
        ReadNext(cursor: 4, batch: 10), ReadClose(cursor: 4),
        ReadGet(realm: 1, pin: 2, className: "Dog", key: .objectId(objectId), properties: ["name"]),
        ReadGet(realm: 1, className: "Dog", key: .null),
        ReadGetReply(version: 9, object: object), ReadCount(realm: 1, pin: 2, query: query),
        ReadCountReply(version: 9, count: 2),
        ReadExplain(realm: 1, pin: 2, query: query),
        ReadExplainReply(version: 9, lines: ["Dog: 3 objects", "  all of"]),
        ReadAggregate(realm: 1, pin: 2, query: query, function: .average, property: "age"),
        ReadAggregateReply(version: 9, value: .null), ReadAggregateReply(version: 9, value: .double(1.5)),
        ObjectPut(realm: 1, className: "Dog", objects: [object], mode: .create, uid: UniqueId(uuid)),
        ObjectPutReply(version: 10, created: 1, keys: [.objectId(objectId), .null, .int(1)], own: 9),
        ObjectDelete(
            realm: 1, className: "Dog", keys: [.string("a"), .uuid(uuid)], filter: "age > $0",
            arguments: [.value(.int(1))], uid: UniqueId(uuid)),
        ObjectDeleteReply(version: 10, deleted: 2, own: 9),
        Subscribe(realm: 1, query: query, form: form, initial: true),
        CursorRead(realm: 1, pin: 2, cursor: "mine", query: query),
        CursorReadReply(
            version: 9, since: 8, count: 3, insertions: PackedKeys([1]), modifications: PackedKeys([2]),
            deletions: [object]),
        CursorAdvance(realm: 1, cursor: "mine", version: 9), CursorRemove(realm: 1, cursor: "mine"),
        CursorRemoveReply(removed: true),
        SubscribeReply(subscription: 6, version: 9, count: 2), Unsubscribe(subscription: 6),
        Changed(
            subscription: 6, version: 10, initial: true, more: true, reset: true, count: 2,
            insertions: .objects([object]), modifications: .objects([]), deletions: .keys(PackedKeys([1]))),
        RealmChanged(realm: 1, version: 10, pin: 3, generation: 3),
        AppLogin(
            app: app, provider: "local-userpass", fields: "{\"username\":\"a\"}", link: "5", timeoutMilliseconds: 9),
        AppUserReply(user: user), AppUsers(app: app, user: "5", tokens: true),
        AppUsersReply(users: [user, AppUser(id: "6", state: .loggedOut)], current: "5"),
        AppSwitch(app: app, user: "5"), AppLogout(app: app, user: "5"), AppRefresh(app: app, user: "5"),
        AppLogout(app: app, user: "5", unsent: .upload, timeoutMilliseconds: 9),
        AppRemove(app: app, user: "5", delete: true),
        AppRemove(app: app, user: "5", unsent: .discard, timeoutMilliseconds: 9),
        AppCall(
            app: app, verb: "PUT", path: "auth/api_keys", body: "{}", token: .refresh, user: "5", timeoutMilliseconds: 9
        ),
        AppCallReply(status: 200, body: "[]"),
        AgentStatus(verbose: true),
        AgentStatusReply(
            agent: "0.1", pid: 1, protocolVersion: 1, socket: "/s", uptimeMilliseconds: 5, residentBytes: 6,
            descriptors: 7, clients: [client], realms: [info]),
        client, AgentShutdown(),
        WireError(.fileNotFound, "no such file", facts: ["path": .string("/a.realm")])
    ]

    static func document(_ payload: any WirePayload) throws -> [UInt8] {
        let writer = BSONWriter()
        payload.write(to: writer)
        return try writer.finish()
    }

    /// A frame that uses most of what messages are made of.
    static func frame() throws -> [UInt8] {
        try ReadQuery(realm: 1, pin: 2, query: query, form: form).frame(id: 3)
    }
}
