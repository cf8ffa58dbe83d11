import Dispatch
import Foundation
import Wire

/// Names a transaction that is on disk, so that any process can ask, or wait for, what becomes of it.
///
/// ```swift
/// try realm.write { realm.add(order) }
/// let receipt = realm.receipt
/// …
/// switch try await receipt?.wait(for: .uploaded, timeout: .seconds(10)) {
/// case .uploaded: print("the server has it")
/// case .rejected(let rejection): print(rejection.reason)
/// case .durable, nil: print("it waits for the network")
/// }
/// ```
/// A receipt is text (`description`), which another process may be given: `reeve wait` on the command line takes it, too.
/// What it is answered from is in the realm's file, so that neither a crash nor a restart of whatever process changes an
/// answer. It is good as long as the file stays where it is.
///
/// RealmSwift has nothing like it.
public struct CommitReceipt: Hashable, Sendable, LosslessStringConvertible, Codable {
    /// What can be waited for.
    public enum State: Sendable {
        /// The transaction is on disk, as it is when there is a receipt of it.
        case durable
        /// It is on the server, durably.
        case uploaded
    }

    /// How far the transaction has come.
    public enum Outcome: Sendable {
        /// It is on disk, and not known to be on the server.
        case durable
        /// The server has it.
        case uploaded
        /// The server isn't to have it, or not all of it: it is final, too.
        case rejected(Rejection)
    }

    /// Why a transaction isn't, or not whole, on the server.
    public struct Rejection: Sendable {
        public let reason: String
        /// The objects that are as the server has them again, as far as they are known.
        public let objects: [CompensatingWriteInfo]
    }

    private let receipt: WireReceipt

    init(_ receipt: WireReceipt) {
        self.receipt = receipt
    }

    /// Nil for text that isn't a receipt's.
    public init?(_ description: String) {
        guard let receipt = WireReceipt(description) else { return nil }
        self.receipt = receipt
    }

    public var description: String { receipt.text }

    /// The realm's file.
    public var fileURL: URL { URL(fileURLWithPath: receipt.path) }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let receipt = WireReceipt(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "this isn't a receipt")
        }
        self.receipt = receipt
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(receipt.text)
    }

    // MARK: Waiting

    /// Waits until the transaction has come to a state, or was rejected, or the time is over; then it says how it stands.
    ///
    /// Goes on over restarts of the agent. The realm needn't be open in this process.
    ///
    /// - Parameters:
    ///   - timeout: None: as long as it takes, which is until there is a network. Zero: asks without waiting.
    ///   - encryptionKey: Of an encrypted realm.
    /// - Throws: `Realm.Error` if the realm isn't where it was or isn't synced, or its file is an older copy; `SyncError` if
    ///   nothing will be uploaded any more until somebody does something about it.
    public func wait(
        for state: State = .uploaded, timeout: Duration? = nil, encryptionKey: Data? = nil
    ) async throws -> Outcome {
        let waiter = Waiter<Outcome>()
        let deadline = timeout.map { ContinuousClock.now + $0 }
        let key = try encryptionKey.map { try Self.key($0, receipt.path) }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiter.begin { continuation.resume(with: $0) }
                begin(waiter, state, deadline, key)
            }
        } onCancel: {
            waiter.finish(.failure(CancellationError()))
        }
    }

    private static func key(_ bytes: Data, _ path: String) throws -> EncryptionKey {
        guard let key = EncryptionKey(Array(bytes)) else {
            throw Realm.Error(.invalidInput, "An encryption key has 64 bytes, not \(bytes.count).", path: path)
        }
        return key
    }

    /// How long to wait for an agent that ends.
    private static let pause = DispatchTimeInterval.milliseconds(50)

    /// Asks the agent; again if that is lost meanwhile.
    private func begin(
        _ waiter: Waiter<Outcome>, _ state: State, _ deadline: ContinuousClock.Instant?, _ key: EncryptionKey?
    ) {
        let fail: @Sendable (any Swift.Error) -> Void = { [receipt] error in
            var error = SyncError.thrown(error)
            if error is WireError { error = Realm.Error(error, path: receipt.path) }
            waiter.finish(.failure(error))
        }
        DispatchQueue.global().async {
            do {
                let link = try AgentConnection.shared.connected()
                try link.agent.require(.receipts)
                let request = ReceiptWait(
                    receipt: receipt.text, until: state == .durable ? .durable : .uploaded,
                    timeoutMilliseconds: deadline.map {
                        max(0, Int64(ContinuousClock.now.duration(to: $0) / .milliseconds(1)))
                    },
                    key: key)
                link.call(request) { result in
                    switch result {
                    case .success(let reply): waiter.finish(.success(Outcome(reply)))
                    case .failure(let error as WireError) where error.meansAgentIsGone && !waiter.isFinished:
                        DispatchQueue.global().asyncAfter(deadline: .now() + Self.pause) {
                            begin(waiter, state, deadline, key)
                        }
                    case .failure(let error): fail(error)
                    }
                }
            } catch {
                fail(error)
            }
        }
    }
}

extension CommitReceipt.Outcome {
    fileprivate init(_ reply: ReceiptWaitReply) {
        switch reply.state {
        case .durable: self = .durable
        case .uploaded: self = .uploaded
        case .rejected:
            self = .rejected(
                CommitReceipt.Rejection(
                    reason: reply.reason ?? "",
                    objects: reply.rejected.map {
                        CompensatingWriteInfo(objectType: $0.className, reason: $0.reason, key: $0.key)
                    }))
        }
    }
}

extension Realm {
    /// The receipt of the last transaction that was committed by this instance and changed something. Nil if there was none,
    /// and for realms in memory.
    ///
    /// RealmSwift has nothing like it. See `CommitReceipt`.
    public var receipt: CommitReceipt? {
        core.check()
        return core.receipt
    }
}
