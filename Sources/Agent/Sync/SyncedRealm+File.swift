import EventLoop
import Foundation
import Sync
import Wire

// What the session asks of the file, and says.
extension SyncedRealm: SyncedFile {
    func answer(_ work: StoreRequest.Work, completion: @escaping @Sendable @LoopActor (StoreAnswer) -> Void) {
        let host = self.host
        let done: @Sendable @LoopActor (Result<StoreAnswer, WireError>) -> Void = { outcome in
            switch outcome {
            case .success(let answer): completion(answer)
            case .failure(let error):
                AgentLog.write("\(host.path): sync: \(error)")
                completion(.failed(.otherSessionError, "\(error)"))
            }
        }
        switch work {
        case .scan, .nextUploadable:
            // Reads what is committed: it needn't wait for whoever writes.
            host.writer.perform { writer in
                let outcome = Result { try writer.answer(work) }.mapError { WireError(reporting: $0, path: host.path) }
                EventLoop.shared.post { done(outcome) }
            }
        case .saveIdent, .integrate:
            // Nothing is taken any more: the session goes with the file.
            guard !host.isDraining else { return }
            changeSets(
                { try $0.answer(work) },
                completion: { outcome in
                    done(outcome)
                    // What the file has been told, it may be asked for: not before, and not for each acknowledgement.
                    host.lookAtFates()
                })
        }
    }

    func didReport(_ report: SyncReport) {
        if report.action == .deleteRealm { flag(FileAction(path: host.path, backup: nil)) }
        lastError = report
        AgentLog.write("\(host.path): sync: \(report.status.rawValue): \(report.message)")
        tell(report)
        if report.isFatal {
            failSetWaits(failure(report))
            host.lookAtFates()
        }
        didChange()
    }

    private func tell(_ report: SyncReport) {
        let rejected = report.rejectedUpdates.map {
            RejectedObject(className: $0.table, key: $0.key, reason: $0.reason)
        }
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        rejections += rejected.map { ($0, now) }
        rejections.removeFirst(max(0, rejections.count - Self.rejectionLimit))
        for handle in host.handles where handle.events {
            handle.session.send(
                event: SyncFailed(
                    realm: handle.number, status: report.status.rawValue, code: report.code.map { Int32($0.rawValue) },
                    message: report.message, logURL: report.logURL.isEmpty ? nil : report.logURL,
                    isFatal: report.isFatal, action: report.action.rawValue, rejected: rejected,
                    recovery: report.isFatal ? fileAction?.backup : nil))
        }
    }

    func didProgress(_ download: ServerMessage.Download) {
        let before = progress
        progress.received(download)
        // Most acknowledgements say nothing of that, and they come one for each upload.
        if progress != before || lastError != nil {
            lastError = nil
            didChange()
        }
        queueChanged()
    }
}
