import Foundation
import Model
import Testing

@testable import Sync

/// The examples of the protocol document, section 19, and what its tables demand.
struct WorkedMessageTests {
    private let partition = SyncProtocol(.partition)
    private let flexible = SyncProtocol(.flexible)

    /// Creates class `Item` and its object 7.
    private let changeset: [UInt8] = [
        0x3f, 0x00, 0x04, 0x49, 0x74, 0x65, 0x6d, 0x3f, 0x01, 0x03, 0x5f, 0x69, 0x64, 0x00, 0x00, 0x00, 0x01, 0x01,
        0x00, 0x02, 0x00, 0x01, 0x07
    ]

    private func bytes(_ head: String, _ body: [UInt8] = []) -> [UInt8] { Array(head.utf8) + body }

    @Test func `a PBS DOWNLOAD with one changeset (19.4)`() throws {
        let message = ServerMessage.download(
            .init(
                session: 1, progress: DownloadCursor(server: 9, client: 4),
                latest: SaltedVersion(version: 9, salt: 88_172_645_463_325_252), upload: UploadCursor(client: 4),
                contents: .partition(downloadableBytes: 0),
                entries: [
                    DownloadEntry(
                        cursor: DownloadCursor(server: 9, client: 4), timestamp: 354_000_000_000, originFile: 1,
                        changeset: changeset)
                ]))
        let expected = bytes("download 1 9 4 9 88172645463325252 4 0 0 0 48 0\n9 4 354000000000 1 23 23 ", changeset)
        #expect(message.encoded(for: partition) == expected)
        #expect(try ServerMessage(decoding: expected, for: partition) == message)
    }

    @Test func `an FLX bootstrap of one empty entry (19.5, F-31)`() throws {
        let expected = bytes("download 1 1 0 1 88172645463325252 0 0 0 1 1 0 23 0\n1 0 354000000000 1 0 0 ")
        let message = try ServerMessage(decoding: expected, for: flexible)
        guard case .download(let download) = message else {
            Issue.record("\(message)")
            return
        }
        #expect(download.contents == .flexible(queryVersion: 0, batch: .lastInBatch, estimate: 1))
        #expect(download.entries.map(\.changeset) == [[]])
        #expect(message.encoded(for: flexible) == expected)
    }

    @Test func `below version 12 the estimate is the integer 0 (P-29)`() throws {
        let old = SyncProtocol(.flexible, version: 11)
        let message = ServerMessage.download(
            .init(
                session: 1, progress: DownloadCursor(server: 1), latest: SaltedVersion(version: 1, salt: 5),
                upload: UploadCursor(), contents: .flexible(queryVersion: 0, batch: .lastInBatch, estimate: 1)))
        let expected = bytes("download 1 1 0 1 5 0 0 0 1 0 0 0 0\n")
        #expect(message.encoded(for: old) == expected)
        #expect(try ServerMessage(decoding: expected, for: old) == message)
    }

    @Test func `estimates in all their spellings (P-31)`() throws {
        for (text, value) in [("0", 0), ("1.0", 1), ("0.25", 0.25), ("1e-05", 1e-05)] {
            let message = try ServerMessage(
                decoding: bytes("download 1 1 0 1 5 0 0 0 0 \(text) 0 0 0\n"), for: flexible)
            guard case .download(let download) = message else { continue }
            #expect(download.contents == .flexible(queryVersion: 0, batch: .moreToCome, estimate: value))
        }
        for text in ["1.1", "-0.5", "nan", "inf", "0x1p-2", "", String(repeating: "0", count: 40)] {
            #expect(throws: SyncMessageError.self, "\(text)") {
                try ServerMessage(decoding: bytes("download 1 1 0 1 5 0 0 0 0 \(text) 0 0 0\n"), for: flexible)
            }
        }
    }

    @Test func `errors as JSON, byte for byte (19.6)`() throws {
        var reset = ErrorBody(.badClientFileIdent, "Bad client file identifier (IDENT)")
        reset.logURL = "https://sync.example.net/logs?co_id=65f0"
        #expect(
            ServerMessage.jsonError(code: .badClientFileIdent, session: 1, reset).encoded(for: flexible)
                == bytes(
                    "json_error 208 196 1\n{\"message\":\"Bad client file identifier (IDENT)\",\"tryAgain\":false,"
                        + "\"logURL\":\"https://sync.example.net/logs?co_id=65f0\",\"shouldClientReset\":true,"
                        + "\"isRecoveryModeDisabled\":false,\"action\":\"ClientReset\"}"))
        var undo = ErrorBody(
            .compensatingWrite, "Client attempted a write that is not allowed; it has been reverted")
        undo.logURL = "https://sync.example.net/logs?co_id=65f0"
        undo.rejectedClientVersion = 4
        undo.compensatingWriteServerVersion = 10
        undo.rejectedUpdates = [
            try #require(
                RejectedUpdate(
                    table: "Item", key: .int(7), reason: "write to 7 in table \"Item\" not allowed"))
        ]
        let encoded = ServerMessage.jsonError(code: .compensatingWrite, session: 1, undo).encoded(for: flexible)
        #expect(String(decoding: encoded, as: UTF8.self).hasPrefix("json_error 231 387 1\n{\"message\":"))
        #expect(
            try ServerMessage(decoding: encoded, for: flexible)
                == .jsonError(code: .compensatingWrite, session: 1, undo))
    }

    @Test func `each of the six keys of an error is required, with its type (P-78)`() throws {
        let all = [
            "\"message\":\"m\"", "\"logURL\":\"\"", "\"tryAgain\":true", "\"shouldClientReset\":false",
            "\"isRecoveryModeDisabled\":false", "\"action\":\"Transient\""
        ]
        func decode(_ keys: [String], code: Int = 200) throws -> ServerMessage {
            let body = "{\(keys.joined(separator: ","))}"
            return try ServerMessage(decoding: bytes("json_error \(code) \(body.utf8.count) 1\n\(body)"), for: flexible)
        }
        #expect(throws: Never.self) { try decode(all) }
        for (index, key) in all.enumerated() {
            let name = key.prefix { $0 != ":" }
            for bad in [nil, "\(name):null", "\(name):7", "\(name):[]"] {
                let keys = all.enumerated().compactMap { $0.offset == index ? bad : $0.element }
                #expect(throws: SyncMessageError.self, "\(keys)") { try decode(keys) }
            }
        }
        for code in [231, 232, 236] {
            #expect(throws: SyncMessageError.self, "\(code)") { try decode(all, code: code) }
        }
        #expect(throws: SyncMessageError.self) { try decode(all + ["\"backoffIntervalSec\":1"]) }
        #expect(throws: SyncMessageError.self) { try decode(all + ["\"partitionQuery\":\"\""], code: 232) }
    }

    @Test func `primary keys of undone objects (P-80)`() throws {
        let keys: [(PrimaryKey, String)] = [
            (.null, "AA=="), (.int(7), "AQc="), (.int(64), "AcAA"), (.int(-1), "AUA="), (.string("ab"), "AwJhYg=="),
            (.objectId(try #require(ObjectId("64f1b6c2d3e4f5a697887960"))), "CmTxtsLT5PWml4h5YA=="),
            (.uuid(try #require(UUID(uuidString: "3b241101-e2bb-4255-8caf-4136c566a962"))), "CzskEQHiu0JVjK9BNsVmqWI=")
        ]
        for (key, text) in keys {
            let update = try #require(RejectedUpdate(table: "T", key: key, reason: ""))
            #expect(update.pk == text)
            #expect(update.key == key)
        }
        for value in [Int64.min, .max, -64, -65, 63, 8191, 8192] {
            #expect(RejectedUpdate(table: "T", key: .int(value), reason: "")?.key == .int(value))
        }
        #expect(RejectedUpdate(table: "T", key: .global(high: 1, low: 2), reason: "") == nil)
        for bytes in [[], [1], [1, 0x80], [3, 5, 97], [10, 1], [99, 0], [1, 7, 7]] as [[UInt8]] {
            #expect(PrimaryKeyBytes.decoded(bytes) == nil)
        }
        #expect(PrimaryKeyBytes.decoded([1] + [UInt8](repeating: 0xff, count: 12)) == nil)
    }

    @Test func `a compressed UPLOAD (19.7)`() throws {
        let entries = (4...39).map {
            UploadEntry(
                cursor: UploadCursor(client: Int64($0), server: 0), timestamp: 354_000_000_000, changeset: changeset)
        }
        let message = ClientMessage.upload(
            .init(session: 1, progress: UploadCursor(client: 39), lockedServerVersion: 0, entries: entries))
        let encoded = message.encoded()
        #expect(encoded.count < 400)
        let head = String(decoding: encoded.prefix { $0 != 10 }, as: UTF8.self)
        #expect(head.hasPrefix("upload 1 1 ") && head.hasSuffix(" 39 0 0"))
        #expect(Array(encoded[(head.utf8.count + 1)...].prefix(2)) == [0x78, 0x01])
        #expect(try ClientMessage(decoding: encoded, for: partition) == message)
    }

    @Test func `partition values (P-42)`() throws {
        let id = try #require(ObjectId("64f1b6c2d3e4f5a697887960"))
        let uuid = try #require(UUID(uuidString: "3b241101-e2bb-4255-8caf-4136c566a962"))
        let values: [(PartitionValue, String)] = [
            (.string("shop 12"), "\"shop 12\""), (.int(42), "{\"$numberLong\":\"42\"}"),
            (.objectId(id), "{\"$oid\":\"64f1b6c2d3e4f5a697887960\"}"),
            (.uuid(uuid), "{\"$binary\":{\"base64\":\"OyQRAeK7QlWMr0E2xWapYg==\",\"subType\":\"04\"}}"),
            (.null, "null"), (.string("\"\\\n\u{1}ü"), "\"\\\"\\\\\\n\\u0001ü\"")
        ]
        for (value, text) in values {
            #expect(value.text == text)
            #expect(PartitionValue(text: text) == value)
        }
        #expect(PartitionValue(text: "{\"$uuid\":\"3B241101-e2bb-4255-8caf-4136c566a962\"}") == .uuid(uuid))
        let bad = [
            "", "/path", "42", "true", "[]", "{}", "{\"$oid\":\"64\"}", "{\"$numberLong\":42}",
            "{\"$numberLong\":\"x\"}",
            "{\"$binary\":{\"base64\":\"AA==\",\"subType\":\"04\"}}", "{\"$oid\":\"a\",\"$uuid\":\"b\"}",
            String(repeating: "[", count: 8000)
        ]
        for text in bad { #expect(PartitionValue(text: text) == nil, "\(text)") }
    }

    @Test func `the JSON of a flexible BIND (P-43)`() throws {
        #expect(FlexibleBind().text == "{\"schemaVersion\":0,\"sessionReason\":0}")
        let migrated = FlexibleBind(migratedPartition: "\"shop\"", schemaVersion: 2, sessionReason: 1)
        #expect(migrated.text == "{\"migratedPartition\":\"\\\"shop\\\"\",\"schemaVersion\":2,\"sessionReason\":1}")
        #expect(try FlexibleBind(text: migrated.text) == migrated)
        #expect(try FlexibleBind(text: "{\"new\":[1]}") == FlexibleBind())
        #expect(throws: SyncMessageError.self) { try FlexibleBind(text: "/path") }
    }
}
