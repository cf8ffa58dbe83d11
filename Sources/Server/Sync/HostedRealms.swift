import EventLoop
import Sync

/// The server realms that are open, by their files. One is opened with its first session and closed some time after the
/// last.
@LoopActor
final class HostedRealms {
    let options: SyncOptions
    let scheduler: any Scheduler
    private let dataDirectory: String
    private let log: ServerLog
    /// By path and not by value: texts that Swift finds equal, but which differ in their bytes, are different partitions.
    private var realms: [String: HostedRealm] = [:]
    private var isClosing = false

    init(in dataDirectory: String, scheduler: any Scheduler, options: SyncOptions, log: ServerLog) {
        self.dataDirectory = dataDirectory
        self.scheduler = scheduler
        self.options = options
        self.log = log
    }

    var count: Int { realms.count }

    /// The realm at an address; nil if too many are in use already.
    func realm(_ address: RealmAddress) -> HostedRealm? {
        if let realm = realms[address.path] { return realm }
        guard !isClosing else { return nil }
        if realms.count >= options.openRealms {
            let idle = realms.values.filter(\.isIdle)
            guard realms.count - idle.count < options.openRealms else { return nil }
            // On their way out they still count for a moment, and do no harm.
            for realm in idle { realm.close {} }
        }
        var history = options.history
        history.report = { [log] fault in
            log.error("realm.failed", ["app": address.appId, "file": address.path, "fault": fault])
        }
        let box = RealmBox(address, in: dataDirectory, file: options.file, history: history)
        let line = StoreLine(options.threads, name: "reeve-realm")
        let realm = HostedRealm(address, box, line, self)
        realms[address.path] = realm
        return realm
    }

    func remove(_ realm: HostedRealm) {
        let path = realm.address.path
        if realms[path] === realm { realms[path] = nil }
    }

    /// Closes all realms once what has been begun is done.
    func close(completion: @escaping @LoopActor () -> Void) {
        isClosing = true
        close({ _ in true }, completion)
    }

    /// The same with the realms of one app, none of which is to be opened meanwhile.
    func close(app: String, completion: @escaping @LoopActor () -> Void) {
        close({ $0.address.appId == app }, completion)
    }

    private func close(
        _ isMeant: @escaping @LoopActor (HostedRealm) -> Bool, _ completion: @escaping @LoopActor () -> Void
    ) {
        let left = realms.values.filter { isMeant($0) }
        for realm in left where realm.isIdle { realm.close {} }
        guard !left.isEmpty else { return completion() }
        // Sessions are leaving and jobs are under way: both take a moment.
        let number = (closing.keys.max() ?? 0) + 1
        let timer = scheduler.timer { [self] in
            closing.removeValue(forKey: number)?.close()
            close(isMeant, completion)
        }
        closing[number] = timer
        timer.start(after: .milliseconds(5), repeating: nil)
    }

    private var closing: [Int: any ScheduledTimer] = [:]

    func compacted(_ address: RealmAddress, _ bytes: UInt64) {
        guard bytes > 0 else { return }
        log.info("sync.compacted", ["app": address.appId, "file": address.path, "bytes": "\(bytes)"])
    }

    func report(_ event: String, _ address: RealmAddress, _ fault: String) {
        log.error(event, ["app": address.appId, "file": address.path, "fault": fault])
    }
}
