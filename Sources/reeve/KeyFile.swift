import Foundation
import Wire

/// The file with an encryption key: keys don't go on command lines, where every user of the machine can read them.
enum KeyFile {
    static let option = Arguments.Option(
        "key-file", "FILE", "the key of an encrypted realm: 64 bytes, or 128 hexadecimal digits")

    /// Hexadecimal digits of a key.
    private static let digits = 2 * EncryptionKey.size

    /// The key that `--key-file` names; nil without it.
    static func key(_ arguments: Arguments, option: String = KeyFile.option.name) throws -> EncryptionKey? {
        guard let path = arguments.value(option) else { return nil }
        guard let handle = FileHandle(forReadingAtPath: path), let data = try handle.read(upToCount: digits + 2) else {
            throw UsageError("the key file \(path) can't be read, or is empty")
        }
        var bytes = [UInt8](data)
        defer { bytes.withUnsafeMutableBytes { if let start = $0.baseAddress { explicit_bzero(start, $0.count) } } }
        if let key = EncryptionKey(bytes) { return key }
        while let last = bytes.last, last == 0x0A || last == 0x0D { bytes.removeLast() }
        guard bytes.count == digits, let key = EncryptionKey(try decoded(bytes, path)) else { throw wrongFile(path) }
        return key
    }

    private static func decoded(_ digits: [UInt8], _ path: String) throws -> [UInt8] {
        try stride(from: 0, to: digits.count, by: 2).map { index in
            guard let high = hexadecimal(digits[index]), let low = hexadecimal(digits[index + 1]) else {
                throw wrongFile(path)
            }
            return high << 4 | low
        }
    }

    private static func hexadecimal(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x41 + 10
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }

    private static func wrongFile(_ path: String) -> UsageError {
        UsageError("the key file \(path) must have \(EncryptionKey.size) bytes, or \(digits) hexadecimal digits")
    }
}
