import Sync

/// What a server keeps of one client file (P-134).
struct ServerFile: Hashable {
    /// The secret that proves the ident.
    var salt: Int64
    /// Whose file it is.
    var user: String
    /// What is integrated of it: its version, and the server version that this was based on.
    var upload = UploadCursor()
    /// The oldest server version that it may still need.
    var lockedVersion: Int64 = 0
    /// When it was heard of last: milliseconds since 2015-01-01T00:00:00Z.
    var lastSeen: UInt64
    /// Deleted files and those that expired keep their ident, so that it is never given again.
    var isOrdinary = true
    /// Whether it has only been given its ident: it may begin with data that it didn't download by that.
    var isNew = true

    init(salt: Int64, user: String, lastSeen: UInt64) {
        self.salt = salt
        self.user = user
        self.lastSeen = lastSeen
    }

    init(_ bytes: UnsafeRawBufferPointer) throws {
        var reader = RecordReader(bytes)
        salt = try reader.number()
        upload = UploadCursor(client: try reader.number(), server: try reader.number())
        lockedVersion = try reader.number()
        lastSeen = try reader.number()
        let flags = try reader.number(UInt8.self)
        isOrdinary = flags & 1 != 0
        isNew = flags & 2 != 0
        user = String(decoding: try reader.counted(), as: UTF8.self)
    }

    var encoded: [UInt8] {
        var writer = RecordWriter()
        writer.append(salt)
        writer.append(upload.client)
        writer.append(upload.server)
        writer.append(lockedVersion)
        writer.append(lastSeen)
        writer.append(UInt8(isOrdinary ? 1 : 0) | UInt8(isNew ? 2 : 0))
        writer.append(counted: user.utf8)
        return writer.bytes
    }
}
