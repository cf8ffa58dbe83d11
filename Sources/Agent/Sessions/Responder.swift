import EventLoop
import Foundation
import Store
import Wire

/// Where the answer to one request goes. Answers exactly once; after the connection's end it does nothing.
@LoopActor
struct Responder {
    let session: ClientSession
    /// Nil: the client wants no answer.
    let id: Int64?

    func succeed(_ payload: some WirePayload) {
        guard let id, session.isOpen else { return }
        session.send(id: id) { try session.server.encoder.result(payload, id: id, send: $0) }
    }

    /// With a descriptor that now belongs to the connection.
    func succeed(_ payload: some WirePayload, descriptor: Int32) {
        guard let id, session.isOpen else {
            close(descriptor)
            return
        }
        session.answered(id)
        do {
            try session.server.encoder.result(payload, id: id) {
                session.connection.write($0, descriptor: descriptor)
            }
        } catch {
            close(descriptor)
            session.fail(id, WireError(reporting: error))
        }
    }

    /// With a frame that was built elsewhere for this request.
    func succeed(frame: [UInt8]) {
        guard let id, session.isOpen else { return }
        session.answered(id)
        session.connection.write(frame)
    }

    func fail(_ error: any Error) {
        guard session.isOpen else { return }
        guard let id else { return session.logDropped(error) }
        session.answered(id)
        session.fail(id, WireError(reporting: error))
    }
}
