import CUV

/// What libuv or the operating system refused, with the call that was refused.
package struct LoopError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The call, such as `bind`.
    package var operation: String
    /// A positive errno value.
    package var errorNumber: Int32
    /// The path, if the call had one.
    package var path: String?

    package init(_ operation: String, errorNumber: Int32, path: String? = nil) {
        self.operation = operation
        self.errorNumber = errorNumber
        self.path = path
    }

    /// From a libuv status, which is a negated errno value on Unix.
    init(_ operation: String, status: Int32, path: String? = nil) {
        self.init(operation, errorNumber: -status, path: path)
    }

    package var description: String {
        let reason = uv_strerror(-errorNumber).map { String(cString: $0) } ?? "error \(errorNumber)"
        guard let path else { return "\(operation): \(reason)" }
        return "\(operation) \(path): \(reason)"
    }
}
