import EventLoop
import Foundation

/// Takes the owner's commands on a socket in the data directory: `POST /COMMAND` with the arguments as JSON.
///
/// Whoever may open the socket is the owner: the directory and the socket are closed to others, and the kernel says who
/// is at the other end.
@LoopActor
final class AdministrationSocket {
    private let administration: ServerAdministration
    private let path: String
    private var server: HTTPServer?
    private let scheduler: any Scheduler
    private var listener: PipeListener?

    init(_ administration: ServerAdministration, at path: String, scheduler: any Scheduler) {
        self.administration = administration
        self.path = path
        self.scheduler = scheduler
    }

    /// The lock of the data directory makes sure that a socket which is there belongs to nobody any more.
    func start() throws {
        unlink(path)
        let server = HTTPServer(scheduler: scheduler) { [unowned self] exchange in handle(exchange) }
        self.server = server
        listener = try PipeListener(path: path, mode: 0o600) { connection in
            guard connection.peer?.uid == geteuid() || connection.peer?.uid == 0 else { return connection.close() }
            server.serve(connection)
        }
    }

    func close() {
        guard let listener else { return }
        self.listener = nil
        listener.close()
        unlink(path)
        server?.shutDown()
    }

    private func handle(_ exchange: HTTPExchange) {
        let request = exchange.request
        let command = String(request.path.dropFirst())
        guard request.method == "POST", let arguments = try? JSONValue(parsing: request.body) else {
            return exchange.respond(Self.answer(400, ["error": "a command is a POST with JSON"]))
        }
        administration.perform(command, arguments) { result in
            switch result {
            case .success(let value): exchange.respond(Self.answer(200, ["result": value]))
            case .failure(let failure): exchange.respond(Self.answer(400, ["error": .string(failure.description)]))
            }
        }
    }

    private static func answer(_ status: Int, _ body: JSONValue) -> HTTPResponse {
        HTTPResponse(status, headers: ["Content-Type": "application/json"], body: Array(body.text.utf8))
    }
}
