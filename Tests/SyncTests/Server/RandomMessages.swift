import TestSupport

@testable import Sync

/// Messages that are well-formed, and mostly out of place.
struct RandomMessages {
    var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func chance(_ one: Int, in all: Int) -> Bool { Int.random(in: 0..<all, using: &generator) < one }

    mutating func small() -> Int64 {
        chance(1, in: 20) ? Int64.max : Int64.random(in: 0...6, using: &generator)
    }

    /// Seldom: the bytes of a message, a little changed, cut or longer, or others altogether.
    mutating func spoil(_ bytes: [UInt8]) -> [UInt8] {
        guard chance(1, in: 12) else { return bytes }
        var bytes = bytes
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes.removeLast(Int.random(in: 0...bytes.count, using: &generator))
        case 1: bytes += (0..<4).map { _ in UInt8.random(in: 0...255, using: &generator) }
        case 2: return (0..<40).map { _ in UInt8.random(in: 0...255, using: &generator) }
        default:
            guard let place = bytes.indices.randomElement(using: &generator) else { break }
            bytes[place] = UInt8.random(in: 0...255, using: &generator)
        }
        return bytes
    }

    mutating func client(_ agreed: SyncProtocol, files: [FileIdent]) -> ClientMessage {
        let session = Int64.random(in: 0...4, using: &generator)
        switch Int.random(in: 0..<11, using: &generator) {
        case 0, 1:
            return .bind(
                .init(session: session, path: agreed.isFlexible ? "{}" : "\"p\"", needsIdent: chance(1, in: 2)))
        case 2, 3:
            let file = files.randomElement(using: &generator) ?? FileIdent(number: small(), salt: small())
            let isNew = chance(3, in: 4)
            return .ident(
                .init(
                    session: session, file: file,
                    download: isNew ? DownloadCursor() : DownloadCursor(server: small(), client: small()),
                    latest: isNew ? SaltedVersion() : SaltedVersion(version: small(), salt: small()),
                    query: agreed.isFlexible ? .init(version: small(), text: "{}") : nil))
        case 4, 5:
            let count = Int64.random(in: 0...3, using: &generator)
            let base = small()
            let isRight = chance(3, in: 4)
            let entries = (0..<count).map { index in
                UploadEntry(
                    cursor: UploadCursor(client: isRight ? base &+ index &+ 1 : small(), server: isRight ? 0 : small()),
                    timestamp: small(), changeset: [UInt8](repeating: 1, count: Int(index)))
            }
            return .upload(
                .init(
                    session: session,
                    progress: UploadCursor(client: isRight ? 10 : small(), server: isRight ? 0 : small()),
                    lockedServerVersion: isRight ? 0 : small(), entries: entries))
        case 6: return .mark(session: session, request: small())
        case 7: return .unbind(session: session)
        case 8: return .ping(timestamp: small(), roundTrip: small())
        case 9:
            return chance(1, in: 2)
                ? .testCommand(session: session, request: small(), body: "{}")
                : .error(code: SyncErrorCode(rawValue: 212), session: session, message: "m")
        default:
            return agreed.isFlexible
                ? .query(session: session, .init(version: small(), text: "{}")) : .mark(session: session, request: 1)
        }
    }
}
