/// A position in a server history and what it had of a client's changes (P-84).
package struct DownloadCursor: Hashable, Sendable {
    /// Server version.
    package var server: Int64
    /// Last version of the receiving file that the server had integrated at `server`.
    package var client: Int64

    package init(server: Int64 = 0, client: Int64 = 0) {
        self.server = server
        self.client = client
    }

    /// The two can belong to one client, this one first.
    package func canPrecede(_ next: DownloadCursor) -> Bool {
        server <= next.server && client <= next.client && (server < next.server || client == next.client)
    }

    /// Without server history nothing can have been integrated.
    package var isConsistent: Bool { server > 0 || client == 0 }
}

/// A position in a client's history and what it had of the server's changes (P-84).
package struct UploadCursor: Hashable, Sendable {
    /// Client version.
    package var client: Int64
    /// Last server version that the client had integrated at `client`.
    package var server: Int64

    package init(client: Int64 = 0, server: Int64 = 0) {
        self.client = client
        self.server = server
    }

    /// The two can belong to one client, this one first.
    package func canPrecede(_ next: UploadCursor) -> Bool {
        client <= next.client && server <= next.server && (client < next.client || server == next.server)
    }

    /// Before the first change nothing can have been integrated. (Right after a client reset this doesn't hold, R-39.)
    package var isConsistent: Bool { client > 0 || server == 0 }
}

/// A server version, and the random number that tells it from the same version of a history that was lost (P-83).
package struct SaltedVersion: Hashable, Sendable {
    package var version: Int64
    package var salt: Int64

    package init(version: Int64 = 0, salt: Int64 = 0) {
        self.version = version
        self.salt = salt
    }
}

/// Name of a client file in a server realm, with the secret that proves it (P-83).
package struct FileIdent: Hashable, Sendable {
    package var number: Int64
    package var salt: Int64

    package init(number: Int64, salt: Int64) {
        self.number = number
        self.salt = salt
    }
}
