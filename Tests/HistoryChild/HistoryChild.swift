import Foundation
import History
import Store
import Sync

/// What tests run in a process of its own: resets that may be killed, and the time that passes on a server.
///
///     history-child reset <realm> <mode>            resets a realm whose fresh file is complete; prints "done"
///     history-child trim <realm> <days> <offline>   compacts the history of a server realm that nobody has open, as if so
///                                                   many days had passed, and devices might stay away for `offline` days;
///                                                   prints by how many bytes it is shorter
@main
enum HistoryChild {
    static func main() throws {
        let arguments = CommandLine.arguments
        switch arguments.dropFirst().first {
        case "reset" where arguments.count == 4:
            guard let mode = ClientResetMode(rawValue: arguments[3]) else { exit(64) }
            try reset(arguments[2], mode)
        case "trim" where arguments.count == 5:
            guard let days = Double(arguments[3]), let offline = UInt64(arguments[4]) else { exit(64) }
            try trim(arguments[2], days: days, offlineDays: offline)
        default: exit(64)
        }
    }

    private static func reset(_ realm: String, _ mode: ClientResetMode) throws {
        let history = try ClientHistory(RealmFile(path: realm))
        let report = SyncReport(
            .clientResetRequired, code: .badClientFileIdent, "lost", isFatal: true, action: .clientReset)
        let reset = try ClientReset(history, mode: mode, action: .clientReset, report: report)
        _ = try reset.begin()
        print("begun")
        fflush(nil)
        _ = try reset.perform()
        print("done")
    }

    private static func trim(_ realm: String, days: Double, offlineDays: UInt64) throws {
        var options = HistoryOptions()
        options.now = { HistoryOptions.milliseconds(Date().timeIntervalSince1970 + days * 86_400) }
        options.maximumOfflineTime = offlineDays * 86_400_000
        let history = try ServerRealm(path: realm, options: options)
        print(try history.compactHistory())
        try history.close()
    }
}
