import Dispatch
import Foundation
import Model
import Store

/// A database, as seen from the thread, queue or actor that opened it.
///
/// A `Realm` is a value that refers to a shared instance; opening the same file again in the same place gives the
/// same instance. Reads go to the file itself. Writes happen in transactions, one at a time over all processes:
///
///     let realm = try Realm()
///     try realm.write {
///         realm.add(Dog(value: ["name": "Rex"]))
///     }
///
/// It belongs to where it was opened; use elsewhere traps. There is no close: the file is closed when nothing refers
/// to it any more.
@frozen
public struct Realm {
    package let core: RealmCore

    package init(_ core: RealmCore) {
        self.core = core
    }

    /// Opens the default realm.
    ///
    /// - Parameter queue: the serial queue that the instance is to belong to; call on that queue.
    public init(queue: DispatchQueue? = nil) throws {
        try self.init(configuration: .defaultConfiguration, queue: queue)
    }

    /// Opens a realm. The file is created, and missing classes are added, unless it is read-only.
    ///
    /// - Parameter queue: the serial queue that the instance is to belong to; call on that queue.
    /// - Throws: `Realm.Error`.
    public init(configuration: Configuration, queue: DispatchQueue? = nil) throws {
        self.init(try configuration.open(try Self.confinement(queue)))
    }

    /// Opens a file with the default configuration otherwise.
    public init(fileURL: URL) throws {
        var configuration = Configuration.defaultConfiguration
        configuration.fileURL = fileURL
        try self.init(configuration: configuration)
    }

    private static func confinement(_ queue: DispatchQueue?) throws -> Confinement {
        guard let queue else { return .current }
        // Dispatch doesn't say whether a queue is concurrent; the global ones are known by name.
        if queue.label.hasPrefix("com.apple.root.") { fail(.concurrentQueue) }
        let confinement = Confinement.on(queue)
        confinement.check()
        return confinement
    }

    /// What this instance was opened with.
    public var configuration: Configuration { core.configuration }

    /// Whether no class has an object.
    public var isEmpty: Bool {
        core.check()
        return core.isEmpty
    }
}

// It belongs to where it was opened: another place opens its own.
@available(*, unavailable)
extension Realm: Sendable {}

extension Realm: Equatable {
    /// Whether both are the same instance.
    public static func == (a: Realm, b: Realm) -> Bool {
        a.core === b.core
    }
}

extension Realm: CustomStringConvertible {
    public var description: String {
        "Realm(\(core.coordinator.settings.path))"
    }
}

extension RealmCore {
    var isEmpty: Bool {
        settle()
        return infos.values.allSatisfy { info in
            let overlay = transaction?.recorder.overlay(info)
            return info.reader.count + (overlay?.createdCount ?? 0) - (overlay?.deletedCount ?? 0) == 0
        }
    }
}
