import EventLoop
import Foundation
import Wire

extension WireError {
    /// The refusal that a client gets for an error of any kind.
    init(reporting error: any Error, path: String? = nil) {
        switch error {
        case let error as WireError: self = error
        case let error as LoopError:
            self.init(.ioError, error.description, facts: ["errno": .int32(error.errorNumber)])
        case let error as WireDecodingError: self.init(error)
        default: self.init(.internalError, "\(error)")
        }
    }
}
