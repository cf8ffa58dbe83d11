import Foundation
import Model
import Store
import Wire

/// What is kept of a user.
struct UserRecord: KeptRecord {
    var app: AppIdentity
    var id: String
    /// Both nil: logged out.
    var accessToken: String?
    var refreshToken: String?
    var deviceId: String?
    /// JSON of an object.
    var profile = "{}"
    var identities: [AppUserIdentity] = []
    /// Grows with each log-in and switch: the user logged in with the highest one is the current one.
    var order: Int64 = 0

    init(app: AppIdentity, id: String) {
        self.app = app
        self.id = id
    }
}

// MARK: - As an object of a realm
extension UserRecord {
    static let className = "User"

    static let schema = RealmSchema([
        ClassSchema(
            className, primaryKey: "_id",
            [
                PropertySchema("_id", .string), PropertySchema("app", .string), PropertySchema("baseURL", .string),
                PropertySchema("user", .string), PropertySchema("accessToken", .string, nullable: true),
                PropertySchema("refreshToken", .string, nullable: true),
                PropertySchema("deviceId", .string, nullable: true), PropertySchema("profile", .string),
                PropertySchema("identities", .string), PropertySchema("order", .int)
            ])
    ])

    /// Neither an app's id nor a base URL has a line break.
    var key: PrimaryKey { .string("\(app.id)\n\(app.baseURL)\n\(id)") }

    /// The instructions that put it into a file, whether it has it or not.
    var changes: [UInt8] {
        var writer = ChangesetWriter()
        writer.append(.createObject(className: Self.className, key: key))
        func set(_ property: String, _ value: Value) {
            writer.append(
                .update(InstructionPath(Self.className, key, property), .value(value), isDefault: false))
        }
        func text(_ text: String?) -> Value { text.map { .string($0) } ?? .null }
        set("app", .string(app.id))
        set("baseURL", .string(app.baseURL))
        set("user", .string(id))
        set("accessToken", text(accessToken))
        set("refreshToken", text(refreshToken))
        set("deviceId", text(deviceId))
        set("profile", .string(profile))
        set("identities", .string(identities.map { "\($0.provider)\t\($0.id)" }.joined(separator: "\n")))
        set("order", .int(order))
        return writer.finished()
    }

    /// Reads the row of an object; nil if a property that must be there isn't.
    init?(_ table: Table, _ key: ObjectKey) {
        func text(_ name: String) -> String? {
            guard let column = table.stored.column(named: name), case .string(let text) = table.value(key, column)
            else {
                return nil
            }
            return text
        }
        guard let app = text("app"), let baseURL = text("baseURL"), let id = text("user"),
            let column = table.stored.column(named: "order"), case .int(let order) = table.value(key, column)
        else { return nil }
        self.init(app: AppIdentity(id: app, baseURL: baseURL), id: id)
        accessToken = text("accessToken")
        refreshToken = text("refreshToken")
        deviceId = text("deviceId")
        profile = text("profile") ?? "{}"
        identities = (text("identities") ?? "").split(separator: "\n").compactMap { line in
            let parts = line.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 ? AppUserIdentity(id: String(parts[1]), provider: String(parts[0])) : nil
        }
        self.order = order
    }
}

extension UserRecord: CustomStringConvertible {
    var description: String { "user \(id) of \(app.id)" }
}
