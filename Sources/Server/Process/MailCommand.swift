import EventLoop
import Foundation

/// Hands mails to a program of the server's owner, which sends them: one run for each, a JSON document on its standard
/// input, `{"kind": "confirm" | "reset", "app", "email", "token", "tokenId"}`.
@LoopActor
final class MailCommand {
    /// Runs at a time.
    static let runLimit = 4
    /// Mails that wait for one; further ones are dropped, and the log says so.
    static let queueLimit = 1_000

    private let program: String
    private let log: ServerLog
    private var waiting: [AuthMail] = []
    private var running = 0

    init(_ program: String, log: ServerLog) {
        self.program = program
        self.log = log
    }

    func send(_ mail: AuthMail) {
        guard waiting.count < Self.queueLimit else {
            return log.warning("mail.dropped", ["app": mail.appId, "kind": mail.kind.rawValue])
        }
        waiting.append(mail)
        runNext()
    }

    private func runNext() {
        guard running < Self.runLimit, !waiting.isEmpty else { return }
        running += 1
        let mail = waiting.removeFirst()
        let document: JSONValue = [
            "kind": .string(mail.kind.rawValue), "app": .string(mail.appId), "email": .string(mail.email),
            "token": .string(mail.token), "tokenId": .string(mail.tokenId)
        ]
        let input = Data(document.text.utf8)
        // Starting a process, and writing to it, may take a while.
        DispatchQueue.global().async { [program] in
            let failure = Self.run(program, input)
            EventLoop.shared.post { [self] in
                if let failure {
                    log.error("mail.failed", ["app": mail.appId, "kind": mail.kind.rawValue, "error": failure])
                }
                running -= 1
                runNext()
            }
        }
    }

    /// Nil, or what went wrong.
    private nonisolated static func run(_ program: String, _ input: Data) -> String? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        let pipe = Pipe()
        process.standardInput = pipe
        process.standardOutput = FileHandle.nullDevice
        do {
            try process.run()
            try pipe.fileHandleForWriting.write(contentsOf: input)
            try pipe.fileHandleForWriting.close()
        } catch {
            return "\(error)"
        }
        process.waitUntilExit()
        return process.terminationStatus == 0 ? nil : "exit status \(process.terminationStatus)"
    }
}
