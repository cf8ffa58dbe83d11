import Model

/// Why the store refused something. Codes are stable names, the same on the wire and in the command's output.
package struct StoreError: Error, Hashable, Sendable {
    package struct Code: Hashable, Sendable, RawRepresentable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }
        package init(_ rawValue: String) { self.rawValue = rawValue }

        package static let notARealm = Code("notARealm")
        package static let newerFormat = Code("newerFormat")
        package static let corrupt = Code("corrupt")
        /// An encrypted file was opened without a key.
        package static let keyMissing = Code("keyMissing")
        package static let keyWrong = Code("keyWrong")
        /// A file that isn't encrypted was opened with a key.
        package static let keySuperfluous = Code("keySuperfluous")
        package static let permissionDenied = Code("permissionDenied")
        package static let fileNotFound = Code("fileNotFound")
        package static let fileExists = Code("fileExists")
        package static let isADirectory = Code("isADirectory")
        package static let diskFull = Code("diskFull")
        package static let inputOutput = Code("inputOutput")
        /// No descriptor, no memory or no place for another reader is left.
        package static let outOfResources = Code("outOfResources")
        package static let locked = Code("locked")
        package static let schemaMismatch = Code("schemaMismatch")
        package static let badChangeset = Code("badChangeset")
        /// A well-formed instruction that this version of the store doesn't carry out.
        package static let unsupportedChange = Code("unsupportedChange")
        package static let objectExists = Code("objectExists")
        /// The schema version asked for is lower than the file's.
        package static let schemaVersionTooLow = Code("schemaVersionTooLow")
        package static let objectMissing = Code("objectMissing")
        package static let snapshotExpired = Code("snapshotExpired")
        package static let unknownClass = Code("unknownClass")
        package static let unknownProperty = Code("unknownProperty")
        /// A query that compares what can't be compared.
        package static let badQuery = Code("badQuery")
        /// A valid query that this version doesn't evaluate.
        package static let unsupportedQuery = Code("unsupportedQuery")
    }

    /// An object that an error is about.
    package struct ObjectName: Hashable, Sendable {
        package let className: String
        package let key: PrimaryKey
    }

    package var code: Code
    package var message: String
    /// The file it is about, if any.
    package var path: String?
    /// `errno` or the return code of LMDB, if one caused it.
    package var systemCode: Int32?
    /// One line for each thing that is wrong, where there can be several (schema mismatches).
    package var details: [String] = []
    package var object: ObjectName?

    package init(_ code: Code, _ message: String, path: String? = nil, systemCode: Int32? = nil) {
        self.code = code
        self.message = message
        self.path = path
        self.systemCode = systemCode
    }
}

extension StoreError: CustomStringConvertible {
    package var description: String {
        path.map { "\(message) (\(code.rawValue), \($0))" } ?? "\(message) (\(code.rawValue))"
    }
}
