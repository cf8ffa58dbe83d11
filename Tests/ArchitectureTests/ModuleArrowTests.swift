import Foundation
import Testing

/// The arrows between modules point one way: ARCHITECTURE.md has the table, this is its enforcement.
@Suite struct ModuleArrowTests {
    /// What each module may import of ours and of C. Nothing else that the package builds.
    static let allowed: [String: Set<String>] = [
        "Model": [],
        "Query": ["Model"],
        "Merge": ["Model"],
        "Store": ["Model", "Query", "CLMDB", "CPlatform", "CSodium"],
        "Wire": ["Model", "CBSON", "CPlatform"],
        "Sync": ["Model", "CZlib"],
        "History": ["Model", "Query", "Merge", "Store", "Sync"],
        "EventLoop": ["CUV", "COpenSSL", "CPlatform"],
        "Agent": ["Model", "Query", "Store", "Wire", "Sync", "History", "EventLoop", "CPlatform"],
        "Server": ["Model", "Store", "Sync", "History", "EventLoop", "CPlatform", "COpenSSL", "CSodium"],
        "Lab": ["Model", "Store", "Sync", "History", "EventLoop", "Agent", "Server"],
        "ClientKit": ["Model", "Query", "Store", "Wire", "CPlatform"],
        "RealmSwift": ["ClientKit", "RealmViews"],
        "Realm": ["ClientKit"],
        "DisplaylessUI": [],
        "RealmViews": ["ClientKit", "DisplaylessUI"],
        "SwiftUI": ["DisplaylessUI", "RealmViews"],
        "reeve": ["Model", "Query", "Store", "Wire", "EventLoop", "Agent", "Server", "Lab", "ClientKit", "CPlatform"]
    ]

    /// Modules whose import must be allowed for; toolchain modules may be imported anywhere, and `SwiftUI` is one of these
    /// where ours isn't.
    static let guarded: Set<String> = Set(allowed.keys).subtracting(["SwiftUI"]).union([
        "CUV", "CLMDB", "CBSON", "CZlib", "COpenSSL", "CSodium", "CSQLite", "CPlatform", "CFloor"
    ])

    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Imports of one source text, whatever attributes and access levels stand before the keyword.
    static func imports(of source: String) -> [String] {
        source.split(separator: "\n").compactMap { line in
            var words = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).prefix { $0 != "//" }
            while let first = words.first, first != "import" {
                let isModifier =
                    first.hasPrefix("@") || ["public", "package", "internal", "fileprivate", "private"].contains(first)
                guard isModifier else { return nil }
                words = words.dropFirst()
            }
            guard words.count >= 2 else { return nil }
            let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
            let name = kinds.contains(words[words.startIndex + 1]) ? words.dropFirst(2).first : words.dropFirst(1).first
            return name.map { String($0.split(separator: ".")[0]) }
        }
    }

    @Test(arguments: allowed.keys.sorted())
    func importsFollowTheArrows(module: String) throws {
        let folder = Self.root.appendingPathComponent("Sources/\(module)")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var count = 0
        for case let file as URL in files where file.pathExtension == "swift" {
            count += 1
            for name in Self.imports(of: try String(contentsOf: file, encoding: .utf8))
            where Self.guarded.contains(name) {
                #expect(
                    Self.allowed[module]?.contains(name) == true,
                    "\(module) may not import \(name): \(file.lastPathComponent)")
            }
        }
        #expect(count > 0, "no sources in \(folder.path)")
    }

    @Test func everyModuleHasARule() throws {
        let sources = try FileManager.default.contentsOfDirectory(
            at: Self.root.appendingPathComponent("Sources"), includingPropertiesForKeys: nil)
        let names = sources.map(\.lastPathComponent).filter { !$0.hasPrefix("C") || $0 == "ClientKit" }
        #expect(Set(names) == Set(Self.allowed.keys))
    }

    @Test func arrowsHaveNoCycle() {
        var done: Set<String> = []
        var remaining = Self.allowed.mapValues { $0.filter { Self.allowed[$0] != nil } }
        while let free = remaining.first(where: { done.isSuperset(of: $0.value) }) {
            done.insert(free.key)
            remaining[free.key] = nil
        }
        #expect(remaining.isEmpty, "cycle among \(remaining.keys.sorted())")
    }

    @Test func importLinesAreRecognised() {
        #expect(
            Self.imports(
                of:
                    "@testable import Store\nimport Foundation\npackage import Model\nimport struct Wire.Frame\n// import Agent"
            )
                == ["Store", "Foundation", "Model", "Wire"])
    }
}
