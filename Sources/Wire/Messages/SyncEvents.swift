import Model

/// The session or the connection of a synced realm has another state, or data has moved. For handles opened with
/// `events`.
package struct SyncChanged: WireEvent {
    package static let event = Event.syncChanged

    package var realm: Int32
    package var session: SyncSessionState
    package var connection: SyncConnectionState
    /// Bytes of changesets, running totals as P-130 counts them.
    package var uploaded: Int64
    package var uploadable: Int64
    package var downloaded: Int64
    package var downloadable: Int64
    /// Whether the server has said by now what there is to download (P-131).
    package var isDownloadKnown: Bool

    package init(
        realm: Int32, session: SyncSessionState, connection: SyncConnectionState, uploaded: Int64 = 0,
        uploadable: Int64 = 0, downloaded: Int64 = 0, downloadable: Int64 = 0, isDownloadKnown: Bool = true
    ) {
        self.isDownloadKnown = isDownloadKnown
        self.realm = realm
        self.session = session
        self.connection = connection
        self.uploaded = uploaded
        self.uploadable = uploadable
        self.downloaded = downloaded
        self.downloadable = downloadable
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            realm: try view.get("realm"), session: try view.get("session"), connection: try view.get("connection"),
            uploaded: try view.get("uploaded"), uploadable: try view.get("uploadable"),
            downloaded: try view.get("downloaded"), downloadable: try view.get("downloadable"),
            isDownloadKnown: try view.find("downloadKnown") ?? true)
    }

    package func write(to writer: BSONWriter) {
        writer.put("realm", realm)
        writer.put("session", session)
        writer.put("connection", connection)
        writer.put("uploaded", uploaded)
        writer.put("uploadable", uploadable)
        writer.put("downloaded", downloaded)
        writer.put("downloadable", downloadable)
        if !isDownloadKnown { writer.put("downloadKnown", false) }
    }
}

/// An object whose changes the server has undone (P-78).
package struct RejectedObject: WirePayload {
    package var className: String
    package var key: PrimaryKey?
    package var reason: String

    package init(className: String, key: PrimaryKey?, reason: String) {
        self.className = className
        self.key = key
        self.reason = reason
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(className: try view.get("class"), key: try view.find("key"), reason: try view.get("reason"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("class", className)
        writer.put("key", key)
        writer.put("reason", reason)
    }
}

/// An error of a synced realm that the app should hear of. For handles opened with `events`.
package struct SyncFailed: WireEvent {
    package static let event = Event.syncFailed

    package var realm: Int32
    /// Name of the error as the original has it (P-126).
    package var status: String
    /// Its number on the wire, if the server sent it.
    package var code: Int32?
    package var message: String
    package var logURL: String?
    /// Whether the session has stopped.
    package var isFatal: Bool
    /// What is to be done about it (P-81).
    package var action: String
    package var rejected: [RejectedObject]
    /// Where a copy of the realm is put before the file is deleted, if it is to be reset by hand.
    package var recovery: String?

    package init(
        realm: Int32, status: String, code: Int32? = nil, message: String, logURL: String? = nil, isFatal: Bool,
        action: String, rejected: [RejectedObject] = [], recovery: String? = nil
    ) {
        self.recovery = recovery
        self.realm = realm
        self.status = status
        self.code = code
        self.message = message
        self.logURL = logURL
        self.isFatal = isFatal
        self.action = action
        self.rejected = rejected
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            realm: try view.get("realm"), status: try view.get("status"), code: try view.find("code"),
            message: try view.get("message"), logURL: try view.find("logURL"), isFatal: try view.get("isFatal"),
            action: try view.get("action"), rejected: try view.find("rejected") ?? [],
            recovery: try view.find("recovery"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("realm", realm)
        writer.put("status", status)
        writer.put("code", code)
        writer.put("message", message)
        writer.put("logURL", logURL)
        writer.put("isFatal", isFatal)
        writer.put("action", action)
        if !rejected.isEmpty { writer.put("rejected", rejected) }
        writer.put("recovery", recovery)
    }
}

/// A synced realm is about to be given the server's state. For handles opened with `resetBlocks`: each is to look at
/// the realm as it is, and then says `proceed` by `sync.control`.
package struct SyncResetting: WireEvent {
    package static let event = Event.syncResetting

    package var realm: Int32

    package init(realm: Int32) {
        self.realm = realm
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) { self.init(realm: try view.get("realm")) }

    package func write(to writer: BSONWriter) { writer.put("realm", realm) }
}

/// A synced realm has been given the server's state. For handles opened with `events`.
package struct SyncReset: WireEvent {
    package static let event = Event.syncReset

    package var realm: Int32
    /// Whether unsynced changes were kept, should there have been any.
    package var recovered: Bool

    package init(realm: Int32, recovered: Bool) {
        self.realm = realm
        self.recovered = recovered
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(realm: try view.get("realm"), recovered: try view.get("recovered"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("realm", realm)
        writer.put("recovered", recovered)
    }
}
