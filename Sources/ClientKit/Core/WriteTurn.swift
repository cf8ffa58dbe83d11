import Foundation

/// Lets the threads of this process that want to write a file take turns, in the order in which they came: the agent
/// sees one writer per process.
final class WriteTurn: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var nextTicket: UInt64 = 0
    private var serving: UInt64 = 0

    init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Waits for its turn.
    func begin() {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        let ticket = nextTicket
        nextTicket += 1
        while serving != ticket { pthread_cond_wait(condition, mutex) }
    }

    /// Ends the turn. Any thread.
    func end() {
        pthread_mutex_lock(mutex)
        serving += 1
        let isWanted = serving != nextTicket
        pthread_mutex_unlock(mutex)
        if isWanted { pthread_cond_broadcast(condition) }
    }
}
