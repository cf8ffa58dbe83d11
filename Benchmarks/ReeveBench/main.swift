import Foundation

/// `reeve-bench [--output FILE] [--objects N] [--only PART]`: prints a table, writes the list as JSON, and exits 1 if
/// a goal was missed.
func run() throws -> Bool {
    var arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "--role" {
        try runRole(Array(arguments.dropFirst()))
        return true
    }
    var output: String?
    var objects = 1_000_000
    var only: String?
    while let name = arguments.first {
        guard arguments.count >= 2 else { throw BenchError("\(name) needs a value") }
        switch name {
        case "--output": output = arguments[1]
        case "--objects": objects = Int(arguments[1]) ?? objects
        case "--only": only = arguments[1]
        default: throw BenchError("unknown option \(name); there are --output, --objects, --only")
        }
        arguments.removeFirst(2)
    }

    let binaries = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    let bench = try Bench(binaries: binaries)
    defer { bench.finish() }
    let parts: [(String, () throws -> [Measurement])] = [
        ("agent", AgentBenchmarks(bench: bench).run),
        ("wire", WireBenchmarks(bench: bench).run),
        ("merge", MergeBenchmarks(bench: bench).run),
        ("commits", CommitBenchmarks(bench: bench).run),
        ("observers", ObserverBenchmarks(bench: bench).run),
        ("encryption", EncryptionBenchmarks(bench: bench).run),
        ("migration", MigrationBenchmarks(bench: bench).run),
        ("queries", QueryBenchmarks(bench: bench, total: objects).run),
        ("sync", SyncBenchmarks(bench: bench, total: objects).run),
        ("bundles", BundleBenchmarks(bench: bench).run)
    ]
    var measurements: [Measurement] = []
    for (name, part) in parts where only == nil || only == name {
        measurements += try part()
    }
    print("")
    printTable(measurements)
    if let output {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(measurements).write(to: URL(fileURLWithPath: output))
    }
    return measurements.allSatisfy(\.met)
}

func runRole(_ arguments: [String]) throws {
    switch (arguments.first, arguments.count) {
    case ("writer", 4):
        try CommitBenchmarks.writer(
            path: arguments[1], index: Int(arguments[2]) ?? 0, milliseconds: Int(arguments[3]) ?? 0)
    case ("observer", 3):
        try CommitBenchmarks.observer(path: arguments[1], count: Int(arguments[2]) ?? 0)
    case ("observers", 4):
        try ObserverBenchmarks.observers(
            path: arguments[1], count: Int(arguments[2]) ?? 0, isConcerned: arguments[3] == "true")
    case ("holder", 4):
        try MemoryBenchmarks.holder(path: arguments[1], kind: arguments[2], total: Int(arguments[3]) ?? 0)
    case ("synced-download", 4):
        try SyncBenchmarks.download(url: arguments[1], partition: arguments[2], count: Int(arguments[3]) ?? 0)
    case ("synced-observer", 4):
        try SyncBenchmarks.observe(url: arguments[1], partition: arguments[2], count: Int(arguments[3]) ?? 0)
    case ("bundled", 3):
        try BundleBenchmarks.open(url: arguments[1], seed: arguments[2])
    case ("idlers", 3):
        try IdleConnections.hold(Int(arguments[2]) ?? 0, url: arguments[1])
    case ("echo", 2):
        try WireBenchmarks.echo(path: arguments[1])
    default:
        throw BenchError("unknown role \(arguments)")
    }
}

do {
    exit(try run() ? 0 : 1)
} catch {
    FileHandle.standardError.write(Data("reeve-bench: \(error)\n".utf8))
    exit(2)
}
