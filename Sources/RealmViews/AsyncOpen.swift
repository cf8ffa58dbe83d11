import ClientKit

#if canImport(DisplaylessUI)
    import DisplaylessUI
#else
    import Combine
    import SwiftUI
#endif

private struct PartitionValueKey: EnvironmentKey {
    static var defaultValue: (any PartitionValue)? { nil }
}

extension EnvironmentValues {
    /// The partition that `@AsyncOpen` and `@AutoOpen` below open, in place of the one that they are given.
    public var partitionValue: (any PartitionValue)? {
        get { self[PartitionValueKey.self] }
        set { self[PartitionValueKey.self] = newValue }
    }
}

/// Opens a synced realm of the current user with all of the server's data, and says how far that has come.
///
/// ```swift
/// struct OpenRealmView: View {
///     @AsyncOpen(appId: "shop", timeout: 4000) var asyncOpen
///
///     var body: some View {
///         switch asyncOpen {
///         case .connecting: ProgressView()
///         case .waitingForUser: ProgressView("Waiting for user to log in…")
///         case .open(let realm): ContentView().environment(\.realm, realm)
///         case .progress(let progress): ProgressView(progress)
///         case .error(let error): Text(error.localizedDescription)
///         }
///     }
/// }
/// ```
/// It begins when it is read first, and anew when another user logs in. Without a network it ends in an error after
/// the timeout; `@AutoOpen` opens what is there then.
@MainActor @preconcurrency @propertyWrapper
public struct AsyncOpen: DynamicProperty {
    @Environment(\.realmConfiguration) private var environmentConfiguration
    @Environment(\.partitionValue) private var environmentPartition
    @StateObject private var storage = OpeningStorage()
    private let request: OpeningRequest

    /// - Parameters:
    ///   - appId: nil: the one app that this process has named.
    ///   - configuration: of a synced realm; nil: that of flexible sync.
    ///   - timeout: milliseconds that connecting may take.
    public init(appId: String? = nil, configuration: Realm.Configuration? = nil, timeout: UInt? = nil) {
        request = OpeningRequest(
            appId: appId, partition: nil, configuration: configuration, timeout: timeout, fallsBack: false)
    }

    /// - Parameter partitionValue: what to open, unless the environment's `partitionValue` says otherwise.
    public init<Partition: BSON>(
        appId: String? = nil, partitionValue: Partition, configuration: Realm.Configuration? = nil,
        timeout: UInt? = nil
    ) {
        request = OpeningRequest(
            appId: appId, partition: partitionValue, configuration: configuration, timeout: timeout, fallsBack: false)
    }

    public var wrappedValue: AsyncOpenState {
        storage.opening(request, environmentConfiguration, environmentPartition).state
    }

    /// The states from now on, the present one first.
    public var projectedValue: AsyncStream<AsyncOpenState> {
        storage.opening(request, environmentConfiguration, environmentPartition).states
    }

    /// Ends the opening and the observation of users.
    public func cancel() {
        storage.cancel()
    }
}

/// As `@AsyncOpen`; but when the download fails or takes too long, the realm is opened as it is on this machine.
///
/// ```swift
/// @AutoOpen(appId: "shop", timeout: 4000) var autoOpen
/// ```
@MainActor @preconcurrency @propertyWrapper
public struct AutoOpen: DynamicProperty {
    @Environment(\.realmConfiguration) private var environmentConfiguration
    @Environment(\.partitionValue) private var environmentPartition
    @StateObject private var storage = OpeningStorage()
    private let request: OpeningRequest

    /// - Parameters:
    ///   - appId: nil: the one app that this process has named.
    ///   - configuration: of a synced realm; nil: that of flexible sync.
    ///   - timeout: milliseconds that connecting may take.
    public init(appId: String? = nil, configuration: Realm.Configuration? = nil, timeout: UInt? = nil) {
        request = OpeningRequest(
            appId: appId, partition: nil, configuration: configuration, timeout: timeout, fallsBack: true)
    }

    /// - Parameter partitionValue: what to open, unless the environment's `partitionValue` says otherwise.
    public init<Partition: BSON>(
        appId: String? = nil, partitionValue: Partition, configuration: Realm.Configuration? = nil,
        timeout: UInt? = nil
    ) {
        request = OpeningRequest(
            appId: appId, partition: partitionValue, configuration: configuration, timeout: timeout, fallsBack: true)
    }

    public var wrappedValue: AsyncOpenState {
        storage.opening(request, environmentConfiguration, environmentPartition).state
    }

    /// The states from now on, the present one first.
    public var projectedValue: AsyncStream<AsyncOpenState> {
        storage.opening(request, environmentConfiguration, environmentPartition).states
    }

    /// Ends the opening and the observation of users.
    public func cancel() {
        storage.cancel()
    }
}

/// What `@AsyncOpen` and `@AutoOpen` keep while their view is in the tree.
@MainActor
final class OpeningStorage: @preconcurrency ObservableObject {
    let objectWillChange = ObservableObjectPublisher()
    private var resolved: ResolvedOpening?
    private var source: AppOpeningSource?
    private var current: RealmOpening?

    nonisolated init() {}

    /// The opening of what is asked for now; another one than before begins anew.
    func opening(
        _ request: OpeningRequest, _ environment: Realm.Configuration, _ partition: (any PartitionValue)?
    ) -> RealmOpening {
        let asked = ResolvedOpening(request, environment: environment, environmentPartition: partition)
        if let current, asked == resolved { return current }
        current?.cancel()
        resolved = asked
        let opening = RealmOpening(
            AppOpeningSource(asked), fallsBack: request.fallsBack,
            timeout: request.timeout.map { .milliseconds(Int64(clamping: $0)) })
        opening.willChange = { [weak self] in self?.objectWillChange.send() }
        current = opening
        return opening
    }

    func cancel() {
        current?.cancel()
    }
}
