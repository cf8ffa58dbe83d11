import Foundation

/// How far the server is with a set of subscriptions.
public enum SyncSubscriptionState: Equatable, Sendable {
    /// The objects of all subscriptions are here.
    case complete
    /// The server has refused the set, and says why; the one before stays in force. Another update may mend it.
    case error(Error)
    /// Stored, and on its way: the server hasn't sent everything yet.
    case pending
    /// A later set has taken its place.
    case superseded

    public static func == (a: SyncSubscriptionState, b: SyncSubscriptionState) -> Bool {
        switch (a, b) {
        case (.complete, .complete), (.pending, .pending), (.superseded, .superseded): true
        case (.error(let a), .error(let b)): a.localizedDescription == b.localizedDescription
        default: false
        }
    }
}

/// When `Results.subscribe` waits for the server's data.
public enum WaitForSyncMode: Sendable {
    /// If the subscription is new, or has got another query.
    case onCreation
    /// Each time.
    case always
    /// It returns at once.
    case never
}
