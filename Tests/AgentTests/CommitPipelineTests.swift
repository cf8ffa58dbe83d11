import Testing

@testable import Agent

/// Which commits a sync covers.
@Suite struct CommitPipelineTests {
    @Test func nothingIsAcknowledgedBeforeASyncThatBeganAfterIt() {
        var pipeline = CommitPipeline<String>(version: 5)
        pipeline.didCommit(6, "a")
        #expect(pipeline.beginSync() == 6)
        pipeline.didCommit(7, "b")
        #expect(pipeline.beginSync() == nil)
        #expect(pipeline.didSync(through: 6) == ["a"])
        #expect(!pipeline.isDurable)
        #expect(pipeline.beginSync() == 7)
        #expect(pipeline.didSync(through: 7) == ["b"])
        #expect(pipeline.isDurable)
    }

    @Test func oneSyncCoversAllBeforeItInOrder() {
        var pipeline = CommitPipeline<Int>(version: 0)
        for version in 1...4 { pipeline.didCommit(UInt64(version), version) }
        #expect(pipeline.beginSync() == 4)
        #expect(pipeline.didSync(through: 4) == [1, 2, 3, 4])
        #expect(pipeline.beginSync() == nil)
    }

    @Test func anEmptyTransactionWaitsForTheVersionThatItSaw() {
        var pipeline = CommitPipeline<String>(version: 0)
        pipeline.didCommit(1, "writer")
        pipeline.didCommit(1, "reader")
        #expect(pipeline.beginSync() == 1)
        #expect(pipeline.didSync(through: 1) == ["writer", "reader"])
        pipeline.didCommit(1, "late")
        #expect(pipeline.beginSync() == nil)
        #expect(pipeline.didSync(through: 1) == ["late"])
    }

    @Test func afterAFailedSyncNobodyIsAcknowledgedAndTheNextSyncTriesAgain() {
        var pipeline = CommitPipeline<String>(version: 0)
        pipeline.didCommit(1, "a")
        pipeline.didCommit(2, "b")
        #expect(pipeline.beginSync() == 2)
        #expect(pipeline.fail() == ["a", "b"])
        #expect(pipeline.durable == 0)
        #expect(pipeline.beginSync() == 2)
        #expect(pipeline.didSync(through: 2) == [])
        #expect(pipeline.durable == 2)
    }

    @Test func afterAFailedSyncThereIsNothingToWaitFor() {
        // Else the realm would never be closed, and the agent never end.
        var pipeline = CommitPipeline<String>(version: 0)
        #expect(pipeline.isSettled)
        pipeline.didCommit(1, "a")
        #expect(!pipeline.isSettled)
        #expect(pipeline.beginSync() == 1)
        #expect(!pipeline.isSettled)
        #expect(pipeline.fail() == ["a"])
        #expect(pipeline.isSettled && !pipeline.isDurable)
        // One that was under way then waits for its own failure.
        pipeline.didCommit(2, "b")
        #expect(!pipeline.isSettled)
        #expect(pipeline.beginSync() == 2)
        #expect(pipeline.fail() == ["b"])
        #expect(pipeline.isSettled)
    }
}
