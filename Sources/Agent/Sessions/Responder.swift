import EventLoop
import Foundation
import Store
import Wire

/// Where the answer to one request goes. Answers exactly once; after the connection's end it does nothing.
@LoopActor
struct Responder {
    let session: ClientSession
    /// Nil: the client wants no answer, but the request counts as under way until there is one.
    let id: Int64?
    /// Length of the request's frame.
    let bytes: Int

    func succeed(_ payload: some WirePayload) {
        succeed { try session.server.encoder.result(payload, id: $0, send: $1) }
    }

    /// With what came of it.
    func answer(_ outcome: Result<some WirePayload, some Error>) {
        switch outcome {
        case .success(let payload): succeed(payload)
        case .failure(let error): fail(error)
        }
    }

    /// With a frame that `build` makes and sends; a failure to make it becomes the answer.
    func succeed(building build: (Int64, (UnsafeRawBufferPointer) throws -> Void) throws -> Void) {
        guard session.isOpen else { return }
        defer { session.answered(bytes) }
        guard let id else { return }
        do {
            try build(id) { session.connection.write($0) }
        } catch {
            session.fail(id, WireError(reporting: error))
        }
    }

    /// With a descriptor that now belongs to the connection.
    func succeed(_ payload: some WirePayload, descriptor: Int32) {
        guard let id, session.isOpen else {
            close(descriptor)
            if session.isOpen { session.answered(bytes) }
            return
        }
        defer { session.answered(bytes) }
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
        guard session.isOpen else { return }
        defer { session.answered(bytes) }
        if id != nil { session.connection.write(frame) }
    }

    func fail(_ error: any Error) {
        guard session.isOpen else { return }
        defer { session.answered(bytes) }
        guard let id else { return session.logDropped(error) }
        session.fail(id, WireError(reporting: error))
    }
}
