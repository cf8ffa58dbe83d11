import Foundation

/// Memory for what lives as long as a transaction. Larger pieces are kept for the next one: getting them anew from the
/// system costs, in page faults, more than what is then written into them.
///
/// Unsafe as any memory. From any thread.
public enum UnsafePooledMemory {
    /// Smaller pieces are left to the allocator, as are pieces above `largest`.
    public static let smallest = 32 << 10
    public static let largest = 4 << 20
    /// What is kept at most.
    public static let keptBytes = 8 << 20

    /// Memory of at least so many bytes, aligned to 16, with whatever was in it.
    public static func allocate(_ count: Int) -> UnsafeMutableRawBufferPointer {
        guard count >= smallest, count <= largest else {
            return .allocate(byteCount: count, alignment: 16)
        }
        let order = Int.bitWidth - (count - 1).leadingZeroBitCount
        if let kept = pool.take(order) { return UnsafeMutableRawBufferPointer(start: kept, count: 1 << order) }
        return .allocate(byteCount: 1 << order, alignment: 16)
    }

    /// Ends the use of memory that `allocate` returned.
    public static func deallocate(_ memory: UnsafeMutableRawBufferPointer) {
        guard memory.count >= smallest, memory.count <= largest, let start = memory.baseAddress,
            pool.keep(start, memory.count.trailingZeroBitCount)
        else { return memory.deallocate() }
    }

    /// Bytes that wait for their next use.
    public static var bytesAtHand: Int { pool.byteCount }

    private static let pool = Pool()

    /// Free pieces by size, a power of two. A pthread mutex, since thread sanitizer doesn't see
    /// `Synchronization.Mutex` on Linux.
    private final class Pool: @unchecked Sendable {
        private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        private var free: [[UnsafeMutableRawPointer]] = Array(repeating: [], count: 64)
        private var bytes = 0

        init() {
            pthread_mutex_init(mutex, nil)
        }

        func take(_ order: Int) -> UnsafeMutableRawPointer? {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            guard let memory = free[order].popLast() else { return nil }
            bytes -= 1 << order
            return memory
        }

        /// False if there is enough.
        func keep(_ memory: UnsafeMutableRawPointer, _ order: Int) -> Bool {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            guard bytes + 1 << order <= keptBytes else { return false }
            bytes += 1 << order
            free[order].append(memory)
            return true
        }

        var byteCount: Int {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return bytes
        }
    }
}
