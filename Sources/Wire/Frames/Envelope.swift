/// What kind of message a frame is. Views point into the frame.
package enum UnsafeEnvelope {
    /// From a client; without id no reply is wanted. From the agent it is an event, never with id.
    case request(id: Int64?, method: String, params: UnsafeBSONView)
    case result(id: Int64, UnsafeBSONView)
    /// Without id it concerns the whole connection, which is closed next.
    case failure(id: Int64?, WireError)

    /// Validates a frame and reads its outermost fields. Throws `badFrame` or `badMessage`.
    package init(frame bytes: UnsafeRawBufferPointer, depthLimit: Int = UnsafeBSONView.depthLimit) throws(WireError) {
        let view: UnsafeBSONView
        do {
            view = try UnsafeBSONView(validating: bytes, depthLimit: depthLimit)
        } catch {
            throw WireError(error)
        }
        var id: UnsafeBSONView.Element?
        var method: UnsafeBSONView.Element?
        var params: UnsafeBSONView.Element?
        var result: UnsafeBSONView.Element?
        var failure: UnsafeBSONView.Element?
        for element in view {
            if element.hasKey("id") {
                id = id ?? element
            } else if element.hasKey("method") {
                method = method ?? element
            } else if element.hasKey("params") {
                params = params ?? element
            } else if element.hasKey("result") {
                result = result ?? element
            } else if element.hasKey("error") {
                failure = failure ?? element
            }
        }
        do throws(WireDecodingError) {
            let number = try Self.id(id)
            if let method {
                // Null is as good as missing.
                guard let params, params.type != .null else {
                    self = .request(id: number, method: try Self.name(method), params: .empty)
                    return
                }
                guard params.type == .document, let view = params.view else {
                    throw WireDecodingError(field: "params", expected: "document", found: "\(params.type)")
                }
                self = .request(id: number, method: try Self.name(method), params: view)
            } else if let failure {
                guard failure.type == .document, let view = failure.view else {
                    throw WireDecodingError(field: "error", expected: "document", found: "\(failure.type)")
                }
                self = .failure(id: number, try WireError(view))
            } else if let result {
                guard result.type == .document, let view = result.view else {
                    throw WireDecodingError(field: "result", expected: "document", found: "\(result.type)")
                }
                guard let number else { throw WireDecodingError(field: "id", expected: "int64", found: nil) }
                self = .result(id: number, view)
            } else {
                throw WireDecodingError(field: "method", expected: "string", found: nil)
            }
        } catch {
            throw WireError(
                .badMessage, "not a message: \(error)",
                facts: ["field": .string(error.field), "expected": .string(error.expected)])
        }
    }

    private static func id(_ element: UnsafeBSONView.Element?) throws(WireDecodingError) -> Int64? {
        guard let element, element.type != .null else { return nil }
        guard let id = try? Int64(field: element), id > 0 else {
            throw WireDecodingError(field: "id", expected: "int64 above 0", found: "\(element.type)")
        }
        return id
    }

    private static func name(_ element: UnsafeBSONView.Element) throws(WireDecodingError) -> String {
        guard element.type == .string, element.bytes.count <= 64 else {
            throw WireDecodingError(field: "method", expected: "string of at most 64 bytes", found: "\(element.type)")
        }
        return String(decoding: element.bytes, as: UTF8.self)
    }
}

extension WirePayload {
    /// Reads the payload of a reply or event on the client's side: wrong fields are the agent's fault there.
    package init(reply view: UnsafeBSONView) throws(WireError) {
        do {
            try self.init(view)
        } catch {
            throw WireError(
                .badReply, "the agent's reply is not understood: \(error)", facts: ["field": .string(error.field)])
        }
    }

    /// Reads parameters on the agent's side. Throws `badParams`.
    package init(params view: UnsafeBSONView) throws(WireError) {
        do {
            try self.init(view)
        } catch {
            throw WireError(error)
        }
    }
}
