import Foundation
import Model
import Store
import Wire

extension Realm {
    /// A failure of the environment: files, permissions, disk, schema. Mistakes of the program trap instead.
    ///
    ///     do {
    ///         realm = try Realm()
    ///     } catch Realm.Error.filePermissionDenied {
    ///         …
    ///     }
    public struct Error: Swift.Error, Sendable {
        /// What kind of failure it is, with Realm's numbers.
        public enum Code: Int, Sendable {
            case fail = 1
            case fileAccess = 2
            case filePermissionDenied = 3
            case fileExists = 4
            case fileNotFound = 5
            case fileFormatUpgradeRequired = 6
            case incompatibleLockFile = 8
            case addressSpaceExhausted = 9
            case schemaMismatch = 10
            case alreadyOpen = 12
            case invalidInput = 13
            case outOfDiskSpace = 14
            case incompatibleSession = 15
            case unsupportedFileFormatVersion = 16
            case multipleSyncAgents = 17
            case subscriptionFailed = 18
            case fileOperationFailed = 19
            case invalidDatabase = 20
            case incompatibleHistories = 21
            case noSubscriptionForWrite = 22
        }

        public static let errorDomain = "io.realm"

        public let code: Code
        let message: String
        let path: String?

        /// The file concerned.
        public var fileURL: URL? { path.map { URL(fileURLWithPath: $0) } }

        init(_ code: Code, _ message: String, path: String? = nil) {
            self.code = code
            self.message = message
            self.path = path
        }

        /// An error of a code alone.
        public init(_ code: Code) {
            self.init(code, Self.text(code))
        }
    }
}

// MARK: - Code constants, for `catch Realm.Error.fileAccess`
extension Realm.Error {
    public static let callFailed = Code.fail
    public static let fail = Code.fail
    public static let fileAccess = Code.fileAccess
    public static let filePermissionDenied = Code.filePermissionDenied
    public static let fileExists = Code.fileExists
    public static let fileNotFound = Code.fileNotFound
    public static let fileFormatUpgradeRequired = Code.fileFormatUpgradeRequired
    public static let incompatibleLockFile = Code.incompatibleLockFile
    public static let addressSpaceExhausted = Code.addressSpaceExhausted
    public static let schemaMismatch = Code.schemaMismatch
    public static let alreadyOpen = Code.alreadyOpen
    public static let invalidInput = Code.invalidInput
    public static let outOfDiskSpace = Code.outOfDiskSpace
    public static let incompatibleSession = Code.incompatibleSession
    public static let unsupportedFileFormatVersion = Code.unsupportedFileFormatVersion
    public static let multipleSyncAgents = Code.multipleSyncAgents
    public static let subscriptionFailed = Code.subscriptionFailed
    public static let fileOperationFailed = Code.fileOperationFailed
    public static let invalidDatabase = Code.invalidDatabase
    public static let incompatibleHistories = Code.incompatibleHistories
    public static let noSubscriptionForWrite = Code.noSubscriptionForWrite
}

/// Lets `catch Realm.Error.fileAccess` match errors by their code.
public func ~= (code: Realm.Error.Code, error: any Swift.Error) -> Bool {
    (error as? Realm.Error)?.code == code
}

extension Realm.Error: Equatable, Hashable {
    public static func == (a: Realm.Error, b: Realm.Error) -> Bool {
        a.code == b.code && a.path == b.path
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(path)
    }
}

// MARK: - NSError, both ways
extension Realm.Error: CustomNSError, LocalizedError {
    public var errorCode: Int { code.rawValue }

    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: message, "Error Name": "\(code)"]
        if let path { info[NSFilePathErrorKey] = path }
        return info
    }

    public var errorDescription: String? { message }
}

/// Makes `catch let error as NSError` match, and `error as? Realm.Error` for an NSError of the domain. On Linux casts
/// look for this conformance; `CustomNSError` alone is not enough.
extension Realm.Error: _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSError {
        NSError(domain: Self.errorDomain, code: errorCode, userInfo: errorUserInfo)
    }

    public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout Realm.Error?) {
        _ = _conditionallyBridgeFromObjectiveC(source, result: &result)
    }

    public static func _conditionallyBridgeFromObjectiveC(_ source: NSError, result: inout Realm.Error?) -> Bool {
        guard source.domain == errorDomain, let code = Code(rawValue: source.code) else { return false }
        result = Realm.Error(
            code, source.localizedDescription, path: source.userInfo[NSFilePathErrorKey] as? String)
        return true
    }

    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> Realm.Error {
        var result: Realm.Error?
        if let source { _forceBridgeFromObjectiveC(source, result: &result) }
        return result ?? Realm.Error(.fail)
    }
}

// MARK: - From below
extension Realm.Error {
    /// The error that an app sees for one of the store, the wire or the agent.
    init(_ error: any Swift.Error, path: String?) {
        switch error {
        case let error as Realm.Error: self = error
        case let error as StoreError:
            self.init(below: error.code.rawValue, error.message, path: error.path ?? path)
        case let error as WireError:
            var known = path
            if case .string(let fact)? = error.facts["path"] { known = fact }
            self.init(below: error.name, error.message, path: known)
        default: self.init(.fail, "\(error)", path: path)
        }
    }

    /// Says which file it is about (RE-05).
    private init(below name: String, _ message: String, path: String?) {
        let code = Self.code(name)
        let isNamed = code == .fail || path.map { message.contains($0) } ?? true
        self.init(code, isNamed ? message : "\(message) (file: \(path ?? ""))", path: path)
    }

    /// Names are the same in the store and on the wire.
    private static func code(_ name: String) -> Code {
        switch name {
        case "notARealm", "corrupt", "keyMissing", "keyWrong", "keySuperfluous": .invalidDatabase
        case "syncMismatch": .incompatibleHistories
        case "newerFormat": .unsupportedFileFormatVersion
        case "permissionDenied": .filePermissionDenied
        case "fileNotFound": .fileNotFound
        case "fileExists": .fileExists
        case "diskFull": .outOfDiskSpace
        case "locked", "ioError", "inputOutput", "isADirectory", "outOfResources": .fileAccess
        case "alreadyOpen": .alreadyOpen
        case "schemaMismatch": .schemaMismatch
        case "noSubscriptionForWrite": .noSubscriptionForWrite
        default: .fail
        }
    }

    private static func text(_ code: Code) -> String {
        switch code {
        case .fail: "The operation failed."
        case .fileAccess: "The file can't be accessed."
        case .filePermissionDenied: "No permission to open or create the file."
        case .fileExists: "The file exists already."
        case .fileNotFound: "The file was not found."
        case .fileFormatUpgradeRequired: "The file's format is old, and the file may not be changed."
        case .incompatibleLockFile: "The lock file is not compatible."
        case .addressSpaceExhausted: "The file can't be mapped into memory."
        case .schemaMismatch: "The schema differs from the file's."
        case .alreadyOpen: "The Realm is open."
        case .invalidInput: "The input is not valid."
        case .outOfDiskSpace: "The disk is full."
        case .incompatibleSession: "The Realm is open elsewhere in an incompatible way."
        case .unsupportedFileFormatVersion: "The file's format is newer than this version knows."
        case .multipleSyncAgents: "Several sync agents use the file."
        case .subscriptionFailed: "The server refused the subscriptions."
        case .fileOperationFailed: "The file operation failed."
        case .invalidDatabase: "The file is not a Realm, or it is damaged."
        case .incompatibleHistories: "The file is local where a synced one is wanted, or the reverse."
        case .noSubscriptionForWrite: "No subscription covers the class."
        }
    }
}
