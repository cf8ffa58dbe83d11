import EventLoop
import Foundation
import Wire

// receipt.*
extension ClientSession {
    func waitForReceipt(_ request: ReceiptWait, _ responder: Responder) throws {
        guard let receipt = WireReceipt(request.receipt) else {
            throw WireError(
                .badParams, "this isn't a receipt: \(request.receipt.prefix(80))",
                facts: ["field": .string("receipt"), "expected": .string("text that begins with reeve:1:")])
        }
        guard request.until != .rejected else {
            throw WireError(
                .badParams, "until is durable or uploaded; a commit that is rejected ends both",
                facts: ["field": .string("until")])
        }
        try use(.path(receipt.path, key: request.key), responder) { [self] host in
            // It may have taken its time to open.
            guard isOpen else { return host.leave() }
            guard let file = host.writer.file, let durable = host.durable else {
                throw WireError(.shuttingDown, "the realm is closed")
            }
            let facts: BSONDocument = ["path": .string(host.path)]
            guard file.realmIdentity == receipt.realm else {
                throw WireError(
                    .outcomeUnknown, "the realm at \(host.path) isn't the one that the receipt is of", facts: facts)
            }
            guard receipt.version <= durable.version else {
                throw WireError(
                    .outcomeUnknown,
                    "the realm at \(host.path) is at version \(durable.version), before the receipt's "
                        + "\(receipt.version): its file is an older copy", facts: facts)
            }
            let wait = FateWait(receipt.version, until: request.until, in: host, responder)
            fateWaits.append(wait)
            host.fateWaits.append(wait)
            if let time = request.timeoutMilliseconds, request.until != .durable {
                wait.limit(to: .milliseconds(max(0, min(time, Self.longestWait))))
            }
            host.lookAtFates()
        }
    }

    /// Milliseconds that a wait may take: a year.
    private static let longestWait: Int64 = 365 * 86_400_000
}
