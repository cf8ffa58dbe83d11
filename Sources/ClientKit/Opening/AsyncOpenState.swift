import Foundation

/// How far `@AsyncOpen` or `@AutoOpen` has come.
public enum AsyncOpenState {
    /// On the way to the server.
    case connecting
    /// Nobody is logged in to the app. Goes on by itself when somebody is.
    case waitingForUser
    /// The realm is there.
    case open(Realm)
    /// Data are being downloaded.
    case progress(Progress)
    /// It could not be opened.
    case error(any Error)
}
