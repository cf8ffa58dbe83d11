import Query
import Testing

struct TextFoldingTests {
    private func fold(_ text: String, _ options: Comparison.Options = .caseInsensitive) -> String {
        TextFolding.fold(text, options)
    }

    @Test(arguments: [
        ("Москва", "москва"), ("JØSANG", "jøsang"), ("BRZĘCZ", "brzęcz"), ("😀Smile", "😀smile"), ("ΣΟΦΟΣ", "σοφοσ"),
        ("σοφος", "σοφοσ"), ("Straße", "straße"), ("ÀÞ×÷", "àþ×÷"), ("K", "k"), ("ԱԲ", "աբ"), ("𐐀", "𐐨"),
        ("Ÿ", "ÿ"), ("ẞ", "ß"), ("İı", "İı")
    ])
    func `case folds one character to one in all alphabets (R68)`(text: String, expected: String) {
        #expect(fold(text).unicodeScalars.elementsEqual(expected.unicodeScalars))
    }

    @Test func `folding twice is folding once, for every character`() {
        for code in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(code) else { continue }
            let folded = TextFolding.fold(scalar)
            if TextFolding.fold(folded) != folded { Issue.record("U+\(String(code, radix: 16))") }
        }
    }

    @Test(arguments: [("éÉ", "eE"), ("Ångström", "Angstrom"), ("čížek", "cizek"), ("plain", "plain")])
    func `diacritics go, case stays (Q-156)`(text: String, expected: String) {
        #expect(fold(text, .diacriticInsensitive) == expected)
        #expect(fold(text, [.diacriticInsensitive, .caseInsensitive]) == expected.lowercased())
    }

    @Test func `bytes that are no text stay as they are (Q-68)`() {
        let bytes: [UInt8] = [0x41, 0xFF, 0xC3, 0x41, 0xE2, 0x82, 0xC0, 0x80]
        let folded = bytes.withUnsafeBytes { TextFolding.fold($0, .caseInsensitive) }
        #expect(folded == [0x61, 0xFF, 0xC3, 0x61, 0xE2, 0x82, 0xC0, 0x80])
    }
}
