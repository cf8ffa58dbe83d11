import Store
import Sync

extension ServerRealm {
    /// The partition that the realm is of, as clients write it; nil if nobody has noted it.
    package func partitionText() throws -> String? {
        try file.snapshot().syncRecord(HistoryKey.partition).map { bytes in
            var reader = RecordReader(bytes)
            return try reader.text()
        }
    }

    /// Notes the partition, durably, where its name can't be told from the file's.
    package func put(partitionText text: String) throws {
        guard try partitionText() == nil else { return }
        var writer = RecordWriter()
        writer.append(counted: text.utf8)
        try change(to: state) { try $0.putSync(HistoryKey.partition, writer.bytes) }
    }

    /// Removes a realm that nobody has open.
    package static func delete(_ path: String) throws { try DataFile.remove(path) }
}
