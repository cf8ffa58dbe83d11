import EventLoop
import Sync

/// A realm that a `SyncLink` keeps in sync: does the session's work on its file, and hears what becomes of it.
@LoopActor
package protocol SyncedFile: AnyObject, Sendable {
    /// Does what a session asks for, on the thread that writes the file; `completion` is called on the loop, later.
    func answer(_ work: StoreRequest.Work, completion: @escaping @Sendable @LoopActor (StoreAnswer) -> Void)
    /// An error for the application, or news of one.
    func didReport(_ report: SyncReport)
    /// The server has left out changes of the transaction that made a version of the file. What is asked of the file later
    /// may say that it has that version.
    func didReject(_ version: Int64, _ updates: [RejectedUpdate], _ message: String)
    /// The file must be reset or migrated before it can go on.
    func needsReset(_ report: SyncReport, partitionQuery: String?)
    /// A DOWNLOAD was integrated, or an upload acknowledged.
    func didProgress(_ download: ServerMessage.Download)
    /// BIND is out: the prepared client reset is to be performed (P-98).
    func performReset()
    /// A session that was removed has left the connection.
    func didEnd()
    /// Everything has come that was on the server when the last MARK was sent (F-25).
    func didCatchUp()
    /// The server refuses a set of subscriptions (F-8).
    func didFailQuery(_ version: Int64, _ message: String)
    /// Parts of a bootstrap that have come so far are of no use any more (F-42): BIND is out.
    func didBind()
    /// The same: the connection is lost.
    func didDisconnect()
}

extension SyncedFile {
    package func didReject(_ version: Int64, _ updates: [RejectedUpdate], _ message: String) {}
    package func performReset() {}
    package func didCatchUp() {}
    package func didFailQuery(_ version: Int64, _ message: String) {}
    package func didBind() {}
    package func didDisconnect() {}
    package func didEnd() {}
}
