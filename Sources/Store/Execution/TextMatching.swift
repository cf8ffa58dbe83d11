import Foundation
import Query

/// The text operators over UTF-8 bytes (Q-72 … ). The pattern is folded once, each text when it is looked at.
struct UnsafeTextMatcher {
    let op: Comparison.Operator
    private let pattern: [UInt8]
    private let options: Comparison.Options
    private let isText: Bool

    /// - Parameter isText: strings, as opposed to binaries: `?` stands for a code point, not a byte.
    init(_ op: Comparison.Operator, pattern: UnsafeRawBufferPointer, options: Comparison.Options, isText: Bool) {
        self.op = op
        self.options = options
        self.isText = isText
        self.pattern = options.isEmpty ? Array(pattern) : UnsafeTextMatcher.fold(pattern, options)
    }

    func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        pattern.withUnsafeBytes { pattern in
            if isPlain { return compare(text, pattern) }
            return UnsafeTextMatcher.fold(text, options).withUnsafeBytes { compare($0, pattern) }
        }
    }

    /// Whether texts are compared byte by byte.
    var isPlain: Bool { options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive]) }
    /// Whether case is all that is folded.
    var foldsCaseOnly: Bool { options.contains(.caseInsensitive) && !options.contains(.diacriticInsensitive) }

    /// The pattern as `compare` takes it.
    func withPattern<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R { pattern.withUnsafeBytes(body) }

    /// Compares a text that is folded already, if the options say so.
    @inline(__always)
    func compare(_ text: UnsafeRawBufferPointer, _ pattern: UnsafeRawBufferPointer) -> Bool {
        switch op {
        case .equal, .isIn: return text.isEqual(pattern)
        case .notEqual: return !text.isEqual(pattern)
        case .beginsWith:
            return text.count >= pattern.count
                && UnsafeRawBufferPointer(rebasing: text[..<pattern.count]).isEqual(pattern)
        case .endsWith:
            return text.count >= pattern.count
                && UnsafeRawBufferPointer(rebasing: text[(text.count - pattern.count)...]).isEqual(pattern)
        case .contains: return UnsafeTextMatcher.contains(text, pattern)
        case .like: return like(text, pattern)
        default: return false
        }
    }

    static func contains(_ text: UnsafeRawBufferPointer, _ pattern: UnsafeRawBufferPointer) -> Bool {
        guard let needle = pattern.baseAddress, pattern.count > 0 else { return true }
        guard let start = text.baseAddress, text.count >= pattern.count else { return false }
        // Jump to each occurrence of the first byte.
        let last = text.count - pattern.count
        var at = 0
        while at <= last {
            guard let found = memchr(start + at, Int32(pattern[0]), last - at + 1) else { return false }
            if memcmp(found, needle, pattern.count) == 0 { return true }
            at = UnsafeRawPointer(found) - start + 1
        }
        return false
    }

    /// `*` any run, `?` one character; backtracks to the last `*` only, so linear in practice.
    private func like(_ text: UnsafeRawBufferPointer, _ pattern: UnsafeRawBufferPointer) -> Bool {
        var position = 0
        var place = 0
        var star = -1
        var resume = 0
        while position < text.count {
            if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
                star = place
                place += 1
                resume = position
            } else if place < pattern.count, pattern[place] == UInt8(ascii: "?") {
                place += 1
                position = next(text, position)
            } else if place < pattern.count, pattern[place] == text[position] {
                place += 1
                position += 1
            } else if star >= 0 {
                place = star + 1
                resume = next(text, resume)
                position = resume
            } else {
                return false
            }
        }
        while place < pattern.count, pattern[place] == UInt8(ascii: "*") { place += 1 }
        return place == pattern.count
    }

    private func next(_ text: UnsafeRawBufferPointer, _ position: Int) -> Int {
        var after = position + 1
        if isText { while after < text.count, text[after] & 0xC0 == 0x80 { after += 1 } }
        return after
    }

    static func fold(_ text: UnsafeRawBufferPointer, _ options: Comparison.Options) -> [UInt8] {
        TextFolding.fold(text, options)
    }
}
