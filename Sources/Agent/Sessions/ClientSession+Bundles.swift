import EventLoop
import Foundation
import History
import Store
import Wire

// Bundles: copies of synced realms that other devices begin with.
extension ClientSession {
    /// How long a copy waits until classes that a client has added are on the server.
    private static let classesLimit = Duration.seconds(30)

    /// Copies the newest version of a realm: one before may lack what the server has acknowledged since. Leaves the host.
    func copyBundle(of host: RealmHost, to destination: RealmPath, _ key: RealmKey?, _ responder: Responder) {
        copyBundle(of: host, to: destination, key) { outcome in
            defer { host.leave() }
            responder.answer(
                outcome.map { RealmCopyReply(bytes: $0) }.mapError { WireError(reporting: $0, path: host.path) })
        }
    }

    private func copyBundle(
        of host: RealmHost, to destination: RealmPath, _ key: RealmKey?, isLastAttempt: Bool = false,
        completion: @escaping @Sendable @LoopActor (Result<Int64, any Error>) -> Void
    ) {
        let snapshot: HeldSnapshot
        do {
            snapshot = try host.snapshot(nil, for: self)
        } catch {
            return completion(.failure(error))
        }
        server.pool.perform {
            let outcome = Result { try Self.copy(snapshot.snapshot, to: destination.path, key, .bundle) }
            EventLoop.shared.post { [self] in
                // Opening the realm may have added classes, which nobody can be asked to wait for.
                guard case .failure(SyncedCopyError.unsentClasses) = outcome, !isLastAttempt, let sync = host.sync,
                    sync.connectionState == .connected, sync.state == .active
                else { return completion(outcome) }
                awaitUpload(sync) { [self] in
                    copyBundle(of: host, to: destination, key, isLastAttempt: true, completion: completion)
                }
            }
        }
    }

    /// Calls back once everything is uploaded, or after a while.
    private func awaitUpload(_ sync: SyncedRealm, completion: @escaping @Sendable @LoopActor () -> Void) {
        let wait = UploadWait(completion)
        sync.wait(.upload) { _ in wait.end() }
        wait.start(after: Self.classesLimit)
    }

    /// Lets a copy of a bundle become the realm, if there is none. `completion` is called on the loop when the copy is gone.
    func plant(
        _ seed: String, _ place: Place, _ origin: SyncOrigin,
        completion: @escaping @Sendable @LoopActor (Result<Void, WireError>) -> Void
    ) throws {
        let draft = try RealmPath(resolving: seed)
        let path = try RealmPath(resolving: place.path)
        let directory = { (path: String) in (path as NSString).deletingLastPathComponent }
        let name = (draft.path as NSString).lastPathComponent
        guard !place.inMemory, name.hasPrefix("."), directory(draft.path) == directory(path.path) else {
            throw WireError(
                .badParams,
                "a seed is a copy of a bundle in the realm's directory, under a name that begins with a dot",
                facts: ["path": .string(seed)])
        }
        let key = place.key
        server.pool.perform {
            let outcome = Result { try SyncedCopy.plant(draft.path, at: path.path, key: key, for: origin) }
                .mapError { WireError(reporting: $0, path: path.path) }
            EventLoop.shared.post { completion(outcome) }
        }
    }
}

/// Ends once: when somebody says so, or with the time.
@LoopActor
private final class UploadWait {
    private var completion: (@LoopActor () -> Void)?
    private var timer: LoopTimer?

    init(_ completion: @escaping @LoopActor () -> Void) { self.completion = completion }

    func start(after time: Duration) {
        guard completion != nil else { return }
        let timer = LoopTimer { [self] in end() }
        self.timer = timer
        timer.start(after: time)
    }

    func end() {
        timer?.close()
        timer = nil
        let completion = self.completion
        self.completion = nil
        completion?()
    }
}
