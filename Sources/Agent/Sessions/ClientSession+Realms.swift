import EventLoop
import Foundation
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
        try use(path: request.path, create: request.create, inMemory: request.inMemory, responder) { [self] host in
            let fits = host.newest?.snapshot.schema.contains(request.schema, version: request.schemaVersion) ?? false
            if fits {
                try didOpen(request, host, responder)
                return host.leave()
            }
            try host.checkWritable()
            host.adopt(request) { [self] error in
                defer { host.leave() }
                if let error { return responder.fail(error) }
                do {
                    try didOpen(request, host, responder)
                } catch {
                    responder.fail(error)
                }
            }
        }
    }

    private func didOpen(_ request: RealmOpen, _ host: RealmHost, _ responder: Responder) throws {
        guard isOpen else { return }
        guard let newest = host.newest else { throw WireError(.shuttingDown, "the realm is closed") }
        let handle = RealmHandle(
            number: rules.nextHandle(), session: self, host: host, events: request.events, announced: newest.hold)
        let pin = try host.pin(newest, for: handle)
        var reply = RealmOpenReply(
            realm: handle.number, version: newest.version, pin: pin, generation: Int64(newest.generation))
        do {
            let descriptor = try self.descriptor(of: host)
            host.handles.append(handle)
            handles[handle.number] = handle
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
        guard let newest = handle.host.newest else { throw WireError(.shuttingDown, "the realm is closed") }
        let pin = try handle.host.pin(newest, for: handle)
        do {
            let descriptor = try self.descriptor(of: handle.host)
            answer(
                RealmReopenReply(
                    version: newest.version, pin: pin, generation: Int64(newest.generation),
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
                        inMemory: host.isInMemory)
                }))
    }

    func realmSchema(_ request: RealmSchemaRequest, _ responder: Responder) throws {
        try use(request.target, responder) { host in
            guard let newest = host.newest else { throw WireError(.shuttingDown, "the realm is closed") }
            responder.succeed(
                RealmSchemaReply(
                    version: newest.version, schemaVersion: newest.snapshot.schema.version,
                    schema: newest.snapshot.schema.realmSchema))
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

    func copyRealm(_ request: RealmCopy, _ responder: Responder) throws {
        let destination = try RealmPath(resolving: request.destination)
        guard !destination.exists else {
            throw WireError(
                .fileExists, "\(destination.path) exists; choose another path",
                facts: ["path": .string(destination.path)])
        }
        if let transaction = request.transaction {
            return try copyTransaction(transaction, request.target, destination, responder)
        }
        try use(request.target, responder) { [self] host in
            let snapshot = try host.snapshot(request.pin, for: self)
            let file = try host.writer.openFile()
            server.pool.perform {
                let outcome = Result { try Self.copy(snapshot.snapshot, of: file, to: destination.path) }
                EventLoop.shared.post {
                    defer { host.leave() }
                    Self.answer(outcome, responder)
                }
            }
        }
    }

    /// The copy is made on the writer thread: only there the state of an open transaction can be read.
    private func copyTransaction(
        _ transaction: Int64, _ target: RealmTarget, _ destination: RealmPath, _ responder: Responder
    ) throws {
        guard case .handle(let number) = target else {
            throw WireError(.badParams, "a transaction is copied by the handle that it was begun on")
        }
        let handle = try realm(number)
        let file = try handle.host.writer.openFile()
        try handle.host.read(inside: transaction, by: handle) { transaction in
            try Self.copy(transaction.reader(), of: file, to: destination.path)
        } completion: { outcome in
            Self.answer(outcome, responder)
        }
    }

    private nonisolated static func copy(_ snapshot: Snapshot, of file: RealmFile, to path: String) throws -> Int64 {
        try file.writeCopy(of: snapshot, to: path)
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    private static func answer(_ outcome: Result<Int64, any Error>, _ responder: Responder) {
        switch outcome {
        case .success(let bytes): responder.succeed(RealmCopyReply(bytes: bytes))
        case .failure(let error): responder.fail(error)
        }
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
            responder.succeed(RealmDeleteReply(deleted: try RealmFile.delete(path.path)))
        } catch let error as StoreError where error.code == .locked {
            throw WireError(.alreadyOpen, "\(path.path): \(error.message)", facts: ["path": .string(path.path)])
        }
    }
}

// MARK: - Finding the realm
extension ClientSession {
    /// Enters the realm and runs `body`, which sees to it that the realm is left, unless it throws.
    private func use(
        _ target: RealmTarget, _ responder: Responder, _ body: @escaping @LoopActor (RealmHost) throws -> Void
    ) throws {
        switch target {
        case .handle(let number): enter(try realm(number).host, responder, body)
        case .path(let path): try use(path: path, create: false, inMemory: false, responder, body)
        }
    }

    private func use(
        path: String, create: Bool, inMemory: Bool, _ responder: Responder,
        _ body: @escaping @LoopActor (RealmHost) throws -> Void
    ) throws {
        if server.isDraining { throw WireError(.shuttingDown, "the agent is shutting down") }
        let host = try server.realms.host(at: path, create: create, inMemory: inMemory)
        guard host.isClosing else { return enter(host, responder, body) }
        // Somebody else has just let go of it.
        host.whenClosed { [self] in
            do {
                try use(path: path, create: create, inMemory: inMemory, responder, body)
            } catch {
                responder.fail(error)
            }
        }
    }

    private func enter(
        _ host: RealmHost, _ responder: Responder, _ body: @escaping @LoopActor (RealmHost) throws -> Void
    ) {
        host.enter { error in
            if let error { return responder.fail(error) }
            do {
                try body(host)
            } catch {
                responder.fail(error)
                host.leave()
            }
        }
    }
}
