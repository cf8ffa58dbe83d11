import Foundation
import Model
import Query

extension Results where Element: Object {
    /// Subscribes to the objects of these results, of a realm of flexible sync that belongs to the main thread or an actor.
    /// Their order, and what makes them distinct, is no part of that.
    ///
    /// - Parameters:
    ///   - name: a subscription of that name gets this query. Without a name, one without a name and with an equal query
    ///     is used if there is one.
    ///   - waitForSync: when to wait until the server has sent the objects.
    ///   - timeout: seconds to wait at most; then it throws, and the subscription stays.
    /// - Returns: these results, which show what has been waited for.
    /// - Throws: `Realm.Error.subscriptionFailed` if the server refuses the query; `ETIMEDOUT` after the timeout.
    @discardableResult
    public func subscribe(
        name: String? = nil, waitForSync: WaitForSyncMode = .onCreation, timeout: TimeInterval? = nil,
        _isolation: isolated (any Actor)? = #isolation
    ) async throws -> Results<Element> {
        let core = state.core
        core.checkMainOrActor("subscribe")
        let (handle, className, text) = state.subscribing("subscribe to")
        var isNew = false
        let version: Int64
        do {
            version = try handle.update {
                handle.edit { isNew = $0.subscribe(name, className, text) }
            }
        } catch {
            throw Realm.Error(error, path: core.coordinator.settings.path)
        }
        state.subscription = handle.entries.first { $0.isFor(name, className, text) }?.id
        if waitForSync == .always || (waitForSync == .onCreation && isNew) {
            try await core.coordinator.wait(for: version, timeout: timeout)
            core.showDownloaded()
        }
        return self
    }

    /// Ends the subscription that these results have made; or, if they have made none, one without a name that has an equal
    /// query.
    public func unsubscribe() {
        let (handle, className, text) = state.subscribing("unsubscribe from")
        let made = state.subscription
        do {
            _ = try handle.update {
                handle.remove { entry in
                    made.map { entry.id == $0 } ?? (entry.name == nil && entry.has(className, text))
                }
            }
        } catch {
            Logger.shared.log(.error, "'\(className)' is still subscribed to: \(error)")
        }
        state.subscription = nil
    }
}

extension _CollectionState {
    /// What a subscription to these objects consists of. Traps where there can be none.
    fileprivate func subscribing(_ doing: String) -> (SubscriptionsHandle, className: String, text: String) {
        core.check()
        guard core.coordinator.isFlexible else { fail(.notFlexible(core.coordinator.settings.path)) }
        guard let query, query.source == .table, let model, model.info.schema.kind == .topLevel else {
            fail(Mistake("Cannot \(doing) these results: only those of all objects of a class can be subscribed to."))
        }
        do {
            let text = try SubscribedQuery.text(of: query.condition)
            return (SubscriptionsHandle(core.coordinator, core.classes, core), model.info.name, text)
        } catch {
            fail(Mistake("Cannot \(doing) results of class '\(model.info.name)': \(error)."))
        }
    }
}

extension SubscriptionDraft {
    /// Adds or changes the subscription that results of a query are to have; whether there was something to do.
    fileprivate mutating func subscribe(_ name: String?, _ className: String, _ query: String) -> Bool {
        let now = Timestamp(Date())
        if let name, let index = entries.firstIndex(where: { $0.isNamed(name) }) {
            if entries[index].has(className, query) { return false }
            setQuery(index, className, query, at: now)
            return true
        }
        let count = entries.count
        append(name, className, query, at: now)
        return entries.count > count
    }
}

extension SubscriptionDraft.Entry {
    fileprivate func isFor(_ name: String?, _ className: String, _ query: String) -> Bool {
        if let name { return isNamed(name) }
        return self.name == nil && has(className, query)
    }
}
