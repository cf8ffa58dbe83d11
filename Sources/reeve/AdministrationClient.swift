import EventLoop
import Foundation
import Server

/// Has a server do what its owner wants: a running one by its socket, else on the data directory itself.
struct AdministrationClient {
    let dataDirectory: String

    /// Does a command and returns its answer as `JSONSerialization` has it.
    func perform(_ command: String, _ arguments: [String: String]) throws -> Any {
        let body = Array(Output.jsonText(arguments).utf8)
        if let answer = try askServer(command, body) { return try Self.result(answer) }
        guard FileManager.default.fileExists(atPath: dataDirectory) || command == "app.create" else {
            throw AdministrationError(message: "there is no data directory \(dataDirectory)")
        }
        return try Self.result(try performHere(command, body))
    }

    /// Asks a running server alone; nil if none runs.
    func ask(_ command: String, _ arguments: [String: String]) throws -> Any? {
        try askServer(command, Array(Output.jsonText(arguments).utf8)).map(Self.result)
    }

    private static func result(_ answer: Data) throws -> Any {
        let object = try JSONSerialization.jsonObject(with: answer) as? [String: Any]
        if let message = object?["error"] as? String { throw AdministrationError(message: message) }
        guard let result = object?["result"] else {
            throw AdministrationError(message: "the server's answer is no answer")
        }
        return result
    }

    // MARK: A running server

    /// Nil: none runs.
    private func askServer(_ command: String, _ body: [UInt8]) throws -> Data? {
        let path = DataDirectory.socketPath(dataDirectory)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw AdministrationError("no socket can be made") }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if status != 0 {
            guard errno == ENOENT || errno == ECONNREFUSED else {
                throw AdministrationError("\(path) can't be connected")
            }
            return nil
        }
        let head =
            "POST /\(command) HTTP/1.1\r\nHost: reeve\r\nConnection: close\r\nContent-Length: \(body.count)\r\n\r\n"
        try handle.write(contentsOf: Data(Array(head.utf8) + body))
        let answer = try handle.readToEnd() ?? Data()
        guard let end = answer.firstRange(of: Data("\r\n\r\n".utf8)) else {
            throw AdministrationError(message: "the server has ended before it answered; ask again")
        }
        return answer[end.upperBound...]
    }

    // MARK: No running server

    private func performHere(_ command: String, _ body: [UInt8]) throws -> Data {
        let outcome = Outcome()
        let directory = dataDirectory
        try EventLoop.shared.run {
            let administration = try ServerAdministration(dataDirectory: directory)
            administration.perform(command, try JSONValue(parsing: body)) { result in
                outcome.finish(result, administration)
            }
        }
        return outcome.wait()
    }

    /// Carries an answer from the loop to the thread that waits for it: written before the signal, read after it.
    private final class Outcome: @unchecked Sendable {
        private let done = DispatchSemaphore(value: 0)
        private var text = ""
        /// Has the directory open until the change is in it.
        private var administration: ServerAdministration?

        func finish(_ result: Result<JSONValue, ServerAdministration.Failure>, _ administration: ServerAdministration) {
            self.administration = administration
            let answer: JSONValue =
                switch result {
                case .success(let value): ["result": value]
                case .failure(let failure): ["error": .string(failure.description)]
                }
            text = answer.text
            done.signal()
        }

        func wait() -> Data {
            done.wait()
            return Data(text.utf8)
        }
    }
}

/// Why a server's owner didn't get what they asked for.
struct AdministrationError: Error, CustomStringConvertible {
    let description: String

    init(message: String) { description = message }

    /// What the system refused.
    init(_ what: String) { description = "\(what): \(String(cString: strerror(errno)))" }
}
