import Store
import Sync

/// What a client file keeps once (P-85).
struct ClientState: Hashable {
    /// Nil until the server has given one.
    var ident: FileIdent?
    var download = DownloadCursor()
    var latest = SaltedVersion()
    var upload = UploadCursor()

    private static let kind: UInt32 = 0x434C_4901

    init() {}

    /// Nil if the realm was never synced.
    init?(_ snapshot: Snapshot) throws {
        guard let bytes = snapshot.syncRecord(HistoryKey.state) else { return nil }
        var reader = RecordReader(bytes)
        guard try reader.number() == ClientState.kind else { throw HistoryError.notThisKind("one of a sync client") }
        let ident = FileIdent(number: try reader.number(), salt: try reader.number())
        self.ident = ident.number == 0 ? nil : ident
        download = DownloadCursor(server: try reader.number(), client: try reader.number())
        latest = SaltedVersion(version: try reader.number(), salt: try reader.number())
        upload = UploadCursor(client: try reader.number(), server: try reader.number())
    }

    var encoded: [UInt8] {
        var writer = RecordWriter()
        writer.append(ClientState.kind)
        for number in [
            ident?.number ?? 0, ident?.salt ?? 0, download.server, download.client, latest.version, latest.salt,
            upload.client, upload.server
        ] { writer.append(number) }
        return writer.bytes
    }

    /// The state of a copy that another device goes on from: what the server has is known, but nothing was ever sent, and
    /// the server doesn't know the file.
    var withoutIdent: ClientState {
        var next = ClientState()
        next.download.server = download.server
        next.latest = latest
        return next
    }

    /// The state once a download is integrated.
    func advanced(by download: ServerMessage.Download) -> ClientState {
        var next = self
        next.download = download.progress
        next.latest = download.latest
        next.upload = download.upload
        return next
    }
}
