/// Copies the live data to a new generation of the file; snapshots of the old one stay readable.
package struct RealmCompact: WireRequest {
    package typealias Reply = RealmCompactReply
    package static let method = Method.realmCompact

    package var target: RealmTarget

    package init(target: RealmTarget) {
        self.target = target
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(target: try RealmTarget(view))
    }

    package func write(to writer: BSONWriter) {
        target.write(to: writer)
    }
}

/// Sizes before and after.
package struct RealmCompactReply: WirePayload {
    package var before: Int64
    package var after: Int64
    package var generation: Int64

    package init(before: Int64, after: Int64, generation: Int64) {
        self.before = before
        self.after = after
        self.generation = generation
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(before: try view.get("before"), after: try view.get("after"), generation: try view.get("generation"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("before", before)
        writer.put("after", after)
        writer.put("generation", generation)
    }
}

/// Walks the whole file and checks it.
package struct RealmVerify: WireRequest {
    package typealias Reply = RealmVerifyReply
    package static let method = Method.realmVerify

    package var target: RealmTarget

    package init(target: RealmTarget) {
        self.target = target
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(target: try RealmTarget(view))
    }

    package func write(to writer: BSONWriter) {
        target.write(to: writer)
    }
}

/// What the walk found; no problems: the file is sound.
package struct RealmVerifyReply: WirePayload {
    package var version: UInt64
    package var objects: Int64
    package var problems: [String]

    package init(version: UInt64, objects: Int64, problems: [String] = []) {
        self.version = version
        self.objects = objects
        self.problems = problems
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            version: try view.get("version"), objects: try view.get("objects"),
            problems: try view.find("problems") ?? [])
    }

    package func write(to writer: BSONWriter) {
        writer.put("version", version)
        writer.put("objects", objects)
        if !problems.isEmpty { writer.put("problems", problems) }
    }
}

/// The digest of what a realm holds: equal for realms with the same classes and objects, however they came about.
package struct RealmHash: WireRequest {
    package typealias Reply = RealmHashReply
    package static let method = Method.realmHash

    package var target: RealmTarget

    package init(target: RealmTarget) {
        self.target = target
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(target: try RealmTarget(view))
    }

    package func write(to writer: BSONWriter) {
        target.write(to: writer)
    }
}

package struct RealmHashReply: WirePayload {
    package var version: UInt64
    /// In hexadecimal.
    package var hash: String

    package init(version: UInt64, hash: String) {
        self.version = version
        self.hash = hash
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(version: try view.get("version"), hash: try view.get("hash"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("version", version)
        writer.put("hash", hash)
    }
}

/// Writes a compact copy of a realm to another path, which must not exist.
package struct RealmCopy: WireRequest {
    package typealias Reply = RealmCopyReply
    package static let method = Method.realmCopy

    package var target: RealmTarget
    /// The snapshot to copy; nil: the newest.
    package var pin: Int64?
    /// The open transaction to copy as it is, in place of a snapshot. Needs the feature `copyInTransaction`.
    package var transaction: Int64?
    package var destination: String
    /// Encrypts the copy; nil: it is plain. Needs the feature `encryption`.
    package var destinationKey: EncryptionKey?
    /// Makes the copy of a local realm a synced one, whose first upload is all that it holds, and the copy of a synced one
    /// of the same app and partition a bundle. Needs the feature `sync`; for a synced realm `bundles`.
    package var destinationSync: SyncTarget?

    package init(
        target: RealmTarget, pin: Int64? = nil, transaction: Int64? = nil, destination: String,
        destinationKey: EncryptionKey? = nil, destinationSync: SyncTarget? = nil
    ) {
        self.destinationSync = destinationSync
        self.destinationKey = destinationKey
        self.target = target
        self.pin = pin
        self.transaction = transaction
        self.destination = destination
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            target: try RealmTarget(view), pin: try view.find("pin"), transaction: try view.find("transaction"),
            destination: try view.get("to"), destinationKey: try view.find("toKey"),
            destinationSync: try view.find("toSync"))
    }

    package func write(to writer: BSONWriter) {
        target.write(to: writer)
        writer.put("pin", pin)
        writer.put("transaction", transaction)
        writer.put("to", destination)
        writer.put("toKey", destinationKey)
        writer.put("toSync", destinationSync)
    }
}

/// Size of the copy.
package struct RealmCopyReply: WirePayload {
    package var bytes: Int64

    package init(bytes: Int64) {
        self.bytes = bytes
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(bytes: try view.get("bytes"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("bytes", bytes)
    }
}

/// Deletes a realm's files unless it is open anywhere.
package struct RealmDelete: WireRequest {
    package typealias Reply = RealmDeleteReply
    package static let method = Method.realmDelete

    package var path: String

    package init(path: String) {
        self.path = path
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(path: try view.get("path"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("path", path)
    }
}

/// Whether there was something.
package struct RealmDeleteReply: WirePayload {
    package var deleted: Bool

    package init(deleted: Bool = false) {
        self.deleted = deleted
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(deleted: try view.find("deleted") ?? false)
    }

    package func write(to writer: BSONWriter) {
        if deleted { writer.put("deleted", true) }
    }
}
