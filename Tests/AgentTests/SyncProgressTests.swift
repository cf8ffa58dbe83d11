import Sync
import Testing

@testable import Agent

/// What those who show progress are told (P-130).
@Suite struct SyncProgressTests {
    private func download(_ bytes: Int, _ contents: ServerMessage.Contents) -> ServerMessage.Download {
        ServerMessage.Download(
            session: 1, progress: DownloadCursor(server: 1), latest: SaltedVersion(), upload: UploadCursor(),
            contents: contents,
            entries: [
                DownloadEntry(
                    cursor: DownloadCursor(server: 1), timestamp: 0, originFile: 1,
                    changeset: [UInt8](repeating: 0, count: bytes))
            ])
    }

    @Test("by partition, the server says how many bytes are still to come") func partition() {
        var progress = SyncProgress()
        progress.received(download(10, .partition(downloadableBytes: 30)))
        #expect(progress.downloaded == 10 && progress.downloadable == 40)
        progress.received(download(30, .partition(downloadableBytes: 0)))
        #expect(progress.downloaded == 40 && progress.downloadable == 40)
    }

    @Test("under flexible sync, it says which part of a bootstrap has come") func flexible() {
        var progress = SyncProgress()
        func receive(_ bytes: Int, _ batch: ServerMessage.BatchState, _ estimate: Double) {
            progress.received(download(bytes, .flexible(queryVersion: 1, batch: batch, estimate: estimate)))
        }
        receive(100, .steadyState, 1)
        #expect(progress.downloaded == 100 && progress.downloadable == 100)
        receive(50, .moreToCome, 0.25)
        #expect(progress.downloaded == 150 && progress.downloadable == 300)
        receive(50, .moreToCome, 0.5)
        #expect(progress.downloaded == 200 && progress.downloadable == 300)
        receive(100, .lastInBatch, 1)
        #expect(progress.downloaded == 300 && progress.downloadable == 300)
        // The next bootstrap begins from there.
        receive(10, .moreToCome, 0.1)
        #expect(progress.downloaded == 310 && progress.downloadable == 400)
        // A server that can't say.
        receive(10, .moreToCome, 0)
        #expect(progress.downloaded == 320 && progress.downloadable == 320)
    }

    @Test("what goes up counts as uploaded when it waits no longer") func upload() {
        var progress = SyncProgress()
        let first = progress.see(unsentBytes: 20)
        #expect(first && progress.uploaded == 0 && progress.uploadable == 20)
        let second = progress.see(unsentBytes: 5)
        #expect(second && progress.uploaded == 15 && progress.uploadable == 20)
        let third = progress.see(unsentBytes: 5)
        #expect(!third)
    }
}
