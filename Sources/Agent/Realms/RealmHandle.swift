import EventLoop
import Wire

/// A realm as one connection has it open.
@LoopActor
final class RealmHandle {
    let number: Int32
    unowned let session: ClientSession
    let host: RealmHost
    /// Names the handle in the realm's line of writers.
    let writer: UInt64
    /// Whether the client wants `realm.changed`.
    let events: Bool
    /// The newest snapshot that the client has been told of.
    var announced: PinTable.Hold
    /// Whether the client wants a synced realm to sync (SY-06).
    var wantsSync = true
    /// What the client wants to become of a synced realm that can't go on with its server.
    let resetMode: SyncResetMode
    /// Whether a reset waits until the client has looked at the realm as it was.
    let hasResetBlocks: Bool
    /// Where the client wants a copy of the realm to be put if that is to be reset by hand.
    let recoveryDirectory: String?
    /// Commits on their way; the reply to one is its announcement.
    var commitsUnderWay = 0

    init(
        number: Int32, session: ClientSession, host: RealmHost, events: Bool, announced: PinTable.Hold,
        resetMode: SyncResetMode = .recoverUnsyncedChanges, hasResetBlocks: Bool = false,
        recoveryDirectory: String? = nil
    ) {
        self.recoveryDirectory = recoveryDirectory
        self.hasResetBlocks = hasResetBlocks
        self.resetMode = resetMode
        self.number = number
        self.session = session
        self.host = host
        writer = UInt64(session.server.nextNumber())
        self.events = events
        self.announced = announced
    }
}
