import Foundation

/// The files beside a realm that belong to it, by what is appended to its path.
package enum CompanionFiles {
    /// LMDB's reader table, the writer's lock, the journal.
    package static let suffixes = [readerTableSuffix, lockSuffix, journalSuffix]
    private static let readerTableSuffix = "-lock"
    private static let lockSuffix = ".lock"
    private static let journalSuffix = ".journal"
    /// A file being made has this and a random number of eight hexadecimal digits.
    private static let temporaryInfix = ".new-"
    private static let digits = 8

    /// Bytes of the longest name that a realm can have: file systems take 255, and the companions need some.
    package static let longestName = 255 - temporaryInfix.utf8.count - digits

    static func readerTable(of realm: String) -> String { realm + readerTableSuffix }
    static func lock(of realm: String) -> String { realm + lockSuffix }
    static func journal(of realm: String) -> String { realm + journalSuffix }

    /// A name for a file that is being made for `realm`.
    static func temporary(for realm: String) -> String {
        let number = String(UInt32.random(in: 0...UInt32.max), radix: 16)
        return realm + temporaryInfix + String(repeating: "0", count: digits - number.count) + number
    }

    /// Whether a file of that name may be another realm's companion, so that no realm can be called so.
    package static func isReserved(_ name: String) -> Bool {
        suffixes.contains { name.hasSuffix($0) } || isTemporary(name[...])
    }

    /// The files that were being made for `realm` and have their temporary names still.
    static func temporaries(of realm: String) -> [String] {
        let path = realm as NSString
        let directory = path.deletingLastPathComponent
        let name = path.lastPathComponent
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: directory.isEmpty ? "." : directory)) ?? []
        return entries.filter { $0.hasPrefix(name) && isTemporary($0.dropFirst(name.count), isWhole: true) }
            .map { directory.isEmpty ? $0 : (directory as NSString).appendingPathComponent($0) }
    }

    /// Whether `name` ends as the name of a file being made does, or with `isWhole` consists of that end.
    private static func isTemporary(_ name: Substring, isWhole: Bool = false) -> Bool {
        let number = name.utf8.suffix(digits)
        let rest = name.utf8.dropLast(digits)
        guard number.count == digits,
            number.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return false }
        return isWhole
            ? rest.elementsEqual(temporaryInfix.utf8)
            : rest.suffix(temporaryInfix.utf8.count).elementsEqual(temporaryInfix.utf8)
    }
}
