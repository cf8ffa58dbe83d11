extension ErrorBody {
    /// The JSON of the message, its keys in the order of the examples (section 19.6).
    var json: String {
        var object = JSONObjectWriter()
        object.string("message", message)
        object.boolean("tryAgain", tryAgain)
        object.string("logURL", logURL)
        object.boolean("shouldClientReset", shouldClientReset)
        object.boolean("isRecoveryModeDisabled", isRecoveryModeDisabled)
        object.string("action", action.rawValue)
        if let backoff {
            object.integer("backoffIntervalSec", backoff.interval.components.seconds)
            object.integer("backoffMaxDelaySec", backoff.maximum.components.seconds)
            object.integer("backoffMultiplier", Int64(backoff.multiplier))
        }
        object.string("partitionQuery", partitionQuery)
        object.integer("previousSchemaVersion", previousSchemaVersion)
        object.integer("rejectedClientVersion", rejectedClientVersion)
        object.integer("compensatingWriteServerVersion", compensatingWriteServerVersion)
        object.objects("rejectedUpdates", rejectedUpdates?.map(\.json))
        return object.finished
    }

    /// Reads and checks what P-78 demands of an error with this code.
    init(json text: String, code: SyncErrorCode, offset: Int) throws(SyncMessageError) {
        let fields = try JSONBody.decode(Fields.self, text, rule: "P-78", offset: offset)
        func demand(_ condition: Bool, _ message: String) throws(SyncMessageError) {
            guard condition else { throw SyncMessageError(.badSyntax, rule: "P-78", offset: offset, message) }
        }
        message = fields.message
        logURL = fields.logURL
        tryAgain = fields.tryAgain
        shouldClientReset = fields.shouldClientReset
        isRecoveryModeDisabled = fields.isRecoveryModeDisabled
        action = ErrorAction(word: fields.action)
        if let interval = fields.backoffIntervalSec {
            // A year is more than anybody waits, and keeps sums of durations far from their limit.
            let year = 31_536_000
            guard let maximum = fields.backoffMaxDelaySec, let multiplier = fields.backoffMultiplier,
                (0...year).contains(interval), maximum >= 0, (0...1000).contains(multiplier)
            else {
                throw SyncMessageError(
                    .badSyntax, rule: "P-78", offset: offset, "backoff is incomplete or out of range")
            }
            backoff = Backoff(
                interval: .seconds(interval), maximum: .seconds(min(maximum, year)), multiplier: multiplier)
        }
        partitionQuery = fields.partitionQuery
        previousSchemaVersion = fields.previousSchemaVersion
        rejectedUpdates = fields.rejectedUpdates
        rejectedClientVersion = fields.rejectedClientVersion
        compensatingWriteServerVersion = fields.compensatingWriteServerVersion
        try demand(partitionQuery != "", "partitionQuery is empty")
        try demand(code != .migrateToFlexible || partitionQuery != nil, "partitionQuery is missing")
        try demand(code != .schemaVersionChanged || previousSchemaVersion != nil, "previousSchemaVersion is missing")
        try demand(previousSchemaVersion ?? 0 >= 0, "previousSchemaVersion is negative")
        try demand(rejectedUpdates == nil || rejectedClientVersion != nil, "rejectedClientVersion is missing")
        try demand(
            code != .compensatingWrite || compensatingWriteServerVersion != nil,
            "compensatingWriteServerVersion is missing")
    }

    private struct Fields: Decodable {
        var message: String
        var logURL: String
        var tryAgain: Bool
        var shouldClientReset: Bool
        var isRecoveryModeDisabled: Bool
        var action: String
        var backoffIntervalSec: Int?
        var backoffMaxDelaySec: Int?
        var backoffMultiplier: Int?
        var partitionQuery: String?
        var previousSchemaVersion: Int64?
        var rejectedUpdates: [RejectedUpdate]?
        var rejectedClientVersion: Int64?
        var compensatingWriteServerVersion: Int64?
    }
}
