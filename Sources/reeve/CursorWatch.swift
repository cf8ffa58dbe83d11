import Wire

/// `reeve watch --since NAME`: every change is printed once, also those of the time when nobody watched. Who is killed
/// while printing sees the last ones again.
struct CursorWatch {
    private let realm: OpenRealm
    private let name: String
    private let query: QueryRequest
    private let arguments: Arguments

    init(_ realm: OpenRealm, _ name: String, _ arguments: Arguments) throws {
        self.realm = realm
        self.name = name
        self.arguments = arguments
        query = try QueryOptions.request(arguments)
    }

    func run() throws -> Int32 {
        if arguments.has("forget") {
            let reply = try realm.client.call(CursorRemove(realm: realm.handle, cursor: name))
            if arguments.has("json") {
                Output.json(["removed": reply.removed])
            } else {
                Output.line(reply.removed ? "forgotten" : "there is no \"\(name)\"")
            }
            return reply.removed ? 0 : 1
        }
        // Before the first look, so that nothing falls between.
        let subscription = try realm.client.call(
            Subscribe(realm: realm.handle, query: query, form: ObjectForm(keysOnly: true)))
        var left = try arguments.number("changes", minimum: 1)
        while true {
            if try look() { left = left.map { $0 - 1 } }
            if arguments.has("once") || left == 0 { return 0 }
            while try realm.client.nextChange().subscription != subscription.subscription {}
        }
    }

    /// Prints what has changed since the last look, and moves on. Whether there was anything.
    private func look() throws -> Bool {
        let pin = try realm.client.call(SnapshotPin(realm: realm.handle))
        defer { _ = try? realm.client.call(SnapshotRelease(realm: realm.handle, pins: [pin.pin])) }
        let reply = try realm.client.call(
            CursorRead(realm: realm.handle, pin: pin.pin, cursor: name, query: query))
        let isNew = reply.since == nil
        let isShown = !isNew || arguments.has("initial")
        let isEmpty = reply.insertions.keys.isEmpty && reply.modifications.keys.isEmpty && reply.deletions.isEmpty
        if isShown, !isEmpty {
            try show(reply, isNew, pin.pin)
        } else if isNew, !arguments.has("json") {
            Output.line("\(reply.count) match; \"\(name)\" begins here")
        }
        if isNew || !isEmpty {
            _ = try realm.client.call(CursorAdvance(realm: realm.handle, cursor: name, version: reply.version))
        }
        return isShown && !isEmpty
    }

    private func show(_ reply: CursorReadReply, _ isNew: Bool, _ pin: Int64) throws {
        let change = Changed(
            subscription: 0, version: reply.version, initial: isNew, count: reply.count,
            insertions: .objects(try objects(reply.insertions, pin)),
            modifications: .objects(try objects(reply.modifications, pin)), deletions: .objects(reply.deletions))
        if arguments.has("json") { WatchCommand.printJSON(change) } else { WatchCommand.show(change) }
    }

    private func objects(_ keys: PackedKeys, _ pin: Int64) throws -> [BSONDocument] {
        guard !keys.keys.isEmpty else { return [] }
        var found: [BSONDocument] = []
        var reply = try realm.client.call(
            ReadQuery(realm: realm.handle, pin: pin, query: QueryRequest(query.className, among: keys)))
        while true {
            found += reply.objects ?? []
            guard let cursor = reply.cursor else { return found }
            reply = try realm.client.call(ReadNext(cursor: cursor))
        }
    }
}
