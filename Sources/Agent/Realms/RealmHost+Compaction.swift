import EventLoop
import Foundation
import Store
import Wire

// Keeping the file small.
extension RealmHost {
    /// Share of the time that compactions nobody asked for may take: one in so many.
    private static let compactionShare = 20

    /// Starts a compaction when the file is large and more than half of it is of no use. Looked at only when the file
    /// has grown, since most commits reuse what is free, and not so often that it would hold up the writers.
    func considerCompaction() {
        guard !isDraining, !isCompacting, !isReplaced, phase == .open, let file = writer.file else { return }
        let size = Int64(file.notedLength)
        guard size >= server.options.compactionFloor, size >= nextCompactionLook
        else { return }
        guard compactionRest <= .now else { return lookAgain(at: compactionRest) }
        // Look again when it has grown by an eighth.
        nextCompactionLook = size + max(1 << 20, size / 8)
        isCompacting = true
        let began = ContinuousClock.now
        let floor = server.options.compactionFloor
        let isWorthIt: @Sendable (RealmFile) throws -> Bool = { file in
            let (size, used) = (Int64(try file.fileSize()), Int64(try file.usedBytes()))
            return size >= floor && used < size / 2
        }
        compact(onlyIf: isWorthIt) { [self] outcome in
            isCompacting = false
            compactionRest = .now + (.now - began) * Self.compactionShare
            switch outcome {
            case .success(let sizes) where sizes.after != sizes.before:
                AgentLog.write("\(path): compacted from \(sizes.before) to \(sizes.after) bytes\(pinNote)")
            case .success: break
            case .failure(let error): AgentLog.write("\(path): not compacted: \(error)")
            }
        }
    }

    private func lookAgain(at time: ContinuousClock.Instant) {
        let timer = upkeepTimer ?? LoopTimer { [unowned self] in considerCompaction() }
        upkeepTimer = timer
        if !timer.isActive { timer.start(after: max(.zero, time - .now)) }
    }

    /// Who kept the file from reusing its pages, for the log.
    private var pinNote: String {
        guard let oldest = pins.oldest, let session = server.sessions[oldest.client], let newest,
            oldest.hold < newest.hold
        else { return "" }
        return "; \(session.title) still reads version \(oldest.hold.version)"
    }

    /// Waits its turn to write, then moves the live data to a new incarnation of the file if `condition` holds.
    func compact(
        onlyIf condition: @escaping @Sendable (RealmFile) throws -> Bool = { _ in true },
        completion: @escaping @Sendable @LoopActor (Result<(before: Int64, after: Int64), WireError>) -> Void
    ) {
        exclusively(
            { writer -> (isDone: Bool, before: Int64, after: Int64) in
                let file = try writer.fileToWrite()
                let before = Int64(try file.fileSize())
                let isWanted = try condition(file)
                if isWanted { try file.compact() }
                return (isWanted, before, Int64(try file.fileSize()))
            },
            completion: { outcome in
                if case .success(let done) = outcome, done.isDone {
                    self.counters.compactions += 1
                    self.nextCompactionLook = 0
                }
                completion(outcome.map { ($0.before, $0.after) })
            })
    }
}
