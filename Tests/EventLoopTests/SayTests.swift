import CPlatform
import Foundation
import TestSupport
import Testing

/// Text for people, when nobody is there to take it.
@Suite("Saying") struct SayTests {
    private let text = [UInt8](repeating: UInt8(ascii: "x"), count: 100)

    @Test("a reader that is gone, or a full disk, costs the text and nothing else")
    func nobody() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        close(ends[0])
        // As in an app: the signal would end it.
        let former = signal(SIGPIPE, SIG_DFL)
        defer { signal(SIGPIPE, former) }
        reeve_say(ends[1], text, text.count)
        close(ends[1])
        let full = open("/dev/full", O_WRONLY)
        #expect(full >= 0)
        reeve_say(full, text, text.count)
        close(full)
        var mask = sigset_t()
        pthread_sigmask(SIG_SETMASK, nil, &mask)
        #expect(sigismember(&mask, SIGPIPE) == 0)
    }

    @Test("what is said arrives whole")
    func whole() throws {
        let directory = TemporaryDirectory()
        let file = open(directory.path("log"), O_WRONLY | O_CREAT, 0o600)
        let long = Array(repeating: text, count: 10_000).flatMap { $0 }
        reeve_say(file, long, long.count)
        close(file)
        #expect(try Data(contentsOf: URL(fileURLWithPath: directory.path("log"))).elementsEqual(long))
    }
}
