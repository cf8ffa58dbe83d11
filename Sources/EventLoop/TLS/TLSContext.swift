import COpenSSL

/// Whom a TLS client trusts.
package enum TLSTrust: Hashable, Sendable {
    /// The certificate authorities of the system.
    case system
    /// Those in a PEM file, and no others.
    case file(String)
}

/// What TLS connections of one kind share: certificates, trust, versions. At least TLS 1.2 (P-19).
///
/// OpenSSL counts the references to a context atomically, and nothing changes it once it is made: hence Sendable.
package final class TLSContext: @unchecked Sendable {
    enum Role { case client, server }

    let role: Role
    let handle: OpaquePointer

    /// For connections to servers, which must prove who they are.
    package static func client(trusting trust: TLSTrust = .system) throws -> TLSContext {
        let context = try TLSContext(.client)
        SSL_CTX_set_verify(context.handle, SSL_VERIFY_PEER, nil)
        OpenSSLError.clear()
        switch trust {
        case .system:
            guard SSL_CTX_set_default_verify_paths(context.handle) == 1 else {
                throw failure("the system's certificate authorities can't be read")
            }
        case .file(let path):
            guard SSL_CTX_load_verify_locations(context.handle, path, nil) == 1 else {
                throw failure("certificate authorities can't be read from \(path)")
            }
        }
        return context
    }

    /// For connections from clients: the server's certificate, followed by those in between, and its private key, in PEM
    /// files.
    package static func server(certificateChain: String, privateKey: String) throws -> TLSContext {
        let context = try TLSContext(.server)
        OpenSSLError.clear()
        guard SSL_CTX_use_certificate_chain_file(context.handle, certificateChain) == 1 else {
            throw failure("no certificate can be read from \(certificateChain)")
        }
        guard SSL_CTX_use_PrivateKey_file(context.handle, privateKey, SSL_FILETYPE_PEM) == 1 else {
            throw failure("no private key that belongs to the certificate can be read from \(privateKey)")
        }
        return context
    }

    private init(_ role: Role) throws {
        OpenSSLError.clear()
        guard let handle = SSL_CTX_new(role == .client ? TLS_client_method() : TLS_server_method()) else {
            throw Self.failure("TLS isn't available")
        }
        self.role = role
        self.handle = handle
        // Macros in C: Swift sees the call behind them only.
        SSL_CTX_ctrl(handle, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
        SSL_CTX_ctrl(handle, SSL_CTRL_MODE, Self.releaseBuffers | Self.acceptMovingWriteBuffer, nil)
        SSL_CTX_ctrl(handle, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
        SSL_CTX_set_options(handle, Self.noRenegotiation)
    }

    deinit { SSL_CTX_free(handle) }

    /// Idle connections give their buffers back: 32 KiB each.
    private static let releaseBuffers = 0x10
    private static let acceptMovingWriteBuffer = 0x2
    /// `SSL_OP_NO_RENEGOTIATION`: a client could have the server compute for nothing.
    private static let noRenegotiation: UInt64 = 1 << 30

    private static func failure(_ message: String) -> NetworkError {
        NetworkError(.certificate, OpenSSLError.take().map { "\(message): \($0)" } ?? message)
    }
}
