/// The requests of the protocol. Methods are added, never removed or given another meaning.
package enum Method: String, Hashable, Sendable, CaseIterable {
    case hello
    case realmOpen = "realm.open"
    case realmReopen = "realm.reopen"
    case realmClose = "realm.close"
    case realmInfo = "realm.info"
    case realmList = "realm.list"
    case realmSchema = "realm.schema"
    case realmCompact = "realm.compact"
    case realmVerify = "realm.verify"
    case realmHash = "realm.hash"
    case realmCopy = "realm.copy"
    case realmDelete = "realm.delete"
    case snapshotPin = "snapshot.pin"
    case snapshotRelease = "snapshot.release"
    case writeBegin = "write.begin"
    case writeAppend = "write.append"
    case writeQuery = "write.query"
    case writeCommit = "write.commit"
    case writeCancel = "write.cancel"
    case writeOutcome = "write.outcome"
    case writeMigrate = "write.migrate"
    case writeMigrated = "write.migrated"
    case readQuery = "read.query"
    case readNext = "read.next"
    case readClose = "read.close"
    case readGet = "read.get"
    case readCount = "read.count"
    case readAggregate = "read.aggregate"
    case readExplain = "read.explain"
    case objectPut = "object.put"
    case objectDelete = "object.delete"
    case subscribe
    case unsubscribe
    case cursorRead = "cursor.read"
    case cursorAdvance = "cursor.advance"
    case cursorRemove = "cursor.remove"
    case receiptWait = "receipt.wait"
    case appLogin = "app.login"
    case appUsers = "app.users"
    case appSwitch = "app.switch"
    case appLogout = "app.logout"
    case appRemove = "app.remove"
    case appRefresh = "app.refresh"
    case appCall = "app.call"
    case syncWait = "sync.wait"
    case syncControl = "sync.control"
    case syncState = "sync.state"
    case syncExplain = "sync.explain"
    case syncCarryOut = "sync.carryOut"
    case subscriptionsGet = "subscriptions.get"
    case subscriptionsUpdate = "subscriptions.update"
    case subscriptionsWait = "subscriptions.wait"
    case agentStatus = "agent.status"
    case agentShutdown = "agent.shutdown"
}

/// What the agent sends on its own.
package enum Event: String, Hashable, Sendable, CaseIterable {
    case changed
    case realmChanged = "realm.changed"
    case syncChanged = "sync.changed"
    case syncFailed = "sync.failed"
    case syncResetting = "sync.resetting"
    case syncReset = "sync.reset"
    case subscriptionsChanged = "subscriptions.changed"
}

/// Parameters of a method. `Reply` is what its result looks like.
package protocol WireRequest: WirePayload {
    associatedtype Reply: WirePayload
    static var method: Method { get }
}

/// Parameters of an event.
package protocol WireEvent: WirePayload {
    static var event: Event { get }
}

/// A result without fields.
package struct Acknowledgement: WirePayload {
    package init() {}
    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {}
    package func write(to writer: BSONWriter) {}
}
