import EventLoop
import Foundation
import History
import Store
import Wire

// What is to be done with the files of realms that can't be synced any more.
extension RealmRegistry {
    /// Does it, if nobody has the realm open. Calls back with false if somebody has, or there is nothing to be done.
    func carryOut(
        _ path: String, key: RealmKey?, completion: @escaping @LoopActor (Result<Bool, WireError>) -> Void
    ) {
        guard let action = server.apps.fileAction(path) else { return completion(.success(false)) }
        if let host = openHost(at: path) {
            let again: @LoopActor () -> Void = { self.carryOut(path, key: key, completion: completion) }
            if host.isClosing { return host.whenClosed(again) }
            guard host.handles.isEmpty else { return completion(.success(false)) }
            guard host.phase == .open else {
                return host.enter { error in
                    // Whoever it was opened for has it by now.
                    if error == nil { host.leave() }
                    again()
                }
            }
            host.sync?.end()
            return host.isClosing ? host.whenClosed(again) : completion(.success(false))
        }
        if let waiting = filesUnderWay[path] {
            filesUnderWay[path] = waiting + [completion]
            return
        }
        filesUnderWay[path] = [completion]
        server.pool.perform {
            let outcome = Result { try action.carryOut(key: key) }.mapError { WireError(reporting: $0, path: path) }
            EventLoop.shared.post { self.didCarryOut(action, outcome) }
        }
    }

    private func didCarryOut(_ action: FileAction, _ outcome: Result<Bool, WireError>) {
        let path = action.path
        let waiting = filesUnderWay.removeValue(forKey: path) ?? []
        switch outcome {
        case .success(true):
            AgentLog.write("\(path): deleted" + (action.backup.map { "; what was in it is in \($0)" } ?? ""))
            server.apps.dropRealm(path)
            told[path] = nil
            requested.remove(path)
            server.apps.forget(action) { error in
                for waiter in waiting { waiter(error.map { .failure($0) } ?? .success(true)) }
            }
        case .success(false): for waiter in waiting { waiter(outcome) }
        case .failure(let error):
            AgentLog.write("\(path): not deleted: \(error)")
            for waiter in waiting { waiter(outcome) }
        }
    }

    /// The clients that have the realm open know that it is to be deleted: when one of them opens it anew, it wants it as it
    /// is. Anybody else begins with a new one (CR-10).
    func noteTold(_ host: RealmHost) {
        told[host.path, default: []].formUnion(host.handles.map(\.session.number))
    }

    /// Whether the file at `path` is to be dealt with before a client opens it.
    func isDue(_ path: String, for session: ClientSession) -> Bool {
        server.apps.fileAction(path) != nil && told[path]?.contains(session.number) != true
    }

    /// Somebody has closed a realm that was asked for to be dealt with while it was open.
    func closedByLast(_ host: RealmHost) {
        guard requested.remove(host.path) != nil else { return }
        carryOut(host.path, key: host.key) { _ in }
    }

    /// Deals with the file as soon as the last of those who have it open has closed it.
    func carryOutLater(_ path: String) {
        if server.apps.fileAction(path) != nil { requested.insert(path) }
    }
}

extension FileAction {
    /// Copies the file, if there is to be a copy, and deletes it. Returns false if somebody has it open.
    fileprivate func carryOut(key: RealmKey?) throws -> Bool {
        guard let backup else { return try ResetBackup.delete(path) }
        return try ResetBackup.backUpThenDelete(path, key: key, to: backup)
    }
}
