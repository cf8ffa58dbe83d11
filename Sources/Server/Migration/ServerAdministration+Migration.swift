import EventLoop
import History
import Store
import Sync

// app.migrate and app.migration: an app is synced by subscriptions instead of by partition, or the other way round.
extension ServerAdministration {
    func migrateApp(_ arguments: JSONValue, _ completion: @escaping Completion) throws(Failure) {
        let name = try Self.text("name", arguments)
        guard let app = auth.service.directory.app(name) else { throw Failure("there is no app \(name)") }
        guard let direction = AppMigration.Direction(rawValue: try Self.text("to", arguments)) else {
            throw Failure("an app is migrated to flexible, or to partition")
        }
        guard migrations[name] == nil else { throw Failure("app \(name) is being migrated already") }
        let key = try partitionKey(app, direction, arguments)
        guard (app.flexible != nil) != (direction == .flexible) else {
            // A command that was interrupted may have got that far.
            return completion(.success(Self.answer(app.id, key, direction, nil)))
        }
        let migration = AppMigration(
            appId: name, direction: direction, key: key, dataDirectory: dataDirectory, file: files, history: histories,
            progress: Lock(0))
        migrations[name] = migration
        let started: @LoopActor () -> Void = { [self] in
            migrationLine.perform {
                migration.run()
            } completion: { [self] result in
                finish(migration, result, completion)
            }
        }
        guard let sync else { return started() }
        sync.log.info("app.migrating", ["app": name, "to": direction.rawValue])
        sync.suspend(app: name, completion: started)
    }

    /// How far a migration is: null if none is under way.
    func migration(_ arguments: JSONValue) throws(Failure) -> JSONValue {
        let name = try Self.text("name", arguments)
        guard let migration = migrations[name] else { return .null }
        return [
            "id": .string(name), "to": .string(migration.direction.rawValue),
            "objects": .integer(Int64(migration.progress.withLock { $0 }))
        ]
    }

    private func partitionKey(
        _ app: AuthApp, _ direction: AppMigration.Direction, _ arguments: JSONValue
    ) throws(Failure) -> PartitionKey {
        guard let text = arguments["partitionKey"]?.string else {
            guard let key = app.partitionKey else {
                throw Failure(
                    "app \(app.id) has no partition key: name the property that says, or will say, to which partition an "
                        + "object belongs, with --partition-key PROPERTY:TYPE")
            }
            return key
        }
        let key = try Self.partitionKey(text)
        guard app.partitionKey == nil || app.partitionKey == key else {
            throw Failure("the partition key of app \(app.id) is \(app.partitionKey?.text ?? "")")
        }
        return key
    }

    private func finish(
        _ migration: AppMigration, _ result: Result<AppMigration.Outcome, MigrationFailure>,
        _ completion: @escaping Completion
    ) {
        let name = migration.appId
        let end: Completion = { [self] answer in
            migrations[name] = nil
            if case .failure(let failure) = answer {
                sync?.log.warning("app.migration-failed", ["app": name, "why": failure.description])
            } else {
                sync?.log.info("app.migrated", ["app": name, "to": migration.direction.rawValue])
            }
            sync?.resume(app: name)
            completion(answer)
        }
        switch result {
        case .failure(let failure): end(.failure(Failure("app \(name) isn't migrated: \(failure)")))
        case .success(let outcome):
            let recorded: Completion = { [self] answer in
                if case .success = answer, migration.direction == .partition { forgetFlexible(migration) }
                end(answer)
            }
            let answer = Self.answer(name, migration.key, migration.direction, outcome)
            do throws(Failure) {
                try administer(recorded, answer: answer) { service throws(AuthFailure) in
                    try service.updateApp(name) { app in
                        app.partitionKey = migration.key
                        app.flexible = migration.direction == .flexible ? .migrated(migration.key) : nil
                    }
                }
            } catch {
                end(.failure(error))
            }
        }
    }

    /// What is left of it is removed by the next migration, too.
    private func forgetFlexible(_ migration: AppMigration) {
        do { try migration.removeFlexible() } catch {
            sync?.log.warning("app.file-left", ["app": migration.appId, "fault": "\(error)"])
        }
    }

    private static func answer(
        _ name: String, _ key: PartitionKey, _ direction: AppMigration.Direction, _ outcome: AppMigration.Outcome?
    ) -> JSONValue {
        [
            "id": .string(name), "type": .string(direction.rawValue), "partitionKey": .string(key.text),
            "migrated": .bool(outcome != nil), "partitions": .integer(Int64(outcome?.partitions ?? 0)),
            "objects": .integer(Int64(outcome?.objects ?? 0)), "corrected": .integer(Int64(outcome?.corrected ?? 0))
        ]
    }
}

extension FlexibleSettings {
    /// What an app allows that was synced by partition: what it allowed then, with the partition key to be asked for.
    fileprivate static func migrated(_ key: PartitionKey) -> FlexibleSettings? {
        let permissions: JSONValue = [
            "development_mode_enabled": .bool(true), "queryable_fields_names": .array([.string(key.property)])
        ]
        return try? FlexibleSettings(permissions: permissions.text)
    }
}
