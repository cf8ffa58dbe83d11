import COpenSSL

/// What OpenSSL has noted on this thread since its last call.
enum OpenSSLError {
    /// Must go before a call whose failure is to be told of: older entries would be taken for its own.
    static func clear() { ERR_clear_error() }

    /// The first entry in words; nil if there is none.
    static func take() -> String? {
        let code = ERR_get_error()
        guard code != 0 else { return nil }
        ERR_clear_error()
        if let reason = ERR_reason_error_string(code) { return String(cString: reason) }
        var text = [CChar](repeating: 0, count: 256)
        ERR_error_string_n(code, &text, text.count)
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
