import Foundation
import Model

/// Folding of UTF-8 before comparison: case by Unicode's simple folding, and diacritics. No locale, the same everywhere.
///
/// Simple folding maps one character to one: `ß` stays, `ς` becomes `σ`, `İ` and `ı` stay apart from `i`. Bytes that
/// are no UTF-8 stay as they are.
package enum TextFolding {
    /// The text with the differences that the options ignore taken out.
    package static func fold(_ text: UnsafeRawBufferPointer, _ options: Comparison.Options) -> [UInt8] {
        let foldsCase = options.contains(.caseInsensitive)
        if !text.contains(where: { $0 >= 0x80 }) { return foldsCase ? text.map(lowerASCII) : Array(text) }
        var folded: [UInt8] = []
        folded.reserveCapacity(text.count)
        if options.contains(.diacriticInsensitive) {
            guard let string = String(validating: text, as: UTF8.self) else { return Array(text) }
            for scalar in string.decomposedStringWithCanonicalMapping.unicodeScalars
            where scalar.properties.canonicalCombiningClass == .notReordered {
                append(foldsCase ? fold(scalar) : scalar, to: &folded)
            }
            return folded
        }
        guard foldsCase else { return Array(text) }
        var index = 0
        while index < text.count {
            let byte = text[index]
            if byte < 0x80 {
                folded.append(lowerASCII(byte))
                index += 1
            } else if let (scalar, length) = scalar(text, index) {
                append(fold(scalar), to: &folded)
                index += length
            } else {
                folded.append(byte)
                index += 1
            }
        }
        return folded
    }

    package static func fold(_ text: String, _ options: Comparison.Options) -> String {
        var text = text
        return String(decoding: text.withUTF8 { fold(UnsafeRawBufferPointer($0), options) }, as: UTF8.self)
    }

    /// Simple case folding of one character.
    package static func fold(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        if scalar.value < UInt32(table.count) { return Unicode.Scalar(table[Int(scalar.value)]) ?? scalar }
        return computed(scalar)
    }

    /// The alphabets that most text is written in: Latin, Greek, Cyrillic, Armenian.
    private static let table: [UInt16] = (0..<0x0590).map { code in
        Unicode.Scalar(UInt16(code)).map { UInt16(truncatingIfNeeded: computed($0).value) } ?? UInt16(code)
    }

    private static func computed(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        // Turkish dotted and dotless i fold only in Turkish.
        if scalar.value == 0x130 || scalar.value == 0x131 { return scalar }
        let upper = single(scalar.properties.uppercaseMapping) ?? scalar
        return single(upper.properties.lowercaseMapping) ?? scalar
    }

    private static func single(_ text: String) -> Unicode.Scalar? {
        let scalars = text.unicodeScalars
        return scalars.count == 1 ? scalars.first : nil
    }

    private static func lowerASCII(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }

    private static func append(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }

    /// The character of several bytes at `index`, if it is well-formed.
    private static func scalar(_ text: UnsafeRawBufferPointer, _ index: Int) -> (Unicode.Scalar, Int)? {
        let first = text[index]
        let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
        guard first >= 0xC2, first < 0xF5, index + length <= text.count else { return nil }
        var value = UInt32(first & (length == 2 ? 0x1F : length == 3 ? 0x0F : 0x07))
        for offset in 1..<length {
            guard text[index + offset] & 0xC0 == 0x80 else { return nil }
            value = value << 6 | UInt32(text[index + offset] & 0x3F)
        }
        let isShortest = length == 2 || value >= (length == 3 ? 0x800 : 0x10000)
        return isShortest ? Unicode.Scalar(value).map { ($0, length) } : nil
    }
}
