/// How `@AsyncOpen` and `@AutoOpen` come to a realm: waits for a user, downloads, and may fall back on the local file.
/// Pure: what happens comes in as events, what to do goes out as actions.
package struct OpeningMachine {
    /// What a view is to show.
    package enum State {
        case waitingForUser
        case connecting
        /// How far the download is, 0 to 1.
        case progress(Double)
        case open
        case failed(any Error)
    }

    /// Each attempt to open has a number; what a former one still reports is of no interest.
    package enum Event {
        /// The current user, at the beginning and whenever it changes; nil if nobody is logged in.
        case user(String?)
        /// Another realm is asked for.
        case otherRealm
        case progress(attempt: Int, Double)
        case opened(attempt: Int)
        case failed(attempt: Int, any Error)
        /// The time is over that a connection may take.
        case timeout(attempt: Int, any Error)
        case cancel
    }

    package enum Action: Equatable {
        /// Download everything and open. Ends with `opened` or `failed`.
        case download(attempt: Int, user: String)
        /// Send `timeout` when the time is over.
        case limitTime(attempt: Int)
        /// Open what is there, or a new file. Ends with `opened` or `failed`.
        case openLocal(attempt: Int, user: String)
        /// Forget the attempt.
        case stop(attempt: Int)
    }

    private enum Phase {
        case waiting
        /// `isConnected`: the server has sent something, so that time is no longer limited.
        case downloading(isConnected: Bool)
        case fallingBack
        case done
        case cancelled
    }

    private let fallsBack: Bool
    private var phase = Phase.waiting
    private var user: String?
    private var attempt = 0
    package private(set) var state = State.waitingForUser { didSet { revision += 1 } }
    /// Counts the states.
    package private(set) var revision = 0

    /// `fallsBack`: whether the local file is opened if the download fails.
    package init(fallsBack: Bool) {
        self.fallsBack = fallsBack
    }

    package mutating func handle(_ event: Event) -> [Action] {
        if case .cancelled = phase { return [] }
        switch event {
        case .user(let user):
            if user == self.user { return [] }
            self.user = user
            return begin()
        case .otherRealm: return begin()
        case .progress(attempt, let fraction):
            guard case .downloading = phase else { return [] }
            phase = .downloading(isConnected: true)
            state = .progress(min(max(fraction, 0), 1))
            return []
        case .opened(attempt):
            switch phase {
            case .downloading, .fallingBack: break
            case .waiting, .done, .cancelled: return []
            }
            phase = .done
            state = .open
            return []
        case .failed(attempt, let error): return failed(error)
        case .timeout(attempt, let error):
            guard case .downloading(isConnected: false) = phase else { return [] }
            return [.stop(attempt: attempt)] + failed(error)
        case .cancel:
            let running = attempt
            phase = .cancelled
            return running > 0 ? [.stop(attempt: running)] : []
        case .progress, .opened, .failed, .timeout: return []
        }
    }

    private mutating func begin() -> [Action] {
        var actions: [Action] = []
        if attempt > 0 { actions.append(.stop(attempt: attempt)) }
        guard let user else {
            phase = .waiting
            state = .waitingForUser
            return actions
        }
        attempt += 1
        phase = .downloading(isConnected: false)
        state = .connecting
        return actions + [.download(attempt: attempt, user: user), .limitTime(attempt: attempt)]
    }

    private mutating func failed(_ error: any Error) -> [Action] {
        switch phase {
        case .downloading:
            guard fallsBack, let user else { break }
            // The download may still report, of an attempt that nobody waits for.
            attempt += 1
            phase = .fallingBack
            state = .connecting
            return [.openLocal(attempt: attempt, user: user)]
        case .fallingBack: break
        case .waiting, .done, .cancelled: return []
        }
        phase = .done
        state = .failed(error)
        return []
    }
}
