/// The checks of UPLOAD, and what they remember of a session (P-55).
struct UploadCheck {
    /// The progress of the last UPLOAD of the session.
    private var progress = UploadCursor()
    private var lockedVersion: Int64 = 0
    private let file: Int64

    init(file: Int64) { self.file = file }

    /// `position` is the server version that the client can have been sent.
    mutating func take(_ upload: ClientMessage.Upload, position: Int64) throws(SessionFailure) {
        func demand(_ isRight: Bool, _ code: SyncErrorCode, _ message: String) throws(SessionFailure) {
            guard isRight else { throw SessionFailure(code, message + " (UPLOAD)") }
        }
        try demand(upload.progress.client >= progress.client, .badClientVersion, "Progress goes back")
        try demand(upload.progress.server <= position, .badServerVersion, "Progress is ahead of what was sent")
        try demand(progress.canPrecede(upload.progress), .badServerVersion, "Progress is not consistent")
        try demand(
            upload.lockedServerVersion >= lockedVersion && upload.lockedServerVersion <= position, .badServerVersion,
            "Bad locked server version")
        var last = progress
        for entry in upload.entries {
            try demand(entry.cursor.client > last.client, .badClientVersion, "Client versions don't increase")
            try demand(last.canPrecede(entry.cursor), .badServerVersion, "Server versions go back")
            try demand(
                entry.originFile == 0 || entry.originFile == file, .badOriginFileIdent, "Bad origin file identifier")
            last = entry.cursor
        }
        try demand(last.client <= upload.progress.client, .badClientVersion, "A changeset is beyond the progress")
        try demand(
            last.canPrecede(upload.progress), .badServerVersion, "A changeset is not consistent with the progress")
        progress = upload.progress
        lockedVersion = upload.lockedServerVersion
    }
}
