import Foundation
import Wire

/// A reply that some thread waits for. Everything is guarded by the link's lock.
final class PendingReply {
    enum Outcome {
        case frame([UInt8], descriptor: Int32?)
        case failure(WireError)
    }

    var outcome: Outcome?
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
    }

    func wait(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) {
        pthread_cond_wait(condition, mutex)
    }

    func signal() {
        pthread_cond_signal(condition)
    }
}
