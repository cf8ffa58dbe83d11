import Merge
import Model

/// One entry of a history as it is stored: what travels beside a changeset, and the changeset (C-160).
struct EntryRecord: Hashable {
    /// When it was committed where it was made, and the file where that was; a client's own has ident 0.
    var rank: Rank
    /// On a client, the last server version integrated before it; on a server, the version of the file that sent it.
    var remoteVersion: UInt64
    /// On a server, the number that tells this version from the same one of a history that was lost (P-83).
    var salt: UInt64 = 0
    /// Bytes of all changesets of the history up to and with this one.
    var totalBytes: UInt64 = 0
    var changeset: [UInt8]

    /// All but the changeset.
    var head: [UInt8] {
        var writer = RecordWriter()
        writer.append(rank.originTimestamp)
        writer.append(rank.originFileIdent)
        writer.append(remoteVersion)
        writer.append(salt)
        writer.append(totalBytes)
        return writer.bytes
    }

    init(rank: Rank, remoteVersion: UInt64, salt: UInt64 = 0, totalBytes: UInt64 = 0, changeset: [UInt8] = []) {
        self.rank = rank
        self.remoteVersion = remoteVersion
        self.salt = salt
        self.totalBytes = totalBytes
        self.changeset = changeset
    }

    init(_ bytes: UnsafeRawBufferPointer) throws {
        var reader = RecordReader(bytes)
        rank = Rank(originTimestamp: try reader.number(), originFileIdent: try reader.number())
        remoteVersion = try reader.number()
        salt = try reader.number()
        totalBytes = try reader.number()
        changeset = Array(reader.rest())
    }
}
