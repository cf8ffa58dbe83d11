import Foundation
import Store
import Wire

/// The one name of a realm file, however a client spells it.
///
/// The agent acts with its own rights, for clients of the same user. It still refuses to be led elsewhere: the last
/// component may be a symbolic link only to a file of the same directory, and files beside the realm that the agent
/// writes may not be links at all.
struct RealmPath: Hashable, Sendable {
    let path: String
    /// Whether there is a file.
    let exists: Bool

    /// Throws `badParams`, `fileNotFound` (no such directory), `permissionDenied`, `notARealm` (not a file).
    init(resolving text: String) throws(WireError) {
        guard text.hasPrefix("/"), !text.hasSuffix("/"), !text.utf8.contains(0), text.utf8.count < Int(PATH_MAX) else {
            throw WireError(
                .badParams, "a realm's path must be absolute and name a file", facts: ["path": .string(text)])
        }
        let slash = text.lastIndex(of: "/") ?? text.startIndex
        let name = String(text[text.index(after: slash)...])
        let directory = text[..<slash].isEmpty ? "/" : String(text[..<slash])
        guard name != ".", name != ".." else {
            throw WireError(.badParams, "a realm's path must name a file", facts: ["path": .string(text)])
        }
        try Self.check(name: name, text)
        guard let parent = Self.realPath(directory) else {
            let code = errno
            let kind = WireError.Code(systemCode: code)
            throw WireError(
                kind == .ioError ? .fileNotFound : kind,
                "there is no directory \(directory) for the realm: \(String(cString: strerror(code)))",
                facts: ["path": .string(text), "errno": .int32(code)])
        }
        let own = parent == "/" ? "/\(name)" : "\(parent)/\(name)"
        var status = stat()
        guard lstat(own, &status) == 0 else {
            guard errno == ENOENT else {
                let code = errno
                throw WireError(
                    WireError.Code(systemCode: code), "can't look at \(own): \(String(cString: strerror(code)))",
                    facts: ["path": .string(own), "errno": .int32(code)])
            }
            path = own
            exists = false
            try Self.checkCompanions(own)
            return
        }
        if status.st_mode & S_IFMT == S_IFLNK {
            path = try Self.follow(own, in: parent)
            guard lstat(path, &status) == 0 else {
                throw WireError(.fileNotFound, "\(own) points to nothing", facts: ["path": .string(own)])
            }
            try Self.check(name: (path as NSString).lastPathComponent, text)
        } else {
            path = own
        }
        exists = true
        try Self.check(status, path)
    }

    private static func follow(_ link: String, in parent: String) throws(WireError) -> String {
        guard let target = realPath(link) else {
            throw WireError(.fileNotFound, "\(link) points to nothing", facts: ["path": .string(link)])
        }
        let prefix = parent == "/" ? "/" : "\(parent)/"
        guard target.hasPrefix(prefix), !target.dropFirst(prefix.count).contains("/") else {
            throw WireError(
                .permissionDenied,
                "\(link) is a symbolic link that leaves its directory; open \(target) by its own path",
                facts: ["path": .string(link), "target": .string(target)])
        }
        return target
    }

    private static func check(_ status: stat, _ path: String) throws(WireError) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw WireError(.notARealm, "\(path) is a directory", facts: ["path": .string(path)])
        default: throw WireError(.notARealm, "\(path) is not a regular file", facts: ["path": .string(path)])
        }
        guard status.st_uid == geteuid() else {
            throw WireError(
                .permissionDenied,
                "\(path) belongs to uid \(status.st_uid); the agent of uid \(geteuid()) writes only that user's realms",
                facts: ["path": .string(path), "uid": .int64(Int64(status.st_uid))])
        }
        try checkCompanions(path)
    }

    /// A realm of such a name would be taken for a file that belongs to another one.
    private static func check(name: String, _ path: String) throws(WireError) {
        guard !CompanionFiles.isReserved(name) else {
            throw WireError(
                .badParams, "no realm can be called \(name): files beside a realm have such names",
                facts: ["path": .string(path)])
        }
        guard name.utf8.count <= CompanionFiles.longestName else {
            throw WireError(
                .badParams, "the name of a realm can have \(CompanionFiles.longestName) bytes",
                facts: ["path": .string(path), "limit": .int32(Int32(CompanionFiles.longestName))])
        }
    }

    private static func checkCompanions(_ path: String) throws(WireError) {
        for companion in CompanionFiles.suffixes {
            var other = stat()
            if lstat(path + companion, &other) == 0, other.st_mode & S_IFMT != S_IFREG {
                throw WireError(
                    .permissionDenied, "\(path + companion) is not a regular file; remove it",
                    facts: ["path": .string(path + companion)])
            }
        }
    }

    private static func realPath(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
