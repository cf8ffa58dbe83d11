import Sync

/// Running totals of what goes up and down in a session (P-130), in bytes of changesets.
struct SyncProgress: Hashable {
    private(set) var uploaded: Int64 = 0
    private(set) var uploadable: Int64 = 0
    private(set) var downloaded: Int64 = 0
    private(set) var downloadable: Int64 = 0
    /// Whether the server has said what there is to download (P-131).
    private(set) var isDownloadKnown = false
    private var unsent: Int64 = 0
    /// What was downloaded when everything had come.
    private var downloadedBefore: Int64 = 0

    /// Takes what waits to be uploaded now. True if that changes anything.
    mutating func see(unsentBytes: Int64) -> Bool {
        guard unsentBytes != unsent else { return false }
        if unsentBytes < unsent { uploaded += unsent - unsentBytes }
        unsent = unsentBytes
        uploadable = uploaded + unsent
        return true
    }

    /// A DOWNLOAD has been integrated.
    mutating func received(_ download: ServerMessage.Download) {
        isDownloadKnown = true
        downloaded += download.entries.reduce(0) { $0 + Int64($1.changeset.count) }
        switch download.contents {
        case .partition(let outstanding): downloadable = downloaded + Int64(outstanding)
        case .flexible(_, _, let estimate):
            if estimate > 0, estimate < 1 {
                let moved = Double(downloaded - downloadedBefore)
                downloadable = downloadedBefore + Int64(moved / max(estimate, 0.0001))
            } else {
                downloadable = downloaded
                downloadedBefore = downloaded
            }
        }
    }
}
