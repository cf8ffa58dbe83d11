/// A changeset on its way to the server (P-53).
package struct UploadEntry: Hashable, Sendable {
    /// The client version and the last server version integrated before it.
    package var cursor: UploadCursor
    /// Milliseconds since 2015-01-01T00:00:00Z.
    package var timestamp: Int64
    /// 0: made on the connected client.
    package var originFile: Int64
    package var changeset: [UInt8]

    package init(cursor: UploadCursor, timestamp: Int64, originFile: Int64 = 0, changeset: [UInt8]) {
        self.cursor = cursor
        self.timestamp = timestamp
        self.originFile = originFile
        self.changeset = changeset
    }
}

/// A changeset on its way to a client (P-65).
package struct DownloadEntry: Hashable, Sendable {
    /// The server version it makes, and the last version of the receiver that was integrated before it.
    package var cursor: DownloadCursor
    /// Milliseconds since 2015-01-01T00:00:00Z, as the originating client gave it.
    package var timestamp: Int64
    /// Never 0 and never the receiver; 1 is the server itself.
    package var originFile: Int64
    /// Bytes before the server compacted it.
    package var originalSize: Int64
    package var changeset: [UInt8]

    package init(
        cursor: DownloadCursor, timestamp: Int64, originFile: Int64, originalSize: Int64? = nil, changeset: [UInt8]
    ) {
        self.cursor = cursor
        self.timestamp = timestamp
        self.originFile = originFile
        self.originalSize = originalSize ?? Int64(changeset.count)
        self.changeset = changeset
    }
}
