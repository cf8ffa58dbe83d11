import Foundation

@testable import Sync

/// A message in the form of `decoded` of the golden data, from what our decoder made of its bytes.
enum MessageDescription {
    /// `bytes` tells the sizes, which our messages don't keep.
    static func of(_ message: ClientMessage, bytes: [UInt8]) -> [String: Any] {
        switch message {
        case .bind(let bind):
            var fields: [String: Any] = [
                "message": "BIND", "session": bind.session, "path_size": bind.path.utf8.count,
                "token_size": bind.token.utf8.count, "need_file_ident": bind.needsIdent ? 1 : 0,
                "is_subserver": bind.isSubserver ? 1 : 0, "token": bind.token
            ]
            let json = try? JSONSerialization.jsonObject(with: Data(bind.path.utf8), options: .fragmentsAllowed)
            if let json { fields["json"] = json } else { fields["path"] = bind.path }
            return fields
        case .ident(let ident):
            var fields: [String: Any] = [
                "message": "IDENT", "session": ident.session, "file_ident": ident.file.number,
                "salt": ident.file.salt, "download_server_version": ident.download.server,
                "download_client_version": ident.download.client, "latest_server_version": ident.latest.version,
                "latest_server_version_salt": ident.latest.salt
            ]
            if let query = ident.query { fields.merge(describe(query)) { $1 } }
            return fields
        case .query(let session, let query):
            return ["message": "QUERY", "session": session].merging(describe(query)) { $1 }
        case .upload(let upload):
            let entries: [[String: Any]] = upload.entries.map { entry in
                [
                    "client_version": entry.cursor.client, "server_version": entry.cursor.server,
                    "origin_timestamp": entry.timestamp, "origin_file_ident": entry.originFile,
                    "size": entry.changeset.count
                ]
            }
            return [
                "message": "UPLOAD", "session": upload.session, "progress_client_version": upload.progress.client,
                "progress_server_version": upload.progress.server,
                "locked_server_version": upload.lockedServerVersion, "changesets": entries
            ].merging(sizes(bytes, at: 2)) { $1 }
        case .mark(let session, let request): return ["message": "MARK", "session": session, "request": request]
        case .unbind(let session): return ["message": "UNBIND", "session": session]
        case .ping(let timestamp, let roundTrip):
            return ["message": "PING", "timestamp": timestamp, "rtt": roundTrip]
        case .error(let code, let session, let text):
            return [
                "message": "JSON_ERROR", "code": code.rawValue, "session": session, "json": ["message": text],
                "size": token(bytes, 2)
            ]
        case .testCommand: return [:]
        }
    }

    static func of(_ message: ServerMessage, bytes: [UInt8]) -> [String: Any] {
        switch message {
        case .ident(let session, let file):
            return ["message": "IDENT", "session": session, "file_ident": file.number, "salt": file.salt]
        case .download(let download):
            let entries: [[String: Any]] = download.entries.map { entry in
                [
                    "server_version": entry.cursor.server, "client_version": entry.cursor.client,
                    "origin_timestamp": entry.timestamp, "origin_file_ident": entry.originFile,
                    "original_size": entry.originalSize, "size": entry.changeset.count
                ]
            }
            var fields: [String: Any] = [
                "message": "DOWNLOAD", "session": download.session,
                "download_server_version": download.progress.server,
                "download_client_version": download.progress.client,
                "latest_server_version": download.latest.version,
                "latest_server_version_salt": download.latest.salt,
                "upload_client_version": download.upload.client, "upload_server_version": download.upload.server,
                "changesets": entries
            ]
            switch download.contents {
            case .partition(let bytes): fields["downloadable_bytes"] = bytes
            case .flexible(let version, let batch, let estimate):
                fields["query_version"] = version
                fields["batch_state"] = batch.rawValue
                fields["progress_estimate"] = estimate
            }
            let isFlexible = fields["query_version"] != nil
            return fields.merging(sizes(bytes, at: isFlexible ? 11 : 9)) { $1 }
        case .mark(let session, let request): return ["message": "MARK", "session": session, "request": request]
        case .unbound(let session): return ["message": "UNBOUND", "session": session]
        case .pong(let timestamp): return ["message": "PONG", "timestamp": timestamp]
        case .error(let code, let session, let text, let tryAgain):
            return [
                "message": "ERROR", "code": code.rawValue, "session": session, "text": text,
                "size": text.utf8.count, "try_again": tryAgain ? 1 : 0
            ]
        case .jsonError(let code, let session, let body):
            return [
                "message": "JSON_ERROR", "code": code.rawValue, "session": session, "json": json(body.json),
                "size": token(bytes, 2)
            ]
        case .queryError(let code, let session, let version, let text):
            return [
                "message": "QUERY_ERROR", "code": code.rawValue, "session": session, "query_version": version,
                "text": text, "size": text.utf8.count
            ]
        case .log(let session, let body):
            return ["message": "LOG_MESSAGE", "session": session, "json": json(body.json), "size": token(bytes, 2)]
        case .testCommand: return [:]
        }
    }

    private static func describe(_ query: ClientMessage.Query) -> [String: Any] {
        ["query_version": query.version, "query_size": query.text.utf8.count, "query": query.text]
    }

    private static func sizes(_ bytes: [UInt8], at index: Int) -> [String: Any] {
        [
            "is_compressed": token(bytes, index), "uncompressed_size": token(bytes, index + 1),
            "compressed_size": token(bytes, index + 2)
        ]
    }

    private static func token(_ bytes: [UInt8], _ index: Int) -> Int {
        let head = String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
        return Int(head.split(separator: " ")[index]) ?? -1
    }

    private static func json(_ text: String) -> [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any] ?? [:]
    }
}
