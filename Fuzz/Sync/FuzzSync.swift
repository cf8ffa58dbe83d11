import Sync

/// Any bytes as a message of the sync protocol: the first one tells of which kind of sync and version, and from whom. It is
/// refused, or comes back from its own bytes as the same message; and either machine survives it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSync(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: size))
    guard let first = bytes.first else { return 0 }
    let versions = SyncProtocol.versions
    let agreed = SyncProtocol(
        first & 1 == 0 ? .partition : .flexible, version: versions.lowerBound + Int(first >> 2) % versions.count)
    let message = Array(bytes.dropFirst())
    if first & 2 == 0 {
        SyncFuzzing.fromClient(message, agreed)
    } else {
        SyncFuzzing.fromServer(message, agreed)
    }
    return 0
}

enum SyncFuzzing {
    static func fromClient(_ bytes: [UInt8], _ agreed: SyncProtocol) {
        if let message = try? ClientMessage(decoding: bytes, for: agreed) {
            let again = try? ClientMessage(decoding: message.encoded(), for: agreed)
            guard again == message else { fatalError("\(message) comes back as another one") }
        }
        var server = ServerConnection(agreed, requestId: "", now: .zero)
        _ = server.received(bytes, now: .zero)
        while server.hasOutput { _ = server.nextMessage(now: .zero) }
    }

    static func fromServer(_ bytes: [UInt8], _ agreed: SyncProtocol) {
        if let message = try? ServerMessage(decoding: bytes, for: agreed) {
            let again = try? ServerMessage(decoding: message.encoded(for: agreed), for: agreed)
            guard again == message else { fatalError("\(message) comes back as another one") }
        }
        var client = ClientConnection(agreed.mode, jitter: { 0 })
        var file = ClientFile(newestVersion: 5)
        file.ident = FileIdent(number: 2, salt: 3)
        _ = client.add(ClientSessionOptions(session: 1, path: "{}"), file: file, now: .zero)
        _ = client.connected(agreed, now: .zero)
        while client.hasOutput { _ = client.nextMessage(now: .zero) }
        _ = client.received(bytes, now: .zero)
        while client.hasOutput { _ = client.nextMessage(now: .zero) }
    }
}
