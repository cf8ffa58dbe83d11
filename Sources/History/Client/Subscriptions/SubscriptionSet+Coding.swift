import Model

extension SubscriptionSet {
    /// The record that keeps the set; its version is in the key.
    var encoded: [UInt8] {
        var writer = RecordWriter()
        writer.append(state.rawValue)
        writer.append(snapshotVersion)
        writer.append(optional: error)
        writer.append(UInt32(subscriptions.count))
        for subscription in subscriptions {
            writer.append(subscription.id.high)
            writer.append(subscription.id.low)
            writer.append(optional: subscription.name)
            writer.append(counted: subscription.className.utf8)
            writer.append(counted: subscription.query.utf8)
            for time in [subscription.createdAt, subscription.updatedAt] {
                writer.append(time.seconds)
                writer.append(time.nanoseconds)
            }
        }
        return writer.bytes
    }

    init(version: Int64, decoding bytes: UnsafeRawBufferPointer) throws {
        var reader = RecordReader(bytes)
        guard let state = State(rawValue: try reader.number()), state != .superseded else {
            throw HistoryError.damaged
        }
        self.version = version
        self.state = state
        snapshotVersion = try reader.number()
        error = try reader.optionalText()
        subscriptions = []
        for _ in 0..<(try reader.number(UInt32.self)) {
            let id = ObjectId(high: try reader.number(), low: try reader.number())
            let name = try reader.optionalText()
            let className = try reader.text()
            let query = try reader.text()
            let createdAt = Timestamp(seconds: try reader.number(), nanoseconds: try reader.number())
            let updatedAt = Timestamp(seconds: try reader.number(), nanoseconds: try reader.number())
            subscriptions.append(
                Subscription(
                    id: id, name: name, className: className, query: query, createdAt: createdAt, updatedAt: updatedAt))
        }
    }
}

extension RecordWriter {
    /// A byte that says whether there is a text, then the text.
    mutating func append(optional text: String?) {
        append(UInt8(text == nil ? 0 : 1))
        if let text { append(counted: text.utf8) }
    }
}

extension RecordReader {
    mutating func text() throws -> String { String(decoding: try counted(), as: UTF8.self) }

    mutating func optionalText() throws -> String? { try number(UInt8.self) == 0 ? nil : try text() }
}
