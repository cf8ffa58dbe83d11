import Foundation

/// What an app of flexible sync allows: the fields that may be queried, and who may read and write what (F-74, F-83).
package struct FlexibleConfiguration: Hashable, Sendable, Decodable {
    /// Every field may be queried, and clients extend the schema (F-15).
    package var isInDevelopment = true
    /// Queryable in all classes that have them.
    package var queryableFields: [String] = []
    /// Queryable in one class.
    package var classQueryableFields: [String: [String]] = [:]
    /// At most one: every query compares it.
    package var indexedFields: [String] = []
    /// Roles of classes, the first that applies being taken (F-75).
    package var roles: [String: [PermissionRole]] = [:]
    /// Roles of classes that have none of their own.
    package var defaultRoles: [PermissionRole] = [.everything]
    /// Where objects say which partition they belonged to, in an app that was synced by partition before (F-98). Not part
    /// of the permissions, and queryable whatever they say.
    package var partitionField: PartitionField?

    package init() {}

    /// Nobody may do anything.
    package static let closed: FlexibleConfiguration = {
        var configuration = FlexibleConfiguration()
        configuration.isInDevelopment = false
        configuration.defaultRoles = []
        return configuration
    }()

    /// Reads what `reeve app permissions` is given. Unknown keys are ignored.
    package init(json: [UInt8]) throws(ConfigurationError) {
        do {
            self = try JSONDecoder().decode(FlexibleConfiguration.self, from: Data(json))
        } catch let error as DecodingError {
            throw ConfigurationError(reason: ConfigurationError.reason(error))
        } catch {
            throw ConfigurationError(reason: "\(error)")
        }
        guard indexedFields.count <= 1 else {
            throw ConfigurationError(reason: "indexed_queryable_fields_names has more than one field")
        }
    }

    private enum Key: String, CodingKey {
        case isInDevelopment = "development_mode_enabled"
        case queryableFields = "queryable_fields_names"
        case classQueryableFields = "collection_queryable_fields_names"
        case indexedFields = "indexed_queryable_fields_names"
        case roles = "rules"
        case defaultRoles = "default_roles"
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        isInDevelopment = try values.decodeIfPresent(Bool.self, forKey: .isInDevelopment) ?? true
        queryableFields = try values.decodeIfPresent([String].self, forKey: .queryableFields) ?? []
        classQueryableFields =
            try values.decodeIfPresent([String: [String]].self, forKey: .classQueryableFields) ?? [:]
        indexedFields = try values.decodeIfPresent([String].self, forKey: .indexedFields) ?? []
        roles = try values.decodeIfPresent([String: [PermissionRole]].self, forKey: .roles) ?? [:]
        // Without a word about permissions an app in development is open, any other is closed.
        defaultRoles =
            try values.decodeIfPresent([PermissionRole].self, forKey: .defaultRoles)
            ?? (isInDevelopment ? [.everything] : [])
    }

    /// Whether a query or a filter may use a field (F-11, F-12, F-15).
    func isQueryable(_ field: String, of className: String) -> Bool {
        isInDevelopment || field == "_id" || field == partitionField?.property || queryableFields.contains(field)
            || indexedFields.contains(field)
            || classQueryableFields[className]?.contains(field) == true
    }
}

/// Why a configuration can't be used.
package struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    package var reason: String

    package var description: String { "the permissions can't be read: \(reason)" }

    static func reason(_ error: DecodingError) -> String {
        func name(_ path: [any CodingKey]) -> String { path.map(\.stringValue).joined(separator: ".") }
        return switch error {
        case .keyNotFound(let key, let context): "\(name(context.codingPath + [key])) is missing"
        case .valueNotFound(_, let context): "\(name(context.codingPath)) is null"
        case .typeMismatch(_, let context): "\(name(context.codingPath)) has the wrong type"
        case .dataCorrupted(let context): "\(name(context.codingPath)) isn't JSON: \(context.debugDescription)"
        @unknown default: "\(error)"
        }
    }
}
