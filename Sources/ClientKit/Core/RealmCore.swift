import Model
import Query
import Store

/// What `Realm` values share: one per file and thread, queue or actor; one more per frozen version.
///
/// Everything read from it belongs to the confinement that it was opened for; `check()` enforces that. Calls
/// that take an object (class, key) expect a live one unless they say otherwise.
package final class RealmCore: @unchecked Sendable {
    /// Read by inlined accessors; valid as long as the core.
    package let access: UnsafeMutablePointer<RealmAccess>

    package init() {
        access = .allocate(capacity: 1)
        access.initialize(to: RealmAccess(thread: 0, generation: 1))
    }

    deinit {
        access.deallocate()
    }
}
