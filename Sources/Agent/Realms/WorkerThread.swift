import Foundation

/// A thread that does one job after another, in order, and sleeps while there is none.
///
/// Not a dispatch queue: LMDB wants a write transaction to begin and end on the same thread.
final class WorkerThread: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var jobs: [@Sendable () -> Void] = []
    private var running = 0
    private var isFinished = false
    private let name: String
    private var hasStarted = false

    /// Queries recurse as deep as their text is nested, so a thread gets what a main thread has.
    private static let stackSize = 8 << 20

    /// The thread starts with its first job.
    init(_ name: String) {
        self.name = name
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Jobs that wait or run.
    var load: Int {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return jobs.count + running
    }

    func perform(_ job: @escaping @Sendable () -> Void) {
        pthread_mutex_lock(mutex)
        precondition(!isFinished, "a job for thread \(name), which has finished")
        let wasEmpty = jobs.isEmpty
        jobs.append(job)
        let mustStart = !hasStarted
        hasStarted = true
        pthread_mutex_unlock(mutex)
        if mustStart {
            // The running thread keeps the object alive.
            let thread = Thread { self.run() }
            thread.name = name
            thread.stackSize = Self.stackSize
            thread.start()
        } else if wasEmpty {
            pthread_cond_signal(condition)
        }
    }

    /// Ends the thread when what it was given is done.
    func finish() {
        pthread_mutex_lock(mutex)
        isFinished = true
        pthread_mutex_unlock(mutex)
        pthread_cond_signal(condition)
    }

    private func run() {
        var batch: [@Sendable () -> Void] = []
        while true {
            pthread_mutex_lock(mutex)
            running = 0
            while jobs.isEmpty, !isFinished { pthread_cond_wait(condition, mutex) }
            swap(&batch, &jobs)
            running = batch.count
            pthread_mutex_unlock(mutex)
            if batch.isEmpty { return }
            // Each is let go as it is done: somebody may wait for a snapshot that it holds.
            batch.reverse()
            while let job = batch.popLast() { job() }
            if batch.capacity > 256 { batch = [] }
        }
    }
}
