import Model
import Store
import Sync

/// What became of transactions that the server isn't to have as they were made here.
package struct Rejection: Hashable, Sendable {
    /// Why that is.
    package enum Cause: UInt8, Sendable {
        /// The server has left out what the user may not write, or what is outside of what is subscribed to.
        case server = 1
        /// A client reset has left out what could not be kept, or all that wasn't synced.
        case reset = 2
    }

    /// An object whose changes are gone.
    package struct Object: Hashable, Sendable {
        package var name: ObjectName
        package var reason: String
    }

    /// The versions that the transactions made.
    package var versions: ClosedRange<UInt64>
    package var cause: Cause
    package var message: String
    /// As far as they are known.
    package var objects: [Object] = []

    init(version: UInt64, _ cause: Cause, message: String) {
        self.init(versions: version...version, cause, message: message)
    }

    init(versions: ClosedRange<UInt64>, _ cause: Cause, message: String) {
        self.versions = versions
        self.cause = cause
        self.message = message
    }

    /// What a server has said of the transaction that made a version.
    package init(version: UInt64, _ updates: [RejectedUpdate], message: String) {
        self.init(version: version, .server, message: message)
        objects = updates.compactMap { update in
            update.key.map { Object(name: ObjectName(update.table, $0), reason: update.reason) }
        }
    }

    static let notRecovered = "The server had lost what it knew of the realm, and not all of it could be made anew"
    static let discarded =
        "The server had lost what it knew of the realm, and what wasn't known to be there was discarded"

    // MARK: As a record

    init(_ bytes: UnsafeRawBufferPointer, through last: UInt64) throws {
        var reader = RecordReader(bytes)
        let first: UInt64 = try reader.number()
        guard first <= last, let cause = Cause(rawValue: try reader.number()) else { throw HistoryError.damaged }
        self.init(versions: first...last, cause, message: try reader.text())
        for _ in 0..<(try reader.number(UInt32.self)) {
            let name = try reader.counted()
            objects.append(Object(name: try name.withUnsafeBytes { try ObjectName($0) }, reason: try reader.text()))
        }
    }

    var encoded: [UInt8] {
        var writer = RecordWriter()
        writer.append(versions.lowerBound)
        writer.append(cause.rawValue)
        writer.append(counted: message.utf8)
        writer.append(UInt32(objects.count))
        for object in objects {
            writer.append(counted: object.name.encoded)
            writer.append(counted: object.reason.utf8)
        }
        return writer.bytes
    }
}
