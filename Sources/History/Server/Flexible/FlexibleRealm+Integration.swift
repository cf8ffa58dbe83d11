import Merge
import Model
import Store
import Sync

/// Taking what clients upload (F-54a to F-59, F-67 to F-69).
extension FlexibleRealm {
    /// What is integrated at once: one changeset, or several with nothing but objects of asymmetric classes, which don't
    /// meet those of anybody else.
    private struct Batch {
        var cursor = UploadCursor()
        var timestamp: Int64 = 0
        var synced: [Instruction] = []
        /// Of these, what the server has added to the schema.
        var added: [Instruction] = []
        var ingested: [(version: Int64, instructions: [Instruction])] = []
    }

    /// So many changesets with asymmetric objects share a transaction.
    private static let ingestLimit = 1_000

    /// Integrates uploads of a file, durably. What its user may not write is left out, and undone on the client.
    /// - Returns: how the session is to end, after what this changed has been sent (F-68).
    func integrate(
        _ uploads: [ClientMessage.Upload], of view: FlexibleView
    ) throws(SessionFailure) -> SessionFailure? {
        do {
            var ending: SessionFailure?
            var ingest = Batch()
            func finishIngest() throws {
                guard !ingest.ingested.isEmpty else { return }
                ending = try integrate(ingest, of: view) ?? ending
                ingest = Batch()
            }
            for upload in uploads {
                for entry in upload.entries {
                    let last = max(ingest.cursor.client, try stored(view).upload.client)
                    guard entry.cursor.client > last else { continue }
                    var batch = try batch(entry, view)
                    if batch.synced.isEmpty, !batch.ingested.isEmpty {
                        batch.ingested = ingest.ingested + batch.ingested
                        ingest = batch
                        if ingest.ingested.count >= FlexibleRealm.ingestLimit { try finishIngest() }
                    } else {
                        try finishIngest()
                        ending = try integrate(batch, of: view) ?? ending
                    }
                }
                try finishIngest()
                try acknowledge(upload, view)
            }
            try base.finishChanges()
            return ending
        } catch let failure as SessionFailure {
            throw failure
        } catch {
            throw base.failure(error)
        }
    }

    private func stored(_ view: FlexibleView) throws -> ServerFile {
        guard let stored = try base.storedFile(view.file, base.snapshot()) else {
            throw SessionFailure(.badClientFileIdent, "Bad client file identifier (UPLOAD)")
        }
        return stored
    }

    private func batch(_ entry: UploadEntry, _ view: FlexibleView) throws -> Batch {
        guard entry.originFile == 0 || entry.originFile == view.file else {
            throw SessionFailure(.badOriginFileIdent, "Bad origin file identifier (UPLOAD)")
        }
        guard entry.cursor.server >= Int64(view.record.trimmed), entry.cursor.server <= base.version else {
            throw SessionFailure(.badServerVersion, "Bad server version \(entry.cursor.server) (UPLOAD)")
        }
        var instructions = try Changeset.decode(entry.changeset)
        let schema = try base.snapshot().schema
        try base.refuseErasures(instructions)
        try refuseSchemaChanges(instructions, schema)
        var added: [Instruction] = []
        if let field = configuration.partitionField {
            var partition = PartitionInjection(field, view.partition, schema)
            instructions = partition.completed(instructions)
            added = partition.added
        }
        let asymmetric = asymmetricClasses(instructions, schema)
        var batch = Batch(cursor: entry.cursor, timestamp: entry.timestamp, added: added)
        guard !asymmetric.isEmpty else {
            batch.synced = instructions
            return batch
        }
        func isIngested(_ instruction: Instruction) -> Bool {
            instruction.object.map { asymmetric.contains($0.className) } ?? false
        }
        batch.synced = instructions.filter { !isIngested($0) }
        let ingested = instructions.filter(isIngested)
        if !ingested.isEmpty { batch.ingested = [(entry.cursor.client, ingested)] }
        return batch
    }

    private func asymmetricClasses(_ instructions: [Instruction], _ schema: StoredSchema) -> Set<String> {
        var names = Set(schema.tables.filter { $0.kind == .asymmetric }.map(\.name))
        for case .addTable(let name, .asymmetric, _) in instructions { names.insert(name) }
        return names
    }

    // MARK: Progress

    /// Notes how far the client has come: what it has integrated goes from its history (M-23).
    private func acknowledge(_ upload: ClientMessage.Upload, _ view: FlexibleView) throws {
        var stored = try stored(view)
        if upload.progress.client >= stored.upload.client { stored.upload = upload.progress }
        stored.lockedVersion = max(stored.lockedVersion, upload.lockedServerVersion)
        stored.lastSeen = base.options.now()
        let through = UInt64(max(0, stored.upload.server))
        let file = UInt64(view.file)
        var record = view.record
        try base.change(to: base.state, isDurable: false) { transaction in
            try transaction.putSync(HistoryKey.file(file), stored.encoded)
            guard through > record.trimmed else { return }
            let number = try number(through: through, view, base.snapshot())
            record.trimmed = through
            let present = record.states.last { $0.since <= through }
            record.states.removeAll { $0.since < present?.since ?? 0 }
            try transaction.removeSync(
                from: HistoryKey.outgoing(file, 0), to: HistoryKey.outgoing(file, number + 1))
            try transaction.removeSync(from: HistoryKey.form(file, 0), to: HistoryKey.form(file, number + 1))
            try transaction.removeSync(from: HistoryKey.notice(file, 0), to: HistoryKey.notice(file, through + 1))
            try transaction.putSync(HistoryKey.view(file), record.encoded)
        }
        view.record = record
    }

    /// Number of the last entry of a file's history that doesn't go beyond a version of the realm.
    func number(through version: UInt64, _ view: FlexibleView, _ snapshot: Snapshot) throws -> UInt64 {
        let file = UInt64(view.file)
        var found = view.record.last
        try snapshot.eachSyncRecord(
            from: HistoryKey.outgoing(file, 0), to: HistoryKey.outgoing(file, view.record.last + 1)
        ) { key, value in
            guard try OutgoingRecord.version(value) > version else { return true }
            found = HistoryKey.number(key) - 1
            return false
        }
        return found
    }

    // MARK: Merging

    /// A batch that would have done something it may not: what, so that it is tried again without.
    private struct Refused: Error {
        var refusals: [ObjectName: Refusal]
        var ingested: Set<ObjectName>
    }

    private func integrate(_ batch: Batch, of view: FlexibleView) throws -> SessionFailure? {
        try catchUp([view])
        let before = try base.snapshot()
        let start = try number(through: UInt64(max(0, batch.cursor.server)), view, before)
        var merger = try merger(of: view, after: start, before)
        let rank = Rank(originTimestamp: UInt64(max(0, batch.timestamp)), originFileIdent: UInt64(view.file))
        let merged = try merger.history.merge(
            [
                RemoteChangeset(
                    remoteVersion: UInt64(batch.cursor.client), lastIntegratedVersion: start, rank: rank,
                    instructions: batch.synced)
            ], from: UInt64(view.file))
        var trial = Trial(
            view: view, before: before, rank: rank, received: batch.synced,
            merged: merged.changesets.first?.instructions ?? [],
            replaced: try replaced(after: start, view, before), added: batch.added)
        trial.refusals = try refusals(before: trial)
        var refusedIngest: Set<ObjectName> = []
        while true {
            do {
                try commit(batch, &trial, merged, without: refusedIngest)
                break
            } catch let refused as Refused {
                trial.refusals.merge(refused.refusals) { first, _ in first }
                refusedIngest.formUnion(refused.ingested)
            }
        }
        merger.history.adopt(merged)
        view.merger = merger
        return ingestFailure(batch, refusedIngest)
    }

    private func merger(
        of view: FlexibleView, after start: UInt64, _ snapshot: Snapshot
    ) throws -> (history: MergeHistory, base: UInt64, through: UInt64) {
        var merger = (history: MergeHistory(), base: start, through: start)
        if let known = view.merger, known.base <= start { merger = known }
        view.merger = nil
        let file = UInt64(view.file)
        let isFresh = merger.through == start
        try snapshot.eachSyncRecord(
            from: HistoryKey.outgoing(file, merger.through + 1), to: HistoryKey.outgoing(file, view.record.last + 1)
        ) { key, value in
            let record = try OutgoingRecord(value)
            let number = HistoryKey.number(key)
            guard !record.changeset.isEmpty else { return true }
            try merger.history.append(
                HistoryEntry(
                    version: number, rank: Rank(originTimestamp: record.timestamp, originFileIdent: record.origin),
                    receivedFrom: record.origin, instructions: try Changeset.decode(record.changeset)))
            if isFresh, let form = snapshot.syncRecord(HistoryKey.form(file, number)) {
                try merger.history.restore(ReciprocalForm(version: number, decoding: form), of: file)
            }
            return true
        }
        merger.through = view.record.last
        merger.history.trim(through: start)
        merger.base = start
        return merger
    }

    /// Objects that the server has erased or replaced in the client's file without somebody having done so: what the
    /// client did to them meanwhile the merge has dropped, and it must be told (F-57a).
    private func replaced(after start: UInt64, _ view: FlexibleView, _ snapshot: Snapshot) throws -> Set<ObjectName> {
        var names: Set<ObjectName> = []
        let file = UInt64(view.file)
        try snapshot.eachSyncRecord(
            from: HistoryKey.outgoing(file, start + 1), to: HistoryKey.outgoing(file, view.record.last + 1)
        ) { _, value in
            let record = try OutgoingRecord(value)
            guard record.isMadeUp else { return true }
            for case .eraseObject(let className, let key) in try Changeset.decode(record.changeset) {
                names.insert(ObjectName(className, key))
            }
            return true
        }
        return names
    }

    // MARK: Committing

    private func commit(
        _ batch: Batch, _ trial: inout Trial, _ merged: Merged, without refusedIngest: Set<ObjectName>
    ) throws {
        let view = trial.view
        let file = UInt64(view.file)
        var stored = try stored(view)
        stored.upload = batch.cursor
        stored.lastSeen = base.options.now()
        let kept = trial.kept
        let bytes = kept.isEmpty ? [] : try Changeset.encode(kept)
        let version = base.state.version + 1
        let undone = trial.refusals.isEmpty ? nil : version + 1
        var next = base.state
        next.version = undone ?? version
        next.versionSalt = base.versionSalt
        next.totalBytes += UInt64(bytes.count)
        var record = view.record
        try base.change(to: next, isDurable: false) { transaction in
            if !bytes.isEmpty { try bytes.withUnsafeBytes { try transaction.apply($0) } }
            let after = try transaction.reader()
            let refusals = try refusals(after: after, trial)
            guard refusals.isEmpty else { throw Refused(refusals: refusals, ingested: []) }
            var addition = try ownAddition(trial, after, at: version, client: batch.cursor.client)
            if let undone {
                addition.records.append(try undo(trial, after, at: undone, client: batch.cursor.client))
                addition.through = undone
            }
            try transaction.putSync(HistoryKey.file(file), stored.encoded)
            for form in try merged.forms() { try transaction.put(form, of: file) }
            let head = EntryRecord(
                rank: trial.rank, remoteVersion: UInt64(batch.cursor.client), salt: base.versionSalt,
                totalBytes: next.totalBytes)
            try transaction.putSyncChangeset(HistoryKey.entry(version), head: head.head)
            if let undone {
                try putEmptyEntry(undone, in: transaction)
                let notice = UndoNotice(client: batch.cursor.client, refusals: trial.refusals)
                try transaction.putSync(HistoryKey.notice(file, undone), notice.encoded)
            }
            record = try write(addition, to: transaction)
            record.client = batch.cursor.client
            try transaction.putSync(HistoryKey.view(file), record.encoded)
            if !batch.ingested.isEmpty {
                // What is ingested is in nobody's history: a version of the file that isn't one of the realm.
                try transaction.seal(uid: nil)
                let refused = try ingest(batch.ingested.flatMap(\.instructions), view, transaction, refusedIngest)
                guard refused.isEmpty else { throw Refused(refusals: [:], ingested: refused) }
            }
        }
        view.record = record
        let after = try base.snapshot()
        note(
            version, trial.objects.filter { trial.refusals[$0] == nil }, by: view.file,
            changesSchema: after.schema.stamp != trial.before.schema.stamp, before: trial.before, after: after)
    }

    /// What the client's own change makes of its view: objects that it has made are in it, those that it has moved out of
    /// it are erased from its file (F-50).
    private func ownAddition(
        _ trial: Trial, _ after: Snapshot, at version: UInt64, client: Int64
    ) throws -> Addition {
        var addition = Addition(view: trial.view, through: version)
        let objects = trial.objects.filter { trial.refusals[$0] == nil }
        let now = try visible(objects, trial.view, after)
        let before = objects.filter { isMember($0, of: trial.view, trial.before) }
        addition.left = before.filter { !now.contains($0) }
        addition.joined = objects.filter { now.contains($0) && !before.contains($0) }
        let outside = objects.filter { !now.contains($0) && after.table(named: $0.className)?.find($0.key) != nil }
        let news = trial.added + outside.map { .eraseObject(className: $0.className, key: $0.key) }
        if !news.isEmpty {
            var made = try madeUp(news, at: version, trial.view)
            made.client = client
            addition.records.append(made)
        }
        return addition
    }

    /// What puts the refused objects back in the client's file (F-57).
    private func undo(_ trial: Trial, _ after: Snapshot, at version: UInt64, client: Int64) throws -> OutgoingRecord {
        let names = trial.objects.filter { trial.refusals[$0] != nil }
        let instructions = names.flatMap { name -> [Instruction] in
            guard isMember(name, of: trial.view, trial.before) else {
                return [.eraseObject(className: name.className, key: name.key)]
            }
            return recreation(of: [name], trial.view, after)
        }
        var record = try madeUp(instructions, at: version, trial.view)
        record.client = client
        return record
    }

    /// The session ends when asymmetric objects were refused (F-68).
    private func ingestFailure(_ batch: Batch, _ refused: Set<ObjectName>) -> SessionFailure? {
        guard !refused.isEmpty else { return nil }
        var body = ErrorBody(.writeNotAllowed, "The client inserted what it may not: see the rejected updates")
        body.rejectedUpdates = UndoNotice.rejected(
            refused.map { ($0, Refusal.notAllowed.reason($0)) }.sorted { $0.1 < $1.1 })
        body.rejectedClientVersion =
            batch.ingested.last { entry in
                entry.instructions.contains { $0.object.map { refused.contains($0) } ?? false }
            }?.version
        return SessionFailure(.writeNotAllowed, body)
    }
}
