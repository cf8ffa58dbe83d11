import Foundation
import Store
import Wire

extension RealmHost {
    /// Sizes, versions, who pins what, who writes; nil while the file isn't open.
    func info() -> RealmInfoReply? {
        guard phase == .open, let newest, let file = writer.file,
            let fileSize = try? file.fileSize(), let usedSize = try? file.usedBytes()
        else { return nil }
        let snapshot = newest.snapshot
        return RealmInfoReply(
            path: path, version: newest.version, schemaVersion: snapshot.schema.version,
            generation: Int64(newest.generation), fileSize: Int64(fileSize), usedSize: Int64(usedSize),
            inMemory: isInMemory, encrypted: key != nil, diskFull: isDiskFull, handles: Int32(handles.count),
            classes: snapshot.schema.tables.map {
                ClassInfo(name: $0.name, count: Int64(snapshot.table($0.id).count))
            },
            pins: pinInfo(), writer: handles.first { $0.writer == queue.holder?.client }?.session.info(),
            waitingWriters: Int32(queue.waitingCount))
    }

    /// Less than that is no room for a commit: what a journal's area has at least.
    private static let smallestRoom: UInt64 = 256 << 10

    /// Whether there is no room for a commit where the file is. Looked at anew each time, so that nobody has to be told
    /// when there is.
    private var isDiskFull: Bool {
        var system = statvfs()
        guard !isInMemory, statvfs(file, &system) == 0 else { return false }
        return UInt64(system.f_bavail) * UInt64(system.f_frsize) < Self.smallestRoom
    }

    /// Oldest snapshots first: they are what keeps a file large.
    private func pinInfo() -> [PinInfo] {
        pins.pins.sorted { $0.value.hold != $1.value.hold ? $0.value.hold < $1.value.hold : $0.key < $1.key }
            .map { number, pin in
                let session = server.sessions[pin.client]
                return PinInfo(
                    client: session?.name ?? "", pid: session?.pid ?? 0, pin: number, version: pin.hold.version,
                    ageMilliseconds: (.now - pin.since).milliseconds)
            }
    }
}
