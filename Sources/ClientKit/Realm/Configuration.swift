import Foundation
import Model

extension Realm {
    /// Which realm to open, and how.
    @frozen
    public struct Configuration: Sendable {
        /// The configuration that `Realm()` uses. Setting it concerns realms opened afterwards.
        public static var defaultConfiguration: Configuration {
            get { standard.withLock { $0 } }
            set { standard.withLock { $0 = newValue } }
        }

        private static let standard = Lock(Configuration())

        /// The file. Setting it clears `inMemoryIdentifier`.
        public var fileURL: URL? {
            get { place.url }
            set {
                if let newValue, !newValue.isFileURL || newValue.path.isEmpty {
                    fail(Mistake("Cannot use '\(newValue)' as a Realm's path: a Realm must specify a path of a file."))
                }
                place = newValue.map { .file($0) } ?? .none
            }
        }

        /// Name of a realm in memory, which lives while it is open somewhere. Setting it clears `fileURL`.
        public var inMemoryIdentifier: String? {
            get { place.identifier }
            set { place = newValue.map { .memory($0) } ?? .none }
        }

        /// Whose data the realm holds, if it is a synced one; nil makes it local.
        public var syncConfiguration: SyncConfiguration? {
            didSet { checkCombination() }
        }

        /// 64 bytes: the file is encrypted with it. All processes that open the realm need it; with another one, or with
        /// none, or for a file that isn't encrypted, opening throws `invalidDatabase`.
        public var encryptionKey: Data? {
            didSet { if let encryptionKey, encryptionKey.count != 64 { fail(.keyLength) } }
        }

        /// Opens for reading only: nothing is created, and the realm doesn't change while it is open.
        public var readOnly: Bool {
            didSet { checkCombination() }
        }

        /// Version of the app's classes; grows when they change.
        public var schemaVersion: UInt64 {
            didSet { if schemaVersion == .max { fail(Mistake("Cannot set the schema version to \(UInt64.max).")) } }
        }

        /// Carries data over when the file has a lower version. A new file is made without it.
        public var migrationBlock: MigrationBlock?

        /// Throws the data away if the file's classes don't fit.
        public var deleteRealmIfMigrationNeeded: Bool {
            didSet { checkCombination() }
        }

        /// Asked when the file is opened first, with its total and its used bytes: whether to compact it.
        public var shouldCompactOnLaunch: (@Sendable (Int, Int) -> Bool)? {
            didSet { checkCombination() }
        }

        /// A realm file to begin with, where there is none.
        public var seedFilePath: URL?

        /// How many versions may be held at a time; nil or 0: any number.
        public var maximumNumberOfActiveVersions: UInt?

        @usableFromInline var place: Place
        @usableFromInline var types: [any Any.Type]?
        /// Classes given by description, without Swift types.
        @usableFromInline var describedClasses: DescribedClasses?

        @usableFromInline
        enum Place: Hashable, Sendable {
            case file(URL)
            case memory(String)
            case standard
            case none

            var url: URL? {
                switch self {
                case .file(let url): url
                case .standard: Configuration.standardURL
                default: nil
                }
            }

            var identifier: String? {
                if case .memory(let identifier) = self { identifier } else { nil }
            }
        }

        @usableFromInline
        struct DescribedClasses: Sendable {
            let schema: RealmSchema
        }

        private func checkCombination() {
            if let syncConfiguration {
                if deleteRealmIfMigrationNeeded {
                    fail(.notCombinable("deleteRealmIfMigrationNeeded", "syncConfiguration"))
                }
                let user = syncConfiguration.user
                if user.state == .removed { fail(.removedUser(user.id)) }
            }
            guard readOnly else { return }
            if deleteRealmIfMigrationNeeded { fail(.notCombinable("readOnly", "deleteRealmIfMigrationNeeded")) }
            if shouldCompactOnLaunch != nil { fail(.notCombinable("readOnly", "shouldCompactOnLaunch")) }
        }

        /// A realm whose classes are described instead of declared.
        package init(path: String, schema: RealmSchema) {
            self.init(fileURL: URL(fileURLWithPath: path))
            describedClasses = DescribedClasses(schema: schema)
        }
    }
}

// MARK: - Making one
extension Realm.Configuration {
    /// All parts are optional. Without `fileURL` and identifier it is the app's default file.
    public init(
        fileURL: URL? = nil, inMemoryIdentifier: String? = nil, syncConfiguration: SyncConfiguration? = nil,
        encryptionKey: Data? = nil, readOnly: Bool = false, schemaVersion: UInt64 = 0,
        migrationBlock: MigrationBlock? = nil, deleteRealmIfMigrationNeeded: Bool = false,
        shouldCompactOnLaunch: (@Sendable (Int, Int) -> Bool)? = nil, objectTypes: [ObjectBase.Type]? = nil,
        seedFilePath: URL? = nil
    ) {
        place = .standard
        self.syncConfiguration = syncConfiguration
        self.encryptionKey = encryptionKey
        self.readOnly = readOnly
        self.schemaVersion = schemaVersion
        self.migrationBlock = migrationBlock
        self.deleteRealmIfMigrationNeeded = deleteRealmIfMigrationNeeded
        self.shouldCompactOnLaunch = shouldCompactOnLaunch
        self.seedFilePath = seedFilePath
        types = objectTypes
        describedClasses = nil
        maximumNumberOfActiveVersions = nil
        // The observers of properties don't run in an initialiser.
        if let encryptionKey, encryptionKey.count != 64 { fail(.keyLength) }
        if schemaVersion == .max { fail(Mistake("Cannot set the schema version to \(UInt64.max).")) }
        checkCombination()
        if let fileURL { self.fileURL = fileURL }
        if let inMemoryIdentifier { self.inMemoryIdentifier = inMemoryIdentifier }
    }

    /// `default.realm` in the app's own directory of the user's application data.
    static let standardURL: URL = {
        let base =
            FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
            ?? URL(fileURLWithPath: NSHomeDirectory() + "/.local/share")
        let name = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
        return base.appendingPathComponent(name).appendingPathComponent("default.realm")
    }()
}

extension Realm.Configuration: Equatable {
    /// Whether both name the same realm in the same way; callbacks and classes don't count.
    public static func == (a: Realm.Configuration, b: Realm.Configuration) -> Bool {
        a.encryptionKey == b.encryptionKey && a.fileURL == b.fileURL
            && a.inMemoryIdentifier == b.inMemoryIdentifier && a.readOnly == b.readOnly
            && a.schemaVersion == b.schemaVersion
            && a.syncConfiguration?.partitionValue == b.syncConfiguration?.partitionValue
    }
}

extension Realm.Configuration: CustomStringConvertible {
    public var description: String {
        """
        Realm.Configuration {
            fileURL = \(fileURL?.path ?? "nil");
            inMemoryIdentifier = \(inMemoryIdentifier ?? "nil");
            syncConfiguration = \(syncConfiguration.map { "user \($0.user.id), partition \($0.partitionText ?? "none")" } ?? "nil");
            encryptionKey = \(encryptionKey.map { "\($0.count) bytes" } ?? "nil");
            readOnly = \(readOnly);
            schemaVersion = \(schemaVersion);
            migrationBlock = \(migrationBlock == nil ? "nil" : "set");
            deleteRealmIfMigrationNeeded = \(deleteRealmIfMigrationNeeded);
            shouldCompactOnLaunch = \(shouldCompactOnLaunch == nil ? "nil" : "set");
            seedFilePath = \(seedFilePath?.path ?? "nil");
            maximumNumberOfActiveVersions = \(maximumNumberOfActiveVersions.map(String.init) ?? "nil");
            objectTypes = \(types.map { "\($0)" } ?? "nil");
        }
        """
    }
}
