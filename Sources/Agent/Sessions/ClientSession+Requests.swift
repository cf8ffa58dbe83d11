import Wire

extension ClientSession {
    /// Takes one frame. Throws when the connection can't go on.
    func receive(_ frame: UnsafeRawBufferPointer) throws {
        let envelope = try UnsafeEnvelope(frame: frame, depthLimit: Int(rules.limits.depth))
        guard case .request(let id, let name, let params) = envelope else {
            throw WireError(.badMessage, "a client sends requests, not replies")
        }
        let admission = rules.admit(
            method: name, hasId: id != nil, bytes: frame.count, continues: Self.continues(name, params),
            answeredElsewhere: connection.outlet.count - directAnswers)
        switch admission {
        case .take(let method):
            let responder = Responder(session: self, id: id, bytes: frame.count)
            do {
                try handle(method, params, responder)
            } catch {
                responder.fail(error)
                if method == .hello { finishAfterRefusal(error) }
            }
        case .refuse(let error):
            if let id { fail(id, error) } else { logDropped(error) }
        case .close(let error):
            if let id { fail(id, error) }
            throw error
        }
    }

    /// Whether the request belongs to a transaction that the client holds open.
    private static func continues(_ method: String, _ params: UnsafeBSONView) -> Bool {
        method.hasPrefix("write.") && params.element("transaction").map { $0.type != .null } ?? false
    }

    private func finishAfterRefusal(_ error: any Error) {
        if rules.phase == .fresh { dismiss(WireError(reporting: error)) }
    }

    /// One line a method.
    private func handle(_ method: Method, _ params: UnsafeBSONView, _ responder: Responder) throws {
        switch method {
        case .hello: try greet(Hello(params: params), responder)
        case .realmOpen: try openRealm(RealmOpen(params: params), responder)
        case .realmReopen: try reopenRealm(RealmReopen(params: params), responder)
        case .realmClose: try closeRealm(RealmClose(params: params), responder)
        case .realmInfo: try realmInfo(RealmInfo(params: params), responder)
        case .realmList: try realmList(RealmList(params: params), responder)
        case .realmSchema: try realmSchema(RealmSchemaRequest(params: params), responder)
        case .realmCompact: try compactRealm(RealmCompact(params: params), responder)
        case .realmVerify: try verifyRealm(RealmVerify(params: params), responder)
        case .realmHash: try hashRealm(RealmHash(params: params), responder)
        case .realmCopy: try copyRealm(RealmCopy(params: params), responder)
        case .realmDelete: try deleteRealm(RealmDelete(params: params), responder)
        case .snapshotPin: try pin(SnapshotPin(params: params), responder)
        case .snapshotRelease: try release(SnapshotRelease(params: params), responder)
        case .writeBegin: try beginWrite(WriteBegin(params: params), responder)
        case .writeAppend: try appendWrite(WriteAppend(params: params), responder)
        case .writeQuery: try queryWrite(WriteQuery(params: params), responder)
        case .writeCommit: try commitWrite(WriteCommit(params: params), responder)
        case .writeCancel: try cancelWrite(WriteCancel(params: params), responder)
        case .writeOutcome: try writeOutcome(WriteOutcome(params: params), responder)
        case .writeMigrate: try beginMigration(WriteMigrate(params: params), responder)
        case .writeMigrated: try endMigration(WriteMigrated(params: params), responder)
        case .readQuery: try readQuery(ReadQuery(params: params), responder)
        case .readNext: try readNext(ReadNext(params: params), responder)
        case .readClose: try readClose(ReadClose(params: params), responder)
        case .readGet: try readGet(ReadGet(params: params), responder)
        case .readCount: try readCount(ReadCount(params: params), responder)
        case .readExplain: try readExplain(ReadExplain(params: params), responder)
        case .readAggregate: try readAggregate(ReadAggregate(params: params), responder)
        case .objectPut: try putObjects(ObjectPut(params: params), responder)
        case .objectDelete: try deleteObjects(ObjectDelete(params: params), responder)
        case .subscribe: try subscribe(Subscribe(params: params), responder)
        case .unsubscribe: try unsubscribe(Unsubscribe(params: params), responder)
        case .appLogin: try logIn(AppLogin(params: params), responder)
        case .appUsers: try listUsers(AppUsers(params: params), responder)
        case .appSwitch: try switchUser(AppSwitch(params: params), responder)
        case .appLogout: try logOut(AppLogout(params: params), responder)
        case .appRemove: try removeUser(AppRemove(params: params), responder)
        case .appRefresh: try refreshUser(AppRefresh(params: params), responder)
        case .appCall: try callServer(AppCall(params: params), responder)
        case .syncWait: try waitForSync(SyncWait(params: params), responder)
        case .syncControl: try controlSync(SyncControl(params: params), responder)
        case .syncState: try syncState(SyncStateRequest(params: params), responder)
        case .syncExplain: try explainObject(SyncExplain(params: params), responder)
        case .syncCarryOut: try carryOut(SyncCarryOut(params: params), responder)
        case .subscriptionsGet: try getSubscriptions(SubscriptionsGet(params: params), responder)
        case .subscriptionsUpdate: try updateSubscriptions(SubscriptionsUpdate(params: params), responder)
        case .subscriptionsWait: try waitForSubscriptions(SubscriptionsWait(params: params), responder)
        case .cursorRead: try readCursor(CursorRead(params: params), responder)
        case .cursorAdvance: try advanceCursor(CursorAdvance(params: params), responder)
        case .cursorRemove: try removeCursor(CursorRemove(params: params), responder)
        case .receiptWait: try waitForReceipt(ReceiptWait(params: params), responder)
        case .agentStatus: responder.succeed(server.status())
        case .agentShutdown:
            responder.succeed(Acknowledgement())
            server.shutDown(reason: "asked by \(title)")
        }
    }

    private func greet(_ hello: Hello, _ responder: Responder) throws {
        if let refusal = rules.greet(hello) { throw refusal }
        if let session = hello.session { server.replaceSession(session, by: self) }
        responder.succeed(
            HelloReply(agent: server.options.version, pid: server.pid, features: Feature.all, limits: rules.limits))
    }

    /// The realm behind a handle of this connection.
    func realm(_ number: Int32) throws(WireError) -> RealmHandle {
        guard let handle = handles[number] else {
            throw WireError(
                .unknownRealm, "the connection has no realm \(number)", facts: ["realm": .int32(number)])
        }
        return handle
    }
}
