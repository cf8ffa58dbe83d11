import CSodium

/// XChaCha20-Poly1305 with one key. What is sealed comes with an envelope: a nonce of 24 bytes and a tag of 16.
///
/// Nonces are random; 24 bytes are enough for that.
struct AuthenticatedCipher: Sendable {
    static let nonceSize = 24
    static let tagSize = 16
    static let envelopeSize = nonceSize + tagSize

    /// What else must be as it was when the bytes are opened: what they are and where they belong.
    struct Place {
        var kind: UInt64
        var first: UInt64
        var second: UInt64 = 0
        var third: UInt64 = 0
    }

    let key: SecretBytes

    /// Encrypts `count` bytes to `target`, which may be where they are. The envelope begins with the nonce to use and
    /// gets the tag.
    func seal(
        _ source: UnsafeRawPointer, _ count: Int, to target: UnsafeMutableRawPointer, at place: Place,
        envelope: UnsafeMutableRawPointer
    ) {
        var place = place
        let tag = (envelope + AuthenticatedCipher.nonceSize).assumingMemoryBound(to: UInt8.self)
        withUnsafeBytes(of: &place) { place in
            _ = crypto_aead_xchacha20poly1305_ietf_encrypt_detached(
                target.assumingMemoryBound(to: UInt8.self), tag, nil, source.assumingMemoryBound(to: UInt8.self),
                UInt64(count), place.bindMemory(to: UInt8.self).baseAddress, UInt64(place.count), nil,
                envelope.assumingMemoryBound(to: UInt8.self), key.pointer)
        }
    }

    /// Decrypts; false if anything isn't as it was sealed.
    func open(
        _ source: UnsafeRawPointer, _ count: Int, to target: UnsafeMutableRawPointer, at place: Place,
        envelope: UnsafeRawPointer
    ) -> Bool {
        var place = place
        let tag = (envelope + AuthenticatedCipher.nonceSize).assumingMemoryBound(to: UInt8.self)
        return withUnsafeBytes(of: &place) { place in
            crypto_aead_xchacha20poly1305_ietf_decrypt_detached(
                target.assumingMemoryBound(to: UInt8.self), nil, source.assumingMemoryBound(to: UInt8.self),
                UInt64(count), tag, place.bindMemory(to: UInt8.self).baseAddress, UInt64(place.count),
                envelope.assumingMemoryBound(to: UInt8.self), key.pointer) == 0
        }
    }
}
