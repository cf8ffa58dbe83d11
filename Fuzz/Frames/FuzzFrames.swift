import Wire

/// Any bytes as what arrives at a socket: the first one tells in what pieces. Frames are refused, or their messages can
/// be read, or refused, and written again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFrames(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: data, count: size)
    guard let first = bytes.first else { return 0 }
    var rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
    let piece = first == 0 ? max(rest.count, 1) : Int(first)
    var decoder = FrameDecoder(frameLimit: 1 << 16)
    while !rest.isEmpty {
        let taken = UnsafeRawBufferPointer(rebasing: rest.prefix(piece))
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece))
        do {
            try decoder.consume(taken) { FrameFuzzing.read($0) }
        } catch {
            break
        }
        guard decoder.bufferedBytes < decoder.frameLimit else { fatalError("\(decoder.bufferedBytes) bytes are kept") }
    }
    return 0
}

enum FrameFuzzing {
    static func read(_ frame: UnsafeRawBufferPointer) {
        if let document = try? BSONDocument(bytes: frame) {
            let written = try? document.encoded()
            let again = written.flatMap { try? BSONDocument(bytes: $0) }.flatMap { try? $0.encoded() }
            guard again == written, written != nil else { fatalError("\(document) comes back as another one") }
        }
        guard let envelope = try? UnsafeEnvelope(frame: frame) else { return }
        switch envelope {
        case .request(_, let name, let params):
            if let method = Method(rawValue: name) { read(method, params) }
            switch Event(rawValue: name) {
            case .changed: check(Changed.self, params)
            case .realmChanged: check(RealmChanged.self, params)
            case .syncChanged: check(SyncChanged.self, params)
            case .syncFailed: check(SyncFailed.self, params)
            case nil: break
            }
        case .result(_, let result):
            // Which reply it is depends on the request: it is tried as those with most inside.
            check(HelloReply.self, result)
            check(QueryReply.self, result)
            check(ReadGetReply.self, result)
            check(ReadAggregateReply.self, result)
            check(RealmSchemaReply.self, result)
            check(RealmInfoReply.self, result)
            check(AgentStatusReply.self, result)
            check(WriteCommitReply.self, result)
            check(SubscribeReply.self, result)
        case .failure: break
        }
    }

    private static func read(_ method: Method, _ params: UnsafeBSONView) {
        switch method {
        case .hello: check(Hello.self, params)
        case .realmOpen: check(RealmOpen.self, params)
        case .realmReopen: check(RealmReopen.self, params)
        case .realmClose: check(RealmClose.self, params)
        case .realmInfo: check(RealmInfo.self, params)
        case .realmList: check(RealmList.self, params)
        case .realmSchema: check(RealmSchemaRequest.self, params)
        case .realmCompact: check(RealmCompact.self, params)
        case .realmVerify: check(RealmVerify.self, params)
        case .realmHash: check(RealmHash.self, params)
        case .realmCopy: check(RealmCopy.self, params)
        case .realmDelete: check(RealmDelete.self, params)
        case .snapshotPin: check(SnapshotPin.self, params)
        case .snapshotRelease: check(SnapshotRelease.self, params)
        case .writeBegin: check(WriteBegin.self, params)
        case .writeAppend: check(WriteAppend.self, params)
        case .writeQuery: check(WriteQuery.self, params)
        case .writeCommit: check(WriteCommit.self, params)
        case .writeCancel: check(WriteCancel.self, params)
        case .writeOutcome: check(WriteOutcome.self, params)
        case .writeMigrate: check(WriteMigrate.self, params)
        case .writeMigrated: check(WriteMigrated.self, params)
        case .readQuery: check(ReadQuery.self, params)
        case .readNext: check(ReadNext.self, params)
        case .readClose: check(ReadClose.self, params)
        case .readGet: check(ReadGet.self, params)
        case .readCount: check(ReadCount.self, params)
        case .readAggregate: check(ReadAggregate.self, params)
        case .readExplain: check(ReadExplain.self, params)
        case .objectPut: check(ObjectPut.self, params)
        case .objectDelete: check(ObjectDelete.self, params)
        case .subscribe: check(Subscribe.self, params)
        case .unsubscribe: check(Unsubscribe.self, params)
        case .appLogin: check(AppLogin.self, params)
        case .appUsers: check(AppUsers.self, params)
        case .appSwitch: check(AppSwitch.self, params)
        case .appLogout: check(AppLogout.self, params)
        case .appRemove: check(AppRemove.self, params)
        case .appRefresh: check(AppRefresh.self, params)
        case .appCall: check(AppCall.self, params)
        case .syncWait: check(SyncWait.self, params)
        case .syncControl: check(SyncControl.self, params)
        case .syncState: check(SyncStateRequest.self, params)
        case .cursorRead: check(CursorRead.self, params)
        case .cursorAdvance: check(CursorAdvance.self, params)
        case .cursorRemove: check(CursorRemove.self, params)
        case .agentStatus: check(AgentStatus.self, params)
        case .agentShutdown: check(AgentShutdown.self, params)
        }
    }

    /// What is read of a message is written, and reads and writes as the same.
    private static func check<Message: WirePayload>(_ type: Message.Type, _ view: UnsafeBSONView) {
        guard let message = try? Message(view) else { return }
        let writer = BSONWriter()
        message.write(to: writer)
        guard let written = try? writer.finish() else { fatalError("\(message) can't be written") }
        let again = written.withUnsafeBytes { bytes -> [UInt8]? in
            guard let view = try? UnsafeBSONView(validating: bytes), let message = try? Message(view) else {
                return nil
            }
            let writer = BSONWriter()
            message.write(to: writer)
            return try? writer.finish()
        }
        guard again == written else { fatalError("\(message) comes back as another message") }
    }
}
