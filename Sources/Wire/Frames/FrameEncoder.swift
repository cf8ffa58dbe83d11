/// Builds frames, one after another in the same memory. Not for several threads at once.
package final class FrameEncoder {
    /// Frames beyond this throw `frameTooLarge` instead of being built.
    package var frameLimit: Int
    private let writer = BSONWriter()

    package init(frameLimit: Int = Int(Limits().frame)) {
        self.frameLimit = frameLimit
    }

    /// A request, or with `id` nil one that wants no reply. `send` gets the frame in place.
    package func request<Request: WireRequest, Result>(
        _ request: Request, id: Int64?, send: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        try frame(send) { writer in
            if let id { writer.int64("id", id) }
            writer.string("method", Request.method.rawValue)
            writer.document("params") { request.write(to: $0) }
        }
    }

    /// A result.
    package func result<Result>(
        _ payload: some WirePayload, id: Int64, send: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        try result(id: id, writing: { payload.write(to: $0) }, send: send)
    }

    /// A result written field by field, for large ones that are not collected in a struct first.
    package func result<Result>(
        id: Int64, writing body: (BSONWriter) throws -> Void, send: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        try frame(send) { writer in
            writer.int64("id", id)
            try writer.document("result", body)
        }
    }

    /// A refusal; with `id` nil it concerns the connection.
    package func failure<Result>(
        _ error: WireError, id: Int64?, send: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        try frame(send) { writer in
            if let id { writer.int64("id", id) }
            writer.document("error") { error.write(to: $0) }
        }
    }

    package func event<Payload: WireEvent, Result>(
        _ payload: Payload, send: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        try frame(send) { writer in
            writer.string("method", Payload.event.rawValue)
            writer.document("params") { payload.write(to: $0) }
        }
    }

    /// An event written field by field.
    package func event<Result>(
        name: Event, writing body: (BSONWriter) throws -> Void, send: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        try frame(send) { writer in
            writer.string("method", name.rawValue)
            try writer.document("params", body)
        }
    }

    private func frame<Result>(
        _ send: (UnsafeRawBufferPointer) throws -> Result, _ body: (BSONWriter) throws -> Void
    ) throws -> Result {
        // A body that threw may have left half a document: forget it before, not after.
        writer.reset()
        try body(writer)
        do {
            return try writer.withBytes { bytes in
                guard bytes.count <= frameLimit else { throw Self.tooLarge(bytes.count, limit: frameLimit) }
                return try send(bytes)
            }
        } catch let error as BSONError {
            if error.reason == .tooLarge { throw Self.tooLarge(Int(Int32.max), limit: frameLimit) }
            throw WireError(.badParams, "the message can't be built: \(error)")
        }
    }

    static func tooLarge(_ size: Int, limit: Int) -> WireError {
        WireError(
            .frameTooLarge, "a message of \(size) bytes is beyond the limit of \(limit); split it",
            facts: ["size": .int64(Int64(size)), "limit": .int64(Int64(limit))])
    }
}

extension WireRequest {
    /// The request's frame as bytes of its own.
    package func frame(id: Int64?) throws -> [UInt8] {
        try FrameEncoder().request(self, id: id) { Array($0) }
    }
}
