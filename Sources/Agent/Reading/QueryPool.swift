/// Two threads for work that would hold up the loop: queries, verification, copies.
struct QueryPool: Sendable {
    private let threads = [WorkerThread("reeve-read-1"), WorkerThread("reeve-read-2")]

    /// Runs the job on the thread that has less to do.
    func perform(_ job: @escaping @Sendable () -> Void) {
        threads.min { $0.load < $1.load }?.perform(job)
    }
}
