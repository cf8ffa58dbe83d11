/// The catalogue. Each text holds the words by which a test, or a person, recognises the kind.
extension Mistake {
    // Confinement (MK-01 … MK-03)
    package static var incorrectThread: Mistake {
        Mistake("Realm accessed from incorrect thread.")
    }
    package static var incorrectQueue: Mistake {
        Mistake("Realm accessed from incorrect dispatch queue.")
    }
    package static var incorrectActor: Mistake {
        Mistake("Realm accessed from outside its actor: incorrect actor executor isolation.")
    }

    // Transactions (MK-04 … MK-09)
    package static func notInWriteTransaction(_ doing: String) -> Mistake {
        Mistake("Cannot \(doing): the Realm is not in a write transaction. Call beginWrite() or write {} first.")
    }
    package static var alreadyInWriteTransaction: Mistake {
        Mistake("The Realm is already in a write transaction.")
    }
    package static func frozen(_ doing: String) -> Mistake {
        Mistake("Cannot \(doing): the Realm is frozen. Call thaw() for a live one.")
    }
    package static func readOnly(_ doing: String) -> Mistake {
        Mistake("Cannot \(doing): the Realm is read-only.")
    }
    package static func doesNotChange(_ doing: String) -> Mistake {
        Mistake("Cannot \(doing): read-only and frozen Realms do not change.")
    }

    // Objects (MK-10 … MK-19)
    package static func managedByAnotherRealm(_ className: String) -> Mistake {
        Mistake(
            "Object of class '\(className)' is already managed by another Realm. Use create to copy it into this one.")
    }
    package static func invalidated(_ className: String) -> Mistake {
        Mistake("Object of class '\(className)' has been deleted or invalidated.")
    }
    package static func deleteOfForeign(_ className: String) -> Mistake {
        Mistake("Can only delete an object of class '\(className)' from the Realm it belongs to.")
    }
    package static func primaryKeyExists(_ className: String, _ key: String) -> Mistake {
        Mistake("An object of class '\(className)' with primary key value '\(key)' already exists.")
    }
    package static func primaryKeyChange(_ className: String, _ property: String) -> Mistake {
        Mistake("Primary key '\(className).\(property)' can't be changed after an object is inserted.")
    }
    package static func noPrimaryKeyForUpdate(_ className: String) -> Mistake {
        Mistake("'\(className)' does not have a primary key and can not be updated.")
    }
    package static func noPrimaryKey(_ className: String) -> Mistake {
        Mistake("'\(className)' does not have a primary key.")
    }
    package static func invalidPrimaryKey(_ value: String, _ className: String, expected: String) -> Mistake {
        Mistake("Invalid value '\(value)' for primary key of '\(className)': expected \(expected).")
    }
    package static func classNotManaged(_ className: String) -> Mistake {
        Mistake("Object type '\(className)' is not managed by the Realm: its class is not in the Realm's schema.")
    }

    package static func tooBig(_ bytes: Int, _ place: String, limit: Int) -> Mistake {
        Mistake("\(place) is too big: \(bytes) bytes, where \(limit) are allowed.")
    }

    // Notifications, frozen values, references (MK-48 … MK-60)
    package static var observeUnmanaged: Mistake {
        Mistake("Only managed objects and collections can be observed: only managed ones change by transactions.")
    }
    package static var observeWithoutRunLoop: Mistake {
        Mistake("Can only add notification blocks from within run loops; pass a queue, or use an actor.")
    }
    package static var observeInWrite: Mistake {
        Mistake("Cannot register notification blocks in a write transaction that has changed something.")
    }
    package static func propertyNotFound(_ className: String, _ path: String) -> Mistake {
        Mistake("Property '\(path)' not found in class '\(className)'.")
    }
    package static var tokenOfAnotherRealm: Mistake {
        Mistake("Can only skip notifications for the Realm being modified.")
    }
    package static func unmanagedFreeze(_ verb: String) -> Mistake {
        Mistake("Unmanaged objects cannot be \(verb).")
    }
    package static var freezeInCreatingWrite: Mistake {
        Mistake("Cannot freeze an object in the same write transaction as it was created in.")
    }
    package static func reference(_ why: String) -> Mistake {
        Mistake("Cannot construct reference to \(why).")
    }
    package static var referenceResolvedTwice: Mistake {
        Mistake("Can only resolve a thread safe reference once.")
    }
    package static var referenceOfAnotherRealm: Mistake {
        Mistake("Cannot resolve a thread safe reference in a different Realm than the one it was created from.")
    }
    package static var threadSafeUnmanaged: Mistake {
        Mistake("Only managed objects may be wrapped as thread safe.")
    }
    package static func needsMainOrActor(_ what: String) -> Mistake {
        Mistake("\(what) needs a Realm that is opened on the main thread or actor-isolated.")
    }
    package static var needsRunLoop: Mistake {
        Mistake("Asynchronous writes need a Realm on a run loop, a dispatch queue, or the main thread.")
    }

    // Configuration (MK-61 … MK-67)
    package static var keyLength: Mistake {
        Mistake("Encryption key must be exactly 64 bytes long.")
    }
    package static var noPath: Mistake {
        Mistake("A Realm.Configuration must specify a path or an in-memory identifier.")
    }
    package static func notCombinable(_ a: String, _ b: String) -> Mistake {
        Mistake("Cannot combine '\(a)' and '\(b)' in a Realm.Configuration.")
    }
    package static func openedDifferently(_ path: String, _ setting: String) -> Mistake {
        Mistake("Realm at path '\(path)' already opened with different \(setting).")
    }
    package static func tooManyVersions(_ count: Int, limit: UInt, _ path: String) -> Mistake {
        Mistake(
            "The number of active versions (\(count)) of the Realm at '\(path)' exceeds the limit of \(limit): release "
                + "frozen objects, and Realms that stay at old versions.")
    }
    package static func invalidClassSubset(_ missing: [String]) -> Mistake {
        Mistake("Invalid class subset: \(missing.joined(separator: " ")) List the classes in objectTypes, too.")
    }
    package static var recursiveDiscovery: Mistake {
        Mistake(
            "Illegal recursive call: init() of a persisted class, or a default value, opens a Realm. It runs for the "
                + "discovery of the schema, which opening a Realm waits for.")
    }
    package static var concurrentQueue: Mistake {
        Mistake("Invalid queue: a serial queue is required to confine a Realm to it.")
    }

    // Apps and synced realms (MK-65, MK-74 … MK-82)
    package static var emptyAppId: Mistake {
        Mistake("AppId cannot be an empty string.")
    }
    package static func notLoggedIn(_ user: String, _ reason: String) -> Mistake {
        Mistake("Cannot switch to user '\(user)': the user is not logged in (\(reason)).")
    }
    package static func removedUser(_ user: String) -> Mistake {
        Mistake("Cannot use a sync configuration of the removed user '\(user)': log in again.")
    }
    package static func notFlexible(_ path: String) -> Mistake {
        Mistake("The Realm at '\(path)' is not configured with flexible sync: it has no subscriptions.")
    }
    package static func notUpdatingSubscriptions(_ doing: String) -> Mistake {
        Mistake("Cannot \(doing): subscriptions change only within a write subscription block. Call update {} first.")
    }
    package static var subscriptionsBeingUpdated: Mistake {
        Mistake("The subscription set is already being updated: updates can't be nested.")
    }
    package static var subscriptionsInWrite: Mistake {
        Mistake("Cannot update subscriptions: the Realm is already in a write transaction. End it first.")
    }
    package static func subscriptionNameExists(_ name: String) -> Mistake {
        Mistake("A subscription named '\(name)' already exists. Look for it with first(named:) before adding it.")
    }
    package static func subscriptionIsGone(_ name: String) -> Mistake {
        Mistake("Cannot update the non-existent subscription '\(name)': it has been removed.")
    }
    package static func subscribedClassChanged(_ className: String, _ other: String) -> Mistake {
        Mistake(
            "Updating a subscription on class '\(className)' to a different Object Type ('\(other)') is not allowed.")
    }
    package static func notSubscribed(_ className: String) -> Mistake {
        Mistake("Cannot write to class '\(className)' when no flexible sync subscription has been created on it.")
    }
    package static func partitionType(_ value: String) -> Mistake {
        Mistake(
            "Unsupported type of partition value: \(value). Strings, integers, object ids, UUIDs and null name partitions."
        )
    }
}
