// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error)
]

/// What lies in a module's folder and isn't code.
let documents = ["Wire": ["PROTOCOL.md"], "Store": ["FORMAT.md"], "History": ["RECORDS.md"], "Server": ["DATA.md"]]

/// One of our own modules. What it may import is written down here and checked by `ArchitectureTests`.
func module(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(
        name: name, dependencies: dependencies, exclude: documents[name] ?? [], swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: dependencies + ["TestSupport"], exclude: exclude, swiftSettings: strict)
}

let package = Package(
    name: "reeve",
    products: [
        .library(name: "RealmSwift", targets: ["RealmSwift", "Realm"]),
        .executable(name: "reeve", targets: ["reeve"])
    ],
    targets: [
        .systemLibrary(name: "CUV", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"])]),
        .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]),
        .systemLibrary(name: "CBSON", pkgConfig: "libbson-1.0", providers: [.apt(["libbson-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .target(name: "CPlatform"),

        module("Model", []),
        module("Query", ["Model"]),
        module("Merge", ["Model"]),
        module("Store", ["Model", "Query", "CLMDB", "CPlatform", "CSodium"]),
        module("Wire", ["Model", "CBSON", "CPlatform"]),
        module("Sync", ["Model", "CZlib"]),
        module("History", ["Model", "Query", "Merge", "Store", "Sync"]),
        module("EventLoop", ["CUV", "COpenSSL", "CPlatform"]),
        module("Agent", ["Model", "Query", "Store", "Wire", "Sync", "History", "EventLoop", "CPlatform"]),
        module(
            "Server",
            ["Model", "Store", "Sync", "History", "EventLoop", "CPlatform", "COpenSSL", "CSodium"]),
        module("Lab", ["Model", "Store", "Sync", "History", "EventLoop", "Agent", "Server"]),
        module("ClientKit", ["Model", "Query", "Store", "Wire", "CPlatform"]),
        module("RealmSwift", ["ClientKit", .target(name: "RealmViews", condition: .when(platforms: [.macOS, .iOS]))]),
        module("Realm", ["ClientKit"]),
        module("RealmViews", ["ClientKit", .target(name: "DisplaylessUI", condition: .when(platforms: [.linux]))]),
        .executableTarget(
            name: "reeve",
            dependencies: [
                "Model", "Query", "Store", "Wire", "EventLoop", "Agent", "Server", "Lab", "ClientKit", "CPlatform"
            ],
            swiftSettings: strict),

        .executableTarget(
            name: "demo-client", dependencies: ["RealmSwift"], path: "Examples/DemoClient", swiftSettings: strict),
        .executableTarget(name: "todo", dependencies: ["RealmSwift"], path: "Examples/Todo", swiftSettings: strict),
        .executableTarget(
            name: "log-collector", dependencies: ["RealmSwift"], path: "Examples/LogCollector", swiftSettings: strict),
        .executableTarget(
            name: "place-browser", dependencies: ["RealmSwift"], path: "Examples/Browser", swiftSettings: strict),
        .executableTarget(
            name: "sensor-gateway", dependencies: ["RealmSwift"], path: "Examples/SensorGateway",
            exclude: ["README.md"],
            swiftSettings: strict),
        .executableTarget(
            name: "test-client", dependencies: ["RealmSwift", "TestSupport"], path: "Tests/TestClient",
            swiftSettings: strict),
        .executableTarget(
            name: "store-child", dependencies: ["Store", "Model"], path: "Tests/StoreChild", swiftSettings: strict),
        .executableTarget(
            name: "history-child", dependencies: ["History", "Sync", "Store"], path: "Tests/HistoryChild",
            swiftSettings: strict),
        .target(
            name: "TestSupport", dependencies: ["Wire", "Store", "Query", "Model", "CPlatform"],
            path: "Tests/TestSupport",
            swiftSettings: strict),
        .target(
            name: "HistorySupport", dependencies: ["History", "Store", "Model"], path: "Tests/HistorySupport",
            swiftSettings: strict),

        tests("Architecture", []),
        tests("Model", ["Model"], exclude: ["Fixtures"]),
        tests("Query", ["Query", "Model"]),
        tests("Merge", ["Merge", "Store", "Model"]),
        tests("Store", ["Store", "Query", "Model", "CLMDB", "store-child"]),
        tests("Wire", ["Wire", "Model"]),
        tests("Sync", ["Sync", "Merge", "Model"]),
        tests("History", ["HistorySupport", "History", "Sync", "Store", "Merge", "Query", "Model", "history-child"]),
        tests("EventLoop", ["EventLoop"]),
        tests("Agent", ["Agent", "Sync", "Store", "Query", "Wire", "EventLoop", "Model", "CPlatform"]),
        tests("Server", ["Server", "HistorySupport", "EventLoop", "History", "Sync", "Store", "Model"]),
        tests("ClientKit", ["RealmSwift", "Realm", "ClientKit", "Agent", "Store", "Wire", "Model", "EventLoop"]),
        tests(
            "Simulation", ["Lab", "Server", "HistorySupport", "Agent", "History", "Sync", "Store", "EventLoop", "Model"]
        ),
        tests("Compatibility", ["RealmSwift", "Wire", "Model"]),
        tests("Command", ["reeve", "Wire", "Model"]),
        tests("Process", ["Wire", "Model", "CPlatform"]),

        .target(name: "CFloor", dependencies: ["CUV", "CSQLite"], path: "Benchmarks/CFloor"),
        .executableTarget(
            name: "reeve-bench",
            dependencies: [
                "RealmSwift", "ClientKit", "Agent", "Sync", "EventLoop", "Merge", "Store", "Wire", "Model", "CFloor"
            ],
            path: "Benchmarks/ReeveBench", swiftSettings: strict)
    ]
)

// Where there is no SwiftUI, a module of that name has views without a display, and Realm's property wrappers for them.
#if os(Linux)
    package.products.append(.library(name: "SwiftUI", targets: ["SwiftUI"]))
    package.targets += [
        module("DisplaylessUI", []), module("SwiftUI", ["DisplaylessUI", "RealmViews"]),
        .executableTarget(
            name: "notes", dependencies: ["RealmSwift", "SwiftUI"], path: "Examples/Notes", exclude: ["README.md"],
            swiftSettings: strict),
        .executableTarget(
            name: "leaderboard", dependencies: ["RealmSwift", "SwiftUI"], path: "Examples/Leaderboard",
            exclude: ["README.md"], swiftSettings: strict),
        tests("Views", ["RealmSwift", "SwiftUI", "ClientKit"])
    ]
#endif

// The fuzz targets need the whole build to be instrumented: `make fuzz`.
if Context.environment["REEVE_FUZZ"] != nil {
    func fuzz(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
        .executableTarget(
            name: "fuzz-\(name.lowercased())", dependencies: dependencies, path: "Fuzz/\(name)", swiftSettings: strict)
    }
    package.targets += [
        fuzz("Query", ["Query", "Model"]), fuzz("Frames", ["Wire"]), fuzz("Changeset", ["Model"]),
        fuzz("Merge", ["Merge", "Model"]), fuzz("Sync", ["Sync"])
    ]
}
