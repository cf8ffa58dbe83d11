import EventLoop
import Foundation
import History
import Model
import Store
import Wire

// realm.*
extension ClientSession {
    /// Realms that one connection may have open.
    static let handleLimit = 1024

    func openRealm(_ request: RealmOpen, _ responder: Responder) throws {
        guard handles.count < Self.handleLimit else {
            throw WireError(
                .tooManyHandles, "the connection has \(Self.handleLimit) realms open; close some",
                facts: ["limit": .int32(Int32(Self.handleLimit))])
        }
        if let problem = request.schema?.problem { throw WireError(.badParams, problem) }
        let place = Place(
            path: request.path, create: request.create, inMemory: request.inMemory, key: try Self.key(request.key))
        if let target = request.sync { return try openSynced(request, target, place, responder) }
        try use(place, responder) { [self] host in
            let fits =
                host.visible?.snapshot.schema.contains(request.schema, version: request.schemaVersion, synced: false)
                ?? false
            try host.checkIsLocal(for: request)
            if fits {
                try didOpen(request, host, responder)
                return host.leave()
            }
            try host.checkWritable()
            if request.migrates, let former = host.visible?.snapshot.schema.version(before: request) {
                try didOpen(request, host, responder, migratesFrom: former)
                return host.leave()
            }
            host.adopt(request) { [self] outcome in
                defer { host.leave() }
                if case .failure(let error) = outcome { return responder.fail(error) }
                do {
                    try didOpen(request, host, responder)
                } catch {
                    responder.fail(error)
                }
            }
        }
    }

    func didOpen(
        _ request: RealmOpen, _ host: RealmHost, _ responder: Responder, migratesFrom: UInt64? = nil
    ) throws {
        guard isOpen else { return }
        guard let visible = host.visible else { throw WireError(.shuttingDown, "the realm is closed") }
        let handle = RealmHandle(
            number: rules.nextHandle(), session: self, host: host, events: request.events, announced: visible.hold,
            resetMode: request.resetMode ?? .recoverUnsyncedChanges, hasResetBlocks: request.resetBlocks,
            recoveryDirectory: request.recovery)
        let pin = try host.pin(visible, for: handle)
        var reply = RealmOpenReply(
            realm: handle.number, version: visible.version, pin: pin, generation: Int64(visible.generation),
            migratesFrom: migratesFrom,
            identity: host.isInMemory ? nil : host.writer.file.map { UniqueId($0.realmIdentity) })
        do {
            let descriptor = try self.descriptor(of: host)
            host.handles.append(handle)
            handles[handle.number] = handle
            // What it did for nobody may have ended while it was being opened.
            host.beginSync()
            host.sync?.joined()
            reply.created = host.takeCreated()
            reply.descriptor = descriptor != nil
            answer(reply, descriptor, responder)
        } catch {
            host.release([pin], by: handle)
            throw error
        }
    }

    /// A descriptor for clients that want one.
    private func descriptor(of host: RealmHost) throws -> Int32? {
        guard rules.has(.descriptors) else { return nil }
        do {
            return try host.writer.openFile().duplicateReadOnlyDescriptor()
        } catch let error as StoreError where error.systemCode == EMFILE || error.systemCode == ENFILE {
            throw WireError(
                .outOfResources, "the agent has no descriptor left for \(host.path)",
                facts: ["path": .string(host.path)])
        }
    }

    private func answer(_ reply: some WirePayload, _ descriptor: Int32?, _ responder: Responder) {
        if let descriptor {
            responder.succeed(reply, descriptor: descriptor)
        } else {
            responder.succeed(reply)
        }
    }

    func reopenRealm(_ request: RealmReopen, _ responder: Responder) throws {
        let handle = try realm(request.realm)
        guard let visible = handle.host.visible else { throw WireError(.shuttingDown, "the realm is closed") }
        let pin = try handle.host.pin(visible, for: handle)
        do {
            let descriptor = try self.descriptor(of: handle.host)
            answer(
                RealmReopenReply(
                    version: visible.version, pin: pin, generation: Int64(visible.generation),
                    descriptor: descriptor != nil),
                descriptor, responder)
        } catch {
            handle.host.release([pin], by: handle)
            throw error
        }
    }

    func closeRealm(_ request: RealmClose, _ responder: Responder) throws {
        let handle = try realm(request.realm)
        for (number, subscription) in subscriptions where subscription.handle === handle {
            subscription.end()
            subscriptions[number] = nil
        }
        cursors = cursors.filter { $0.value.realm != handle.number }
        handles[handle.number] = nil
        handle.host.remove(handle)
        responder.succeed(Acknowledgement())
    }

    func realmInfo(_ request: RealmInfo, _ responder: Responder) throws {
        try use(request.target, responder) { host in
            guard let info = host.info() else { throw WireError(.shuttingDown, "the realm is closed") }
            responder.succeed(info)
            host.leave()
        }
    }

    func realmList(_ request: RealmList, _ responder: Responder) throws {
        responder.succeed(
            RealmListReply(
                realms: server.realms.all.map { host in
                    RealmListEntry(
                        path: host.path, open: true, version: host.newest?.version,
                        fileSize: Int64((try? host.writer.file?.fileSize()) ?? 0), handles: Int32(host.handles.count),
                        inMemory: host.isInMemory, encrypted: host.key != nil)
                }))
    }

    func realmSchema(_ request: RealmSchemaRequest, _ responder: Responder) throws {
        try use(request.target, responder) { host in
            guard let visible = host.visible else { throw WireError(.shuttingDown, "the realm is closed") }
            responder.succeed(
                RealmSchemaReply(
                    version: visible.version, schemaVersion: visible.snapshot.schema.version,
                    schema: visible.snapshot.schema.realmSchema))
            host.leave()
        }
    }

    func compactRealm(_ request: RealmCompact, _ responder: Responder) throws {
        try use(request.target, responder) { host in
            try host.checkWritable()
            host.compact { outcome in
                defer { host.leave() }
                switch outcome {
                case .success(let sizes):
                    responder.succeed(
                        RealmCompactReply(
                            before: sizes.before, after: sizes.after, generation: Int64(host.newest?.generation ?? 0)))
                case .failure(let error): responder.fail(error)
                }
            }
        }
    }

    func verifyRealm(_ request: RealmVerify, _ responder: Responder) throws {
        try use(request.target, responder) { [server] host in
            let file = try host.writer.openFile()
            server.pool.perform {
                let outcome = Result { try file.verify() }
                EventLoop.shared.post {
                    defer { host.leave() }
                    switch outcome {
                    case .success(let report):
                        responder.succeed(
                            RealmVerifyReply(
                                version: report.version, objects: Int64(report.tables.reduce(0) { $0 + $1.objects }),
                                problems: report.findings))
                    case .failure(let error): responder.fail(error)
                    }
                }
            }
        }
    }

    func hashRealm(_ request: RealmHash, _ responder: Responder) throws {
        try use(request.target, responder) { [self] host in
            let pinned = try host.snapshot(nil, for: self)
            server.pool.perform {
                let hash = pinned.snapshot.stateDigest()
                EventLoop.shared.post {
                    defer { host.leave() }
                    responder.succeed(RealmHashReply(version: pinned.version, hash: hash))
                }
            }
        }
    }

    func copyRealm(_ request: RealmCopy, _ responder: Responder) throws {
        let destination = try RealmPath(resolving: request.destination)
        guard !destination.exists else {
            throw WireError(
                .fileExists, "\(destination.path) exists; choose another path",
                facts: ["path": .string(destination.path)])
        }
        let key = try Self.key(request.destinationKey)
        let origin = try request.destinationSync.map { try syncedCopyOrigin($0) }
        if let transaction = request.transaction {
            return try copyTransaction(transaction, request.target, destination, key, origin, responder)
        }
        try use(request.target, responder) { [self] host in
            let snapshot = try host.snapshot(request.pin, for: self)
            let kind = try CopyKind(of: host, origin)
            if case .bundle = kind { return copyBundle(of: host, to: destination, key, responder) }
            server.pool.perform {
                let outcome = Result { try Self.copy(snapshot.snapshot, to: destination.path, key, kind) }
                EventLoop.shared.post {
                    defer { host.leave() }
                    responder.answer(outcome.map { RealmCopyReply(bytes: $0) })
                }
            }
        }
    }

    /// The copy is made on the writer thread: only there the state of an open transaction can be read.
    private func copyTransaction(
        _ transaction: Int64, _ target: RealmTarget, _ destination: RealmPath, _ key: RealmKey?,
        _ origin: SyncOrigin?, _ responder: Responder
    ) throws {
        guard case .handle(let number) = target else {
            throw WireError(.badParams, "a transaction is copied by the handle that it was begun on")
        }
        let handle = try realm(number)
        let kind = try CopyKind(of: handle.host, origin)
        try kind.checkInTransaction(handle.host.path)
        try handle.host.read(inside: transaction, by: handle) { transaction in
            try Self.copy(transaction.reader(), to: destination.path, key, kind)
        } completion: { outcome in
            responder.answer(outcome.map { RealmCopyReply(bytes: $0) })
        }
    }

    nonisolated static func copy(
        _ snapshot: Snapshot, to path: String, _ key: RealmKey?, _ kind: CopyKind
    ) throws -> Int64 {
        try kind.copy(snapshot, to: path, key)
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    func deleteRealm(_ request: RealmDelete, _ responder: Responder) throws {
        let path = try RealmPath(resolving: request.path)
        if let host = server.realms.openHost(at: request.path), host.isClosing || host.isInPlace {
            guard host.isClosing else {
                throw WireError(
                    .alreadyOpen, "\(path.path) is open; close it everywhere first", facts: ["path": .string(path.path)]
                )
            }
            return host.whenClosed { [self] in
                do {
                    try deleteRealm(request, responder)
                } catch {
                    responder.fail(error)
                }
            }
        }
        do {
            let deleted = try RealmFile.delete(path.path)
            server.apps.dropRealm(path.path)
            responder.succeed(RealmDeleteReply(deleted: deleted))
        } catch let error as StoreError where error.code == .locked {
            throw WireError(.alreadyOpen, "\(path.path): \(error.message)", facts: ["path": .string(path.path)])
        }
    }
}

// MARK: - Finding the realm
extension ClientSession {
    /// Which realm is to be opened, and with what.
    struct Place {
        var path: String
        var create = false
        var inMemory = false
        var key: RealmKey?
    }

    /// What is kept of a key: not the key.
    static func key(_ key: EncryptionKey?) throws(WireError) -> RealmKey? {
        guard let key else { return nil }
        guard let realmKey = key.withUnsafeBytes({ RealmKey($0) }) else {
            throw WireError(.badParams, "an encryption key has \(RealmKey.size) bytes")
        }
        return realmKey
    }

    /// Enters the realm and runs `body`, which sees to it that the realm is left, unless it throws.
    func use(
        _ target: RealmTarget, _ responder: Responder, _ body: @escaping @LoopActor (RealmHost) throws -> Void
    ) throws {
        switch target {
        case .handle(let number):
            let host = try realm(number).host
            enter(host, host.key, responder, body) { responder.fail($0) }
        case .path(let path, let key): try use(Place(path: path, key: try Self.key(key)), responder, body)
        }
    }

    func use(
        _ place: Place, _ responder: Responder, _ body: @escaping @LoopActor (RealmHost) throws -> Void
    ) throws {
        if server.isDraining { throw WireError(.shuttingDown, "the agent is shutting down") }
        let host = try server.realms.host(
            at: place.path, create: place.create, inMemory: place.inMemory, key: place.key)
        let again: @LoopActor () -> Void = { [self] in
            do {
                try use(place, responder, body)
            } catch {
                responder.fail(error)
            }
        }
        // Somebody else has just let go of it.
        if host.isClosing { return host.whenClosed(again) }
        enter(host, place.key, responder, body) { error in
            // Somebody else wanted to open it with another key: that one may have been wrong.
            if host.refusal(of: place.key) == nil { responder.fail(error) } else { again() }
        }
    }

    private func enter(
        _ host: RealmHost, _ key: RealmKey?, _ responder: Responder,
        _ body: @escaping @LoopActor (RealmHost) throws -> Void, failed: @escaping @LoopActor (WireError) -> Void
    ) {
        host.enter { error in
            if let error { return failed(error) }
            if let refusal = host.refusal(of: key) {
                responder.fail(refusal)
                return host.leave()
            }
            do {
                try body(host)
            } catch {
                responder.fail(error)
                host.leave()
            }
        }
    }
}
