/// What must hold between a DOWNLOAD and what the client has integrated before (P-69). The client demands it, and the
/// server checks itself by it: an original client that receives anything else gives up the connection.
struct DownloadCheck: Hashable, Sendable {
    /// The last integrated progress.
    var download = DownloadCursor()
    var latest = SaltedVersion()
    var upload = UploadCursor()
    /// The receiving file.
    var file: Int64

    /// The number of the violated check of P-69, nil if all hold. `newestVersion` is that of the client file.
    func violation(of message: ServerMessage.Download, newestVersion: Int64? = nil) -> Int? {
        if message.latest.version < latest.version { return 2 }
        if message.upload.client < upload.client { return 3 }
        if let newestVersion, message.upload.client > newestVersion { return 4 }
        if message.progress.server < download.server { return 5 }
        if message.progress.server > message.latest.version { return 6 }
        if message.progress.client < download.client { return 7 }
        if message.progress.client > message.upload.client { return 8 }
        if message.progress.server < message.upload.server { return 9 }
        let allowsEqual: Bool
        if case .flexible = message.contents { allowsEqual = true } else { allowsEqual = false }
        var last = download
        for entry in message.entries {
            let isAfter = entry.cursor.server > last.server || (allowsEqual && entry.cursor.server == last.server)
            guard isAfter, entry.cursor.server > 0, entry.cursor.server <= message.progress.server else { return 10 }
            guard entry.cursor.client >= last.client, entry.cursor.client <= message.progress.client else { return 11 }
            guard entry.originFile > 0, entry.originFile != file else { return 12 }
            last = entry.cursor
        }
        return nil
    }

    /// The message has been integrated, or will be before anything that follows it is checked.
    mutating func advance(by message: ServerMessage.Download) {
        download = message.progress
        latest = message.latest
        upload = message.upload
    }
}
