import Foundation
import History
import Store
import Sync

/// What the tests of client resets run in a process that may be killed.
///
///     history-child reset <realm> <mode>    resets a realm whose fresh file is complete; prints "done"
@main
enum HistoryChild {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, arguments[1] == "reset", let mode = ClientResetMode(rawValue: arguments[3]) else {
            exit(64)
        }
        let history = try ClientHistory(RealmFile(path: arguments[2]))
        let report = SyncReport(
            .clientResetRequired, code: .badClientFileIdent, "lost", isFatal: true, action: .clientReset)
        let reset = try ClientReset(history, mode: mode, action: .clientReset, report: report)
        _ = try reset.begin()
        print("begun")
        fflush(nil)
        _ = try reset.perform()
        print("done")
    }
}
