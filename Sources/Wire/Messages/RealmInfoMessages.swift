import Model

/// Size, version and users of a realm, open or not.
package struct RealmInfo: WireRequest {
    package typealias Reply = RealmInfoReply
    package static let method = Method.realmInfo

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

/// State of one realm file.
package struct RealmInfoReply: WirePayload {
    package var path: String
    package var version: UInt64
    package var schemaVersion: UInt64
    package var generation: Int64
    /// Bytes of the file.
    package var fileSize: Int64
    /// Bytes of it that hold live data.
    package var usedSize: Int64
    package var inMemory: Bool
    package var encrypted: Bool
    /// Whether the file system has no room for a commit any more.
    package var diskFull: Bool
    /// Handles open on it, of all connections.
    package var handles: Int32
    package var classes: [ClassInfo]
    package var pins: [PinInfo]
    /// Who holds the write lock.
    package var writer: ClientInfo?
    package var waitingWriters: Int32

    package init(
        path: String, version: UInt64, schemaVersion: UInt64, generation: Int64, fileSize: Int64, usedSize: Int64,
        inMemory: Bool = false, encrypted: Bool = false, diskFull: Bool = false, handles: Int32 = 0,
        classes: [ClassInfo] = [],
        pins: [PinInfo] = [],
        writer: ClientInfo? = nil, waitingWriters: Int32 = 0
    ) {
        self.path = path
        self.version = version
        self.schemaVersion = schemaVersion
        self.generation = generation
        self.fileSize = fileSize
        self.usedSize = usedSize
        self.inMemory = inMemory
        self.encrypted = encrypted
        self.diskFull = diskFull
        self.handles = handles
        self.classes = classes
        self.pins = pins
        self.writer = writer
        self.waitingWriters = waitingWriters
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            path: try view.get("path"), version: try view.get("version"), schemaVersion: try view.get("schemaVersion"),
            generation: try view.get("generation"), fileSize: try view.get("fileSize"),
            usedSize: try view.get("usedSize"), inMemory: try view.find("inMemory") ?? false,
            encrypted: try view.find("encrypted") ?? false, diskFull: try view.find("diskFull") ?? false,
            handles: try view.find("handles") ?? 0, classes: try view.find("classes") ?? [],
            pins: try view.find("pins") ?? [], writer: try view.find("writer"),
            waitingWriters: try view.find("waitingWriters") ?? 0)
    }

    package func write(to writer: BSONWriter) {
        writer.put("path", path)
        writer.put("version", version)
        writer.put("schemaVersion", schemaVersion)
        writer.put("generation", generation)
        writer.put("fileSize", fileSize)
        writer.put("usedSize", usedSize)
        if inMemory { writer.put("inMemory", true) }
        if encrypted { writer.put("encrypted", true) }
        if diskFull { writer.put("diskFull", true) }
        writer.put("handles", handles)
        if !classes.isEmpty { writer.put("classes", classes) }
        if !pins.isEmpty { writer.put("pins", pins) }
        writer.put("writer", self.writer)
        writer.put("waitingWriters", waitingWriters)
    }
}

/// A class and how many objects it has.
package struct ClassInfo: WirePayload {
    package var name: String
    package var count: Int64

    package init(name: String, count: Int64) {
        self.name = name
        self.count = count
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(name: try view.get("name"), count: try view.get("count"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("name", name)
        writer.put("count", count)
    }
}

/// A snapshot that somebody holds.
package struct PinInfo: WirePayload {
    package var client: String
    package var pid: Int32
    package var pin: Int64
    package var version: UInt64
    package var ageMilliseconds: Int64

    package init(client: String, pid: Int32, pin: Int64, version: UInt64, ageMilliseconds: Int64 = 0) {
        self.client = client
        self.pid = pid
        self.pin = pin
        self.version = version
        self.ageMilliseconds = ageMilliseconds
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            client: try view.get("client"), pid: try view.get("pid"), pin: try view.get("pin"),
            version: try view.get("version"), ageMilliseconds: try view.find("ageMs") ?? 0)
    }

    package func write(to writer: BSONWriter) {
        writer.put("client", client)
        writer.put("pid", pid)
        writer.put("pin", pin)
        writer.put("version", version)
        writer.put("ageMs", ageMilliseconds)
    }
}

/// The realms that the agent has open.
package struct RealmList: WireRequest {
    package typealias Reply = RealmListReply
    package static let method = Method.realmList

    /// Also those it knows from earlier.
    package var closed: Bool

    package init(closed: Bool = false) {
        self.closed = closed
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(closed: try view.find("closed") ?? false)
    }

    package func write(to writer: BSONWriter) {
        if closed { writer.put("closed", true) }
    }
}

/// Realms, by path.
package struct RealmListReply: WirePayload {
    package var realms: [RealmListEntry]

    package init(realms: [RealmListEntry]) {
        self.realms = realms
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(realms: try view.get("realms"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("realms", realms)
    }
}

/// One known realm.
package struct RealmListEntry: WirePayload {
    package var path: String
    package var open: Bool
    package var version: UInt64?
    package var fileSize: Int64
    package var handles: Int32
    package var inMemory: Bool
    package var encrypted: Bool

    package init(
        path: String, open: Bool = false, version: UInt64? = nil, fileSize: Int64 = 0, handles: Int32 = 0,
        inMemory: Bool = false, encrypted: Bool = false
    ) {
        self.path = path
        self.open = open
        self.version = version
        self.fileSize = fileSize
        self.handles = handles
        self.inMemory = inMemory
        self.encrypted = encrypted
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            path: try view.get("path"), open: try view.find("open") ?? false, version: try view.find("version"),
            fileSize: try view.find("fileSize") ?? 0, handles: try view.find("handles") ?? 0,
            inMemory: try view.find("inMemory") ?? false, encrypted: try view.find("encrypted") ?? false)
    }

    package func write(to writer: BSONWriter) {
        writer.put("path", path)
        if open { writer.put("open", true) }
        writer.put("version", version)
        writer.put("fileSize", fileSize)
        writer.put("handles", handles)
        if inMemory { writer.put("inMemory", true) }
        if encrypted { writer.put("encrypted", true) }
    }
}

/// The schema stored in a realm.
package struct RealmSchemaRequest: WireRequest {
    package typealias Reply = RealmSchemaReply
    package static let method = Method.realmSchema

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

/// All classes of the file.
package struct RealmSchemaReply: WirePayload {
    package var version: UInt64
    package var schemaVersion: UInt64
    package var schema: RealmSchema

    package init(version: UInt64, schemaVersion: UInt64, schema: RealmSchema) {
        self.version = version
        self.schemaVersion = schemaVersion
        self.schema = schema
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            version: try view.get("version"), schemaVersion: try view.get("schemaVersion"),
            schema: try view.get("schema"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("version", version)
        writer.put("schemaVersion", schemaVersion)
        writer.put("schema", schema)
    }
}
