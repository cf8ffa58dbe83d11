import Foundation

/// Sixteen random bytes that a client gives to a transaction, so that it can ask afterwards whether it was committed.
package struct TransactionUID: Hashable, Sendable {
    package var high: UInt64
    package var low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Nil unless there are sixteen bytes.
    package init?(bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 16 else { return nil }
        high = bytes.loadUnaligned(as: UInt64.self)
        low = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    }

    package static func random() -> TransactionUID {
        TransactionUID(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
    }

    func store(to target: UnsafeMutableRawPointer) {
        target.storeBytes(of: high, as: UInt64.self)
        target.storeBytes(of: low, toByteOffset: 8, as: UInt64.self)
    }
}

/// The value of a record of `changes`: the uid of the transaction that made the version, and the change summary, unless
/// that has been dropped.
enum ChangeRecord {
    static func encoded(_ summary: ChangeSummary, uid: TransactionUID?) -> [UInt8] {
        guard let uid else { return [0] + summary.encoded() }
        var bytes = [UInt8](repeating: 0, count: 17)
        bytes[0] = 1
        bytes.withUnsafeMutableBytes { if let start = $0.baseAddress { uid.store(to: start + 1) } }
        return bytes + summary.encoded()
    }

    /// What stays of a record when nobody asks for its changes any more: the uid.
    static func stub(of record: UnsafeRawBufferPointer) -> [UInt8] {
        Array(record.prefix(record.first == 1 ? 17 : 1))
    }

    static func isStub(_ record: UnsafeRawBufferPointer) -> Bool {
        record.count == (record.first == 1 ? 17 : 1)
    }

    static func uid(of record: UnsafeRawBufferPointer) -> TransactionUID? {
        guard record.count >= 17, record[0] == 1 else { return nil }
        return TransactionUID(bytes: UnsafeRawBufferPointer(rebasing: record[1..<17]))
    }

    static func summary(of record: UnsafeRawBufferPointer) throws -> ChangeSummary {
        let start = record.first == 1 ? 17 : 1
        guard record.count >= start else { throw StoreError(.corrupt, "a change record can't be read") }
        return try ChangeSummary(decoding: UnsafeRawBufferPointer(rebasing: record[start...]))
    }
}
