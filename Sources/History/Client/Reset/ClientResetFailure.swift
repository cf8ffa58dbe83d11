/// Why an automatic client reset didn't happen: the file is as it was, and the manual way is left.
package struct ClientResetFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package struct Code: RawRepresentable, Hashable, Sendable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }
        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The server doesn't allow that unsynced changes are recovered, and the mode doesn't allow that they go.
        package static let recoveryNotAllowed = Code("recoveryNotAllowed")
        /// The last reset of the same kind was never seen to end well.
        package static let cycle = Code("cycle")
        /// Local classes or properties can't be brought to the server's.
        package static let incompatibleSchema = Code("incompatibleSchema")
        /// An unsynced change can't be carried out any more.
        package static let notRecoverable = Code("notRecoverable")
        /// The fresh file can't be made, or holds no complete download.
        package static let noFreshFile = Code("noFreshFile")
        /// Reading or writing failed.
        package static let storage = Code("storage")
    }

    package var code: Code
    /// For people.
    package var message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
