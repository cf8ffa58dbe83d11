extension Realm {
    /// Runs `block` in a write transaction and makes what it did durable.
    ///
    /// Waits while other threads or processes write. When this returns, the changes are on disk. If the block
    /// throws, or the changes can't be stored, nothing has happened.
    ///
    /// - Parameter tokens: observations of this realm that are not told about this transaction.
    @discardableResult
    public func write<Result>(withoutNotifying tokens: [NotificationToken] = [], _ block: () throws -> Result) throws
        -> Result
    {
        try core.beginWriteOrThrow()
        let result: Result
        do {
            result = try block()
        } catch {
            if core.isInWrite { core.cancelWrite() }
            throw error
        }
        // The block may have ended the transaction itself.
        if core.isInWrite { try core.commitWrite(skipping: tokens) }
        return result
    }

    /// Begins a write transaction: waits while others write, and advances to the newest version.
    ///
    /// Traps if the agent can't be reached; `write` throws then.
    public func beginWrite() {
        do {
            try core.beginWriteOrThrow()
        } catch {
            fail(Mistake("Cannot begin a write transaction: \(error.localizedDescription)"))
        }
    }

    /// Makes the transaction durable.
    ///
    /// - Throws: `Realm.Error`, and then nothing of the transaction has happened.
    public func commitWrite(withoutNotifying tokens: [NotificationToken] = []) throws {
        try core.commitWrite(skipping: tokens)
    }

    /// Undoes everything since `beginWrite`. Objects created since are invalid.
    public func cancelWrite() {
        core.cancelWrite()
    }

    /// Whether this instance is in a write transaction.
    public var isInWriteTransaction: Bool {
        core.check()
        return core.isInWrite
    }
}

extension RealmCore {
    func beginWriteOrThrow() throws {
        do {
            try beginWrite()
        } catch {
            throw Realm.Error(error, path: coordinator.settings.path)
        }
    }
}
