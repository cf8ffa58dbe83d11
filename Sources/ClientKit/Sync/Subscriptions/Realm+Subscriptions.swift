import Foundation
import Model

extension Realm {
    /// What a realm of flexible sync is subscribed to. Traps for other realms.
    public var subscriptions: SyncSubscriptionSet {
        guard core.coordinator.isFlexible else { fail(.notFlexible(core.coordinator.settings.path)) }
        return SyncSubscriptionSet(SubscriptionsHandle(core.coordinator, core.classes, core))
    }
}

extension RealmCore {
    /// Goes over to the version with the objects that were waited for, if the caller is where that may be done.
    func showDownloaded() {
        guard confinement.isHere, autorefresh, !isFrozen, !isReadOnly, !isInWrite else { return }
        refresh()
    }

    /// Traps if the realm doesn't subscribe to a class whose object is to be made (F-28).
    @inline(never)
    func checkSubscribed(_ info: ClassInfo, _ transaction: OpenTransaction) {
        guard info.schema.kind == .topLevel, !transaction.subscribed.contains(info.table.id) else { return }
        guard coordinator.isSubscribed(info.name) else { fail(.notSubscribed(info.name)) }
        transaction.subscribed.insert(info.table.id)
    }
}
