import Foundation
import Wire

/// A user who was to go has changes that aren't on the server yet: nothing was done. See `User.logOut(unsentChanges:)`.
///
///     do {
///         try await user.logOut()
///     } catch let pending as PendingUploads {
///         // Ask, then:
///         try await user.logOut(unsentChanges: .discard)
///     }
public struct PendingUploads: Error, Sendable, Hashable {
    /// Transactions that wait.
    public let count: Int
    /// The files of the realms that they were made in.
    public let realms: [URL]
    let message: String

    init(_ error: WireError) {
        var count = 0
        if case .int64(let number)? = error.facts["transactions"] { count = Int(clamping: number) }
        var paths: [URL] = []
        if case .array(let values)? = error.facts["paths"] {
            paths = values.compactMap { if case .string(let path) = $0 { URL(fileURLWithPath: path) } else { nil } }
        }
        self.count = count
        realms = paths
        message = error.message
    }
}

extension PendingUploads: LocalizedError, CustomStringConvertible {
    public var errorDescription: String? { message }
    public var description: String { "PendingUploads(\(count)): \(message)" }
}
