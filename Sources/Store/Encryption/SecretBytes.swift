import CSodium

/// Memory for a key: locked where the system allows it, in no core dump, wiped when nobody holds it any more.
final class SecretBytes: @unchecked Sendable {
    let count: Int
    // Written by the initializer alone.
    private let start: UnsafeMutableRawPointer

    /// `fill` writes all of the bytes.
    init(count: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Void) {
        SecretBytes.prepare()
        guard let start = sodium_malloc(count) else { preconditionFailure("no memory for \(count) bytes of a key") }
        self.count = count
        self.start = start
        fill(start.assumingMemoryBound(to: UInt8.self))
    }

    deinit {
        sodium_free(start)
    }

    /// Valid as long as the object lives.
    var pointer: UnsafePointer<UInt8> { UnsafePointer(start.assumingMemoryBound(to: UInt8.self)) }

    private static let isPrepared = sodium_init() >= 0

    /// Must have run before anything else of the library.
    static func prepare() {
        precondition(isPrepared, "libsodium can't be initialized")
    }
}
