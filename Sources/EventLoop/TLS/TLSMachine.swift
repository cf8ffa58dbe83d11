import COpenSSL

/// One end of a TLS connection without its connection: bytes in, bytes out.
///
/// OpenSSL works on two buffers in memory. What the peer sent goes in by `receive`, what is to be sent comes out by
/// `drain`, after each call.
final class TLSMachine {
    private(set) var state = State.handshaking

    enum State {
        case handshaking
        case open
        /// The peer has said farewell: nothing more comes.
        case ended
        /// An error, which was thrown.
        case failed
    }

    private let context: TLSContext
    private let ssl: OpaquePointer
    private let input: OpaquePointer
    private let output: OpaquePointer
    private let host: String?
    private var hasShutDown = false

    /// Bytes that go through OpenSSL in one go: a TLS record. Keeps its buffers small.
    private static let slice = 16 << 10

    /// A client names the host whose certificate it wants to see, a server gives nil.
    init(_ context: TLSContext, host: String?) throws(NetworkError) {
        OpenSSLError.clear()
        guard let ssl = SSL_new(context.handle) else { throw Self.failure(nil) }
        guard let input = BIO_new(BIO_s_mem()), let output = BIO_new(BIO_s_mem()) else {
            SSL_free(ssl)
            throw Self.failure(nil)
        }
        self.context = context
        self.host = host
        self.ssl = ssl
        self.input = input
        self.output = output
        // An empty buffer means: later.
        BIO_ctrl(input, BIO_C_SET_BUF_MEM_EOF_RETURN, -1, nil)
        BIO_ctrl(output, BIO_C_SET_BUF_MEM_EOF_RETURN, -1, nil)
        SSL_set_bio(ssl, input, output)
        switch context.role {
        case .server: SSL_set_accept_state(ssl)
        case .client:
            SSL_set_connect_state(ssl)
            guard let host, Self.expect(host, of: ssl) else {
                throw NetworkError(.address, "\(host ?? "") is no name that a certificate could have")
            }
        }
    }

    deinit { SSL_free(ssl) }

    /// Has the certificate checked for the name or numeric address, and the server told the name (SNI).
    private static func expect(_ host: String, of ssl: OpaquePointer) -> Bool {
        guard !host.isEmpty, !host.utf8.contains(0) else { return false }
        if X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1 { return true }
        SSL_set_hostflags(ssl, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
        guard SSL_set1_host(ssl, host) == 1 else { return false }
        return host.withCString {
            SSL_ctrl(
                ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), UnsafeMutableRawPointer(mutating: $0)
            )
                == 1
        }
    }

    /// Lets a client say its first words.
    func begin() throws(NetworkError) {
        try advance()
    }

    /// Takes what the peer sent; `plain` gets what it says, in pieces that are valid during the call.
    func receive(
        _ bytes: UnsafeRawBufferPointer, plain: (UnsafeRawBufferPointer) -> Void
    ) throws(NetworkError) {
        var rest = bytes[...]
        while !rest.isEmpty, state == .handshaking || state == .open {
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(Self.slice))
            rest = rest.dropFirst(piece.count)
            OpenSSLError.clear()
            guard BIO_write(input, piece.baseAddress, Int32(piece.count)) == piece.count else { throw fail(nil) }
            if state == .handshaking { try advance() }
            if state == .open { try read(plain) }
        }
    }

    /// Encrypts `bytes`. Only when open; call `drain` from time to time.
    func write(_ bytes: UnsafeRawBufferPointer, drain: (UnsafeRawBufferPointer) -> Void) throws(NetworkError) {
        var rest = bytes[...]
        while !rest.isEmpty, state == .open || state == .ended, !hasShutDown {
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(Self.slice))
            rest = rest.dropFirst(piece.count)
            OpenSSLError.clear()
            let count = SSL_write(ssl, piece.baseAddress, Int32(piece.count))
            guard count == piece.count else { throw fail(count) }
            self.drain(drain)
        }
    }

    /// Says farewell. What the peer sends can still be read.
    func shutDown() {
        guard state == .open || state == .ended, !hasShutDown else { return }
        hasShutDown = true
        OpenSSLError.clear()
        SSL_shutdown(ssl)
    }

    /// Hands over what is to be sent.
    func drain(_ body: (UnsafeRawBufferPointer) -> Void) {
        withUnsafeTemporaryAllocation(byteCount: Self.slice + 1024, alignment: 16) { buffer in
            while true {
                let count = BIO_read(output, buffer.baseAddress, Int32(buffer.count))
                guard count > 0 else { return }
                body(UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)]))
            }
        }
    }

    /// The version that was agreed on, such as `TLSv1.3`.
    var version: String { SSL_get_version(ssl).map { String(cString: $0) } ?? "" }

    private func advance() throws(NetworkError) {
        OpenSSLError.clear()
        let status = SSL_do_handshake(ssl)
        if status == 1 {
            state = .open
        } else if SSL_get_error(ssl, status) != SSL_ERROR_WANT_READ {
            throw fail(status)
        }
    }

    private func read(_ plain: (UnsafeRawBufferPointer) -> Void) throws(NetworkError) {
        let failure = withUnsafeTemporaryAllocation(byteCount: Self.slice, alignment: 16) { buffer -> Int32? in
            while true {
                OpenSSLError.clear()
                let count = SSL_read(ssl, buffer.baseAddress, Int32(buffer.count))
                if count > 0 {
                    plain(UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)]))
                    continue
                }
                switch SSL_get_error(ssl, count) {
                case SSL_ERROR_WANT_READ: return nil
                case SSL_ERROR_ZERO_RETURN:
                    state = .ended
                    return nil
                default: return count
                }
            }
        }
        if let failure { throw fail(failure) }
    }

    /// Notes the failure; an alert to the peer may have to be drained.
    private func fail(_ status: Int32?) -> NetworkError {
        let wasHandshaking = state == .handshaking
        state = .failed
        let verdict = SSL_get_verify_result(ssl)
        guard wasHandshaking, context.role == .client, verdict != Int(X509_V_OK) else {
            return Self.failure(host)
        }
        OpenSSLError.clear()
        let reason = X509_verify_cert_error_string(verdict).map { String(cString: $0) } ?? "error \(verdict)"
        return NetworkError(.certificate, "the certificate of \(host ?? "the server") isn't trusted: \(reason)")
    }

    private static func failure(_ host: String?) -> NetworkError {
        let peer = host.map { " with \($0)" } ?? ""
        return NetworkError(.tls, "no secure connection\(peer): \(OpenSSLError.take() ?? "TLS failed")")
    }
}
