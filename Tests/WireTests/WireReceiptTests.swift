import Foundation
import Testing

@testable import Wire

/// Receipts as text.
@Suite struct WireReceiptTests {
    private static let realm = UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")!

    @Test func textIsOneWordThatAShellLeavesAlone() {
        let receipt = WireReceipt(path: "/home/ann/my notes/öl:1%.realm", realm: Self.realm, version: 42)
        #expect(
            receipt.text
                == "reeve:1:42:00112233445566778899aabbccddeeff:/home/ann/my%20notes/%C3%B6l%3A1%25.realm")
        #expect(WireReceipt(receipt.text) == receipt)
    }

    @Test(arguments: ["/a", "/a b/c", "/ü/🙂.realm", "/%41", "/a\"'`$\\\n\t;|&<>", "/~a/(b)"])
    func everyPathComesBack(path: String) throws {
        let receipt = WireReceipt(path: path, realm: UUID(), version: UInt64(Int64.max))
        let back = try #require(WireReceipt(receipt.text))
        #expect(back.path.utf8.elementsEqual(path.utf8) && back == receipt)
        let harmless = receipt.text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/.-_:%".contains($0)) }
        #expect(harmless, "\(receipt.text)")
    }

    @Test(arguments: [
        "", "reeve", "reeve:1:", "reeve:2:42:00112233445566778899aabbccddeeff:/a",
        "reeve:1:0:00112233445566778899aabbccddeeff:/a", "reeve:1:-1:00112233445566778899aabbccddeeff:/a",
        "reeve:1:9223372036854775808:00112233445566778899aabbccddeeff:/a",
        "reeve:1:x:00112233445566778899aabbccddeeff:/a", "reeve:1:1:00112233445566778899aabbccddeef:/a",
        "reeve:1:1:00112233445566778899aabbccddeegg:/a", "reeve:1:1:00112233-445566778899aabbccddeeff:/a",
        "reeve:1:1:00112233445566778899aabbccddeeff:a", "reeve:1:1:00112233445566778899aabbccddeeff:/a%",
        "reeve:1:1:00112233445566778899aabbccddeeff:/a%00b", "reeve:1:1:00112233445566778899aabbccddeeff"
    ])
    func whatIsNoReceiptIsRefused(text: String) {
        #expect(WireReceipt(text) == nil)
    }
}
