import Foundation
import Store

/// A process that handles bus errors itself, for files of its own, and has a realm open as well.
enum ForeignFaults {
    nonisolated(unsafe) private static var handled = 0

    /// Reads the second page of a file that has one, after it was cut off.
    private static func fault(_ path: String) -> UInt8 {
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
        ftruncate(descriptor, off_t(2 * page))
        let memory = mmap(nil, 2 * page, PROT_READ, MAP_SHARED, descriptor, 0)
        ftruncate(descriptor, off_t(page))
        close(descriptor)
        return memory.map { $0.load(fromByteOffset: page, as: UInt8.self) } ?? 1
    }

    static func run(_ path: String) throws {
        var action = sigaction()
        action.__sigaction_handler.sa_sigaction = { _, information, _ in
            ForeignFaults.handled += 1
            let page = Int(sysconf(Int32(_SC_PAGESIZE)))
            guard let address = information?.pointee._sifields._sigfault.si_addr else { return }
            let start = UnsafeMutableRawPointer(bitPattern: UInt(bitPattern: address) & ~UInt(page - 1))
            mmap(start, page, PROT_READ, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        }
        action.sa_flags = SA_SIGINFO
        sigaction(SIGBUS, &action, nil)

        let file = try StoreChild.open(path)
        for number in 1...200 {
            _ = try StoreChild.commit(file, Int64(number), text: String(repeating: "x", count: 2_000))
        }
        let snapshot = try file.snapshot()
        guard fault(path + ".other") == 0, fault(path + ".other") == 0, handled == 2 else {
            return print("handled \(handled) faults of its own")
        }
        // The realm is guarded still.
        guard truncate(path, 8_192) == 0 else { return print("not truncated") }
        guard snapshot.checkInvariants() != [], handled == 2 else { return print("not guarded") }
        print("ok")
        fflush(nil)
        _exit(0)
    }
}
