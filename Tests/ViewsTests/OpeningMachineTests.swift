import ClientKit
import Foundation
import Testing

/// `@AsyncOpen` and `@AutoOpen` as tables of events and actions.
@Suite struct OpeningMachineTests {
    struct Failure: Error, Equatable {
        let name: String
    }

    private func words(_ machine: OpeningMachine) -> String {
        switch machine.state {
        case .waitingForUser: "waiting"
        case .connecting: "connecting"
        case .progress(let fraction): "progress \(fraction)"
        case .open: "open"
        case .failed(let error): "failed \((error as? Failure)?.name ?? "?")"
        }
    }

    @Test("S14 UI-03: waits for a user, connects, reports progress, opens") func opens() {
        var machine = OpeningMachine(fallsBack: false)
        #expect(machine.handle(.user(nil)) == [])
        #expect(words(machine) == "waiting")
        #expect(machine.handle(.user("ann")) == [.download(attempt: 1, user: "ann"), .limitTime(attempt: 1)])
        #expect(words(machine) == "connecting")
        #expect(machine.handle(.progress(attempt: 1, 0.5)) == [])
        #expect(words(machine) == "progress 0.5")
        #expect(machine.handle(.timeout(attempt: 1, Failure(name: "late"))) == [])
        #expect(machine.handle(.opened(attempt: 1)) == [])
        #expect(words(machine) == "open")
        #expect(machine.handle(.progress(attempt: 1, 0.7)) == [] && words(machine) == "open")
    }

    @Test("S21 UI-01: without network AsyncOpen ends in an error, and what comes later changes nothing")
    func asyncOpenOffline() {
        var machine = OpeningMachine(fallsBack: false)
        _ = machine.handle(.user("ann"))
        #expect(machine.handle(.timeout(attempt: 1, Failure(name: "late"))) == [.stop(attempt: 1)])
        #expect(words(machine) == "failed late")
        #expect(machine.handle(.opened(attempt: 1)) == [] && words(machine) == "failed late")
        #expect(
            machine.handle(.failed(attempt: 1, Failure(name: "cancelled"))) == [] && words(machine) == "failed late")
    }

    @Test("S23 UI-02: without network AutoOpen opens the local file, and fails only if that fails too")
    func autoOpenOffline() {
        for (event, end) in [
            (OpeningMachine.Event.opened(attempt: 2), "open"),
            (.failed(attempt: 2, Failure(name: "disk")), "failed disk")
        ] {
            var machine = OpeningMachine(fallsBack: true)
            _ = machine.handle(.user("ann"))
            #expect(
                machine.handle(.timeout(attempt: 1, Failure(name: "late")))
                    == [.stop(attempt: 1), .openLocal(attempt: 2, user: "ann")])
            #expect(words(machine) == "connecting")
            // The cancelled download is not what is waited for.
            #expect(machine.handle(.failed(attempt: 1, Failure(name: "cancelled"))) == [])
            #expect(words(machine) == "connecting")
            #expect(machine.handle(event) == [] && words(machine) == end)
        }
        var machine = OpeningMachine(fallsBack: true)
        _ = machine.handle(.user("ann"))
        #expect(
            machine.handle(.failed(attempt: 1, Failure(name: "refused"))) == [.openLocal(attempt: 2, user: "ann")])
    }

    @Test("S23 UI-03: offline and without user it goes on waiting") func nobody() {
        var machine = OpeningMachine(fallsBack: true)
        #expect(machine.handle(.user(nil)) == [] && machine.handle(.otherRealm) == [])
        #expect(words(machine) == "waiting" && machine.revision <= 1)
    }

    @Test("UI-03: logging out goes back to waiting, another user opens anew, the same one changes nothing")
    func users() {
        var machine = OpeningMachine(fallsBack: false)
        _ = machine.handle(.user("ann"))
        _ = machine.handle(.opened(attempt: 1))
        #expect(machine.handle(.user("ann")) == [] && words(machine) == "open")
        #expect(
            machine.handle(.user("ben"))
                == [.stop(attempt: 1), .download(attempt: 2, user: "ben"), .limitTime(attempt: 2)])
        #expect(words(machine) == "connecting")
        #expect(machine.handle(.opened(attempt: 1)) == [] && words(machine) == "connecting")
        #expect(machine.handle(.user(nil)) == [.stop(attempt: 2)] && words(machine) == "waiting")
        #expect(machine.handle(.opened(attempt: 2)) == [] && words(machine) == "waiting")
        #expect(
            machine.handle(.user("ann"))
                == [.stop(attempt: 2), .download(attempt: 3, user: "ann"), .limitTime(attempt: 3)])
    }

    @Test("S19 UI-04: another partition opens anew") func otherRealm() {
        var machine = OpeningMachine(fallsBack: false)
        _ = machine.handle(.user("ann"))
        _ = machine.handle(.opened(attempt: 1))
        #expect(
            machine.handle(.otherRealm)
                == [.stop(attempt: 1), .download(attempt: 2, user: "ann"), .limitTime(attempt: 2)])
        #expect(words(machine) == "connecting")
    }

    @Test("UI-05: nothing comes after cancel") func cancel() {
        var machine = OpeningMachine(fallsBack: true)
        _ = machine.handle(.user("ann"))
        #expect(machine.handle(.cancel) == [.stop(attempt: 1)])
        for event in [OpeningMachine.Event.opened(attempt: 1), .user("ben"), .otherRealm, .cancel] {
            #expect(machine.handle(event) == [])
        }
        #expect(words(machine) == "connecting")
    }

    @Test("UI-03: progress stays between 0 and 1") func progress() {
        var machine = OpeningMachine(fallsBack: false)
        _ = machine.handle(.user("ann"))
        for (given, shown) in [(-1.0, "progress 0.0"), (0.25, "progress 0.25"), (7, "progress 1.0")] {
            _ = machine.handle(.progress(attempt: 1, given))
            #expect(words(machine) == shown)
        }
    }
}
