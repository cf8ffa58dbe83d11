import Foundation

/// Base64 as tokens use it.
enum Base64 {
    /// URL-safe, without padding.
    static func encodeURL(_ bytes: [UInt8]) -> String {
        let text = Data(bytes).base64EncodedString()
        return String(
            text.compactMap { character -> Character? in
                switch character {
                case "+": "-"
                case "/": "_"
                case "=": nil
                default: character
                }
            })
    }

    /// Either alphabet, padding optional (H-24); nil if it is neither.
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var bytes = text.utf8.map { byte -> UInt8 in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        while bytes.last == UInt8(ascii: "=") { bytes.removeLast() }
        bytes += Array(repeating: UInt8(ascii: "="), count: (4 - bytes.count % 4) % 4)
        return Data(base64Encoded: Data(bytes)).map(Array.init)
    }
}
