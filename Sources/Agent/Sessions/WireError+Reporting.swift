import EventLoop
import Foundation
import History
import Query
import Store
import Wire

extension WireError {
    /// The refusal that a client gets for an error of any kind.
    init(reporting error: any Error, path: String? = nil) {
        switch error {
        case let error as WireError: self = error
        case let error as StoreError: self.init(error, path: path)
        case let error as LoopError:
            self.init(
                Code(systemCode: error.errorNumber), error.description, facts: ["errno": .int32(error.errorNumber)])
        case let error as WireDecodingError: self.init(error)
        case let error as QueryError: self.init(error)
        case let error as SyncedCopyError: self.init(error, path: path)
        default: self.init(.internalError, "\(error)")
        }
    }

    private init(_ error: SyncedCopyError, path: String?) {
        var facts: BSONDocument = [:]
        if let path { facts["path"] = .string(path) }
        switch error {
        case .unsentChanges(let count), .unsentClasses(let count): facts["transactions"] = .int64(Int64(count))
        case .notSynced, .flexible, .otherData: break
        }
        let code: Code =
            switch error {
            case .unsentChanges, .unsentClasses: .unsentChanges
            case .notSynced, .flexible, .otherData: .syncMismatch
            }
        self.init(code, "\(error)", facts: facts)
    }

    /// Store and wire use the same names; one that the wire doesn't know travels under its own name.
    init(_ error: StoreError, path: String?) {
        let name = error.code.rawValue
        let code =
            switch name {
            case "inputOutput": Code.ioError
            case "isADirectory": Code.notARealm
            case "unsupportedQuery": Code.badQuery
            case "unsupportedChange": Code.badChangeset
            case "schemaVersionTooLow": Code.schemaVersionTooOld
            default: Code.all.first { $0.name == name } ?? Code(0, name)
            }
        var facts: BSONDocument = [:]
        if let path = error.path ?? path { facts["path"] = .string(path) }
        if !error.details.isEmpty { facts["details"] = .array(error.details.map { .string($0) }) }
        if let number = error.systemCode { facts["errno"] = .int32(number) }
        if let object = error.object {
            facts["class"] = .string(object.className)
            facts["key"] = BSONValue(object.key)
        }
        self.init(code, error.message, facts: facts)
    }
}
