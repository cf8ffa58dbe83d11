/// What a view shows of one object or collection: a frozen copy that is replaced when the original changes. Belongs to
/// the main thread, as views do.
package final class ViewedValue<Value: _Viewable> {
    private var given: Value?
    private var live: Value?
    private var shown: Value?
    private var blank: Value?
    private var token: NotificationToken?
    private let changed: () -> Void

    /// `changed` is called after each change of what is shown.
    package init(changed: @escaping () -> Void) {
        self.changed = changed
    }

    /// The frozen copy of `value`; `value` itself while it is unmanaged; a default instance if it is deleted.
    package func current(_ value: Value, keyPaths: [String]?) -> Value {
        if let given, given._isSame(as: value) {
            // An unmanaged object may have been added since.
            if live != nil || value.realm == nil || value.isInvalidated { return shown ?? gone() }
        }
        token = nil
        given = value
        live = nil
        shown = nil
        if value.isInvalidated { return gone() }
        guard value.realm != nil else {
            shown = value
            return value
        }
        guard let live = value.thaw(), !live.isInvalidated else { return gone() }
        let frozen = live.freeze()
        self.live = live
        shown = frozen
        token = live._watch(keyPaths) { [weak self] in self?.update() }
        return frozen
    }

    private func update() {
        if let live, !live.isInvalidated {
            shown = live.freeze()
        } else {
            shown = nil
            token = nil
        }
        changed()
    }

    private func gone() -> Value {
        if let blank { return blank }
        let made = Value._blank()
        blank = made
        return made
    }

    /// Changes the original, in a transaction of its own unless one is open. Nothing happens if it was deleted.
    package func write(_ value: Value, keyPaths: [String]?, _ block: (Value) -> Void) {
        let shown = current(value, keyPaths: keyPaths)
        guard let live else {
            if self.shown != nil {
                block(shown)
                changed()
            }
            return
        }
        if !live.isInvalidated { live.implicitly(block) }
    }
}

extension ThreadConfined {
    /// Runs `block` with the live original, in a transaction of its own unless one is open; with the value itself while
    /// it is unmanaged; not at all if it was deleted. Traps if the changes can't be stored.
    package func implicitly(_ block: (Self) -> Void) {
        guard realm != nil else { return isInvalidated ? () : block(self) }
        guard let live = thaw(), !live.isInvalidated, let realm = live.realm else { return }
        realm.implicitly { block(live) }
    }
}

extension Realm {
    /// Runs `block` in a transaction of its own unless one is open. Traps if the changes can't be stored.
    package func implicitly(_ block: () -> Void) {
        if isInWriteTransaction { return block() }
        do {
            try write(block)
        } catch {
            fail(Mistake("The change that a view made can't be stored: \(error.localizedDescription)"))
        }
    }
}

/// What a view shows of a query: frozen results that are replaced when the query's change. Belongs to the main thread.
package final class ViewedQuery<Shown: ThreadConfined> {
    private var live: Shown?
    private var shown: Shown?
    private var keyPaths: [String]?
    private var token: NotificationToken?
    private let isSame: (Shown, Shown) -> Bool
    private let watch: (Shown, [String]?, @escaping () -> Void) -> NotificationToken
    private let changed: () -> Void

    package init(
        isSame: @escaping (Shown, Shown) -> Bool,
        watch: @escaping (Shown, [String]?, @escaping () -> Void) -> NotificationToken,
        changed: @escaping () -> Void
    ) {
        self.isSame = isSame
        self.watch = watch
        self.changed = changed
    }

    /// What is asked for now, frozen. The same question again costs nothing.
    package func current(_ asked: Shown, keyPaths: [String]?) -> Shown {
        if let live, let shown, isSame(live, asked), self.keyPaths == keyPaths, !live.isInvalidated { return shown }
        token = nil
        self.keyPaths = keyPaths
        let frozen = asked.freeze()
        live = asked
        shown = frozen
        token = watch(asked, keyPaths) { [weak self] in self?.update() }
        return frozen
    }

    private func update() {
        guard let live, !live.isInvalidated else { return }
        shown = live.freeze()
        changed()
    }
}

extension Realm {
    /// The realm that a view asks for. Traps with the reason if it can't be opened: a view has nobody to throw to.
    package static func forView(_ configuration: Configuration) -> Realm {
        do {
            return try Realm(configuration: configuration)
        } catch {
            fail(Mistake("A view's realm can't be opened: \(error.localizedDescription)"))
        }
    }
}
