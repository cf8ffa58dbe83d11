import Testing

@testable import Sync

/// Effects reach the driver's methods, each the right one, in their order.
struct DriverTests {
    private struct Server: ServerDriver {
        var calls: [String] = []
        mutating func ask(_ request: ServerRequest) { calls.append("ask \(request.number)") }
        mutating func claimed(session: Int64, file: Int64) { calls.append("claimed \(session) \(file)") }
        mutating func clientFailed(session: Int64, code: SyncErrorCode, message: String) {
            calls.append("clientFailed \(session) \(code) \(message)")
        }
        mutating func historyFault(session: Int64, message: String) { calls.append("fault \(session) \(message)") }
        mutating func ended(session: Int64) { calls.append("ended \(session)") }
        mutating func finish() { calls.append("finish") }
        mutating func close(code: Int) { calls.append("close \(code)") }
        mutating func disconnect() { calls.append("disconnect") }
    }

    private struct Client: ClientDriver {
        var calls: [String] = []
        mutating func connect() { calls.append("connect") }
        mutating func disconnect() { calls.append("disconnect") }
        mutating func refreshToken() { calls.append("refreshToken") }
        mutating func refreshLocation() { calls.append("refreshLocation") }
        mutating func logOut() { calls.append("logOut") }
        mutating func ask(_ request: StoreRequest) { calls.append("ask \(request.number)") }
        mutating func report(session: Int64, _ report: SyncReport) {
            calls.append("report \(session) \(report.message)")
        }
        mutating func reset(session: Int64, _ report: SyncReport, partitionQuery: String?) {
            calls.append("reset \(session) \(partitionQuery ?? "")")
        }
        mutating func performReset(session: Int64) { calls.append("performReset \(session)") }
        mutating func migrateSchema(session: Int64, previousVersion: Int64) {
            calls.append("migrateSchema \(session) \(previousVersion)")
        }
        mutating func progressed(session: Int64, _ download: ServerMessage.Download) {
            calls.append("progressed \(session) \(download.progress.server)")
        }
        mutating func bound(session: Int64) { calls.append("bound \(session)") }
        mutating func caughtUp(session: Int64) { calls.append("caughtUp \(session)") }
        mutating func queryFailed(session: Int64, version: Int64, message: String) {
            calls.append("queryFailed \(session) \(version) \(message)")
        }
        mutating func rejected(session: Int64, version: Int64, _ updates: [RejectedUpdate], message: String) {
            calls.append("rejected \(session) \(version) \(updates.count) \(message)")
        }
        mutating func finished(session: Int64, waiter: Int64, isComplete: Bool) {
            calls.append("finished \(session) \(waiter) \(isComplete)")
        }
        mutating func log(session: Int64, _ line: LogBody) { calls.append("log \(session) \(line.message ?? "")") }
        mutating func ended(session: Int64) { calls.append("ended \(session)") }
    }

    @Test func `a server's effects`() {
        var driver = Server()
        driver.perform([
            .ask(ServerRequest(number: 7, session: 1, work: .fetch(file: 2, after: DownloadCursor(), byteLimit: 1))),
            .claimed(session: 1, file: 2), .clientFailed(session: 1, code: .badChangeset, message: "m"),
            .historyFault(session: 1, message: "f"), .ended(session: 1), .finish, .close(code: 4001), .disconnect
        ])
        #expect(
            driver.calls == [
                "ask 7", "claimed 1 2", "clientFailed 1 212 m", "fault 1 f", "ended 1", "finish", "close 4001",
                "disconnect"
            ])
    }

    @Test func `a client's effects`() {
        var driver = Client()
        let report = SyncReport(.connectionClosed, "r", isFatal: false)
        let download = ServerMessage.Download(
            session: 1, progress: DownloadCursor(server: 4), latest: SaltedVersion(), upload: UploadCursor(),
            contents: .partition(downloadableBytes: 0))
        driver.perform([
            .connect, .disconnect, .refreshToken, .refreshLocation, .logOut,
            .ask(StoreRequest(number: 7, session: 1, work: .nextUploadable(after: 1))), .report(session: 1, report),
            .reset(session: 1, report, partitionQuery: "q"), .performReset(session: 1), .bound(session: 1),
            .migrateSchema(session: 1, previousVersion: 3), .progressed(session: 1, download), .caughtUp(session: 1),
            .queryFailed(session: 1, version: 2, message: "q"), .rejected(session: 1, version: 3, [], message: "u"),
            .completed(session: 1, waiter: 5),
            .abandoned(session: 1, waiter: 6), .log(session: 0, LogBody(message: "l")), .ended(session: 1)
        ])
        #expect(
            driver.calls == [
                "connect", "disconnect", "refreshToken", "refreshLocation", "logOut", "ask 7", "report 1 r",
                "reset 1 q", "performReset 1", "bound 1", "migrateSchema 1 3", "progressed 1 4", "caughtUp 1",
                "queryFailed 1 2 q", "rejected 1 3 0 u", "finished 1 5 true", "finished 1 6 false", "log 0 l", "ended 1"
            ])
    }
}
