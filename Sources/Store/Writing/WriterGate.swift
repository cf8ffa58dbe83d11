import Foundation

/// Lets one writer in at a time; the others wait.
final class WriterGate: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let opened = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isTaken = false

    init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(opened, nil)
    }

    deinit {
        pthread_cond_destroy(opened)
        pthread_mutex_destroy(mutex)
        opened.deallocate()
        mutex.deallocate()
    }

    func enter() {
        pthread_mutex_lock(mutex)
        while isTaken { pthread_cond_wait(opened, mutex) }
        isTaken = true
        pthread_mutex_unlock(mutex)
    }

    func leave() {
        pthread_mutex_lock(mutex)
        isTaken = false
        pthread_cond_signal(opened)
        pthread_mutex_unlock(mutex)
    }
}
