import Foundation
import TestSupport
import Testing

@testable import EventLoop

@Suite("Running out of descriptors")
struct ExhaustionTests {
    /// In a process of its own, since the limit is one of the process.
    @Test("those connected are served, newcomers are refused politely, and served again once descriptors are free")
    func exhaustion() async {
        await #expect(processExitsWith: .success) {
            let directory = TemporaryDirectory()
            let path = directory.path("s")
            let listener = try onLoop {
                let listener = try PipeListener(path: path) { $0.start(delegate: Recorder.echo()) }
                listener.refusal = [0xEE]
                return listener
            }
            let served = try Peer(path: path)
            try #require(served.send([1]) && served.receive(1) == [1])
            let newcomers = (0..<3).map { _ in unconnectedSocket() }
            let hog = takeAllDescriptors()
            // Refused, by the spare descriptor.
            // All of them stay: closing one would free a descriptor.
            let refused = try newcomers.map { try Peer(connecting: $0, to: path) }
            for peer in refused { try #require(peer.receiveAll().bytes == [0xEE]) }
            try #require(try onLoop { listener.refusedCount } == 3)
            // Served all the same.
            try #require(served.send([2]) && served.receive(1) == [2])
            for descriptor in hog { close(descriptor) }
            let late = try Peer(path: path)
            try #require(late.send([3]) && late.receive(1) == [3])
            withExtendedLifetime(refused) {}
        }
    }

    @Test("when even the spare is lost nothing spins, and service resumes")
    func spareLost() async {
        await #expect(processExitsWith: .success) {
            let directory = TemporaryDirectory()
            let path = directory.path("s")
            let listener = try onLoop { try PipeListener(path: path) { $0.start(delegate: Recorder.echo()) } }
            try onLoop { listener.giveUpSpare() }
            let socket = unconnectedSocket()
            let hog = takeAllDescriptors()
            let late = try Peer(connecting: socket, to: path)
            try #require(late.send([7]))
            let before = processorTime()
            // A quarter of a second in which a spinning loop would burn as much processor time.
            usleep(250_000)
            try #require(processorTime() - before < 100_000_000)
            for descriptor in hog { close(descriptor) }
            try #require(late.receive(1) == [7])
        }
    }
}

/// A socket made while there still are descriptors.
private func unconnectedSocket() -> Int32 {
    socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
}

/// Duplicates a descriptor until the process may have no more.
private func takeAllDescriptors() -> [Int32] {
    var limit = rlimit(rlim_cur: 256, rlim_max: 256)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    var taken: [Int32] = []
    while true {
        let descriptor = open("/dev/null", O_RDONLY)
        if descriptor < 0 {
            precondition(errno == EMFILE && !taken.isEmpty, "descriptors are not exhausted")
            return taken
        }
        taken.append(descriptor)
    }
}

/// Nanoseconds of processor time that the process has used.
private func processorTime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}
