import Foundation
import Model
import Store

/// What the crash tests run in a process that may be killed.
///
///     store-child write <realm>     commits for ever; prints the number of each transaction once it is durable
///     store-child damaged <realm>   damages the file in $REEVE_ROUNDS ways after $REEVE_SEED; prints "ok" and how often it
///                                   was refused and used
///     store-child full <realm>      fills the disk it may use, gets room again; prints "ok"
///     store-child fault <realm>     reads pages that are gone, of the realm and of another file; prints "ok"
@main
enum StoreChild {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { exit(64) }
        switch arguments[1] {
        case "write": try write(arguments[2])
        case "full": try full(arguments[2])
        case "fault": try ForeignFaults.run(arguments[2])
        case "damaged":
            let environment = ProcessInfo.processInfo.environment
            try DamagedPages.run(
                arguments[2], seed: environment["REEVE_SEED"].flatMap { UInt64($0) } ?? 0,
                count: environment["REEVE_ROUNDS"].flatMap { Int($0) } ?? 100)
        default: exit(64)
        }
    }

    static let schema = RealmSchema([
        ClassSchema("Counter", primaryKey: "id", [PropertySchema("id", .int), PropertySchema("value", .int)]),
        ClassSchema(
            "Entry", primaryKey: "id",
            [
                PropertySchema("id", .int), PropertySchema("text", .string, indexed: true),
                PropertySchema("counter", .link, nullable: true, target: "Counter")
            ])
    ])

    /// Opens the realm and gives it its classes.
    static func open(_ path: String) throws -> RealmFile {
        var options = RealmFileOptions()
        // The key is this byte, 64 times.
        if let byte = ProcessInfo.processInfo.environment["REEVE_TEST_KEY"].flatMap({ UInt8($0) }) {
            options.key = RealmKey([UInt8](repeating: byte, count: RealmKey.size))
        }
        let file = try RealmFile(path: path, options: options)
        let transaction = try file.beginWrite()
        if try transaction.ensureSchema(schema, schemaVersion: 0).isChanged {
            try transaction.commit(uid: nil)
        } else {
            transaction.rollback()
        }
        return file
    }

    /// One transaction: three entries of number `number`, which the counter is set to.
    static func commit(_ file: RealmFile, _ number: Int64, text: String) throws -> UInt64 {
        var instructions: [Instruction] = [.createObject(className: "Counter", key: .int(0))]
        for part in 0..<3 {
            let key = PrimaryKey.int(number * 3 + Int64(part))
            instructions.append(.createObject(className: "Entry", key: key))
            instructions.append(
                .update(InstructionPath("Entry", key, "text"), .value(.string(text)), isDefault: false))
            instructions.append(
                .update(
                    InstructionPath("Entry", key, "counter"), .value(.link(Link(className: "Counter", key: .int(0)))),
                    isDefault: false))
        }
        instructions.append(
            .update(InstructionPath("Counter", .int(0), "value"), .value(.int(number)), isDefault: false))
        let bytes = try Changeset.encode(instructions)
        let transaction = try file.beginWrite()
        do {
            try bytes.withUnsafeBytes { try transaction.apply($0) }
            return try transaction.commit(uid: nil)
        } catch {
            transaction.rollback()
            throw error
        }
    }

    private static func write(_ path: String) throws {
        let file = try open(path)
        var number: Int64 = 1
        do {
            let snapshot = try file.snapshot()
            if let table = snapshot.table(named: "Counter"), let key = table.find(.int(0)),
                let column = table.stored.column(named: "value"), case .int(let last) = table.value(key, column)
            {
                number = last + 1
            }
        }
        while true {
            let version = try commit(file, number, text: "entry \(number)")
            try file.makeDurable(through: version)
            print(number)
            fflush(nil)
            if number % 50 == 0 { try file.checkpoint() }
            if number % 170 == 0 { try file.compact() }
            number += 1
        }
    }

    private static func full(_ path: String) throws {
        signal(SIGXFSZ, SIG_IGN)
        let file = try open(path)
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(1), &limit)
        let before = limit.rlim_cur
        var number: Int64 = 1
        // Where a page ends, and within one: then only part of what is written finds room.
        for (bytes, size) in [(3 << 20, 20_000), (5 << 20 | 1_000, 20_000), (9 << 20 | 5_000, 300_000)] {
            limit.rlim_cur = rlim_t(bytes)
            setrlimit(__rlimit_resource_t(1), &limit)
            let first = number
            var failure: StoreError?
            while failure == nil {
                do {
                    try file.makeDurable(
                        through: try commit(file, number, text: String(repeating: "x", count: size)))
                    number += 1
                } catch let error as StoreError {
                    failure = error
                }
            }
            guard failure?.code == .diskFull, number > first else {
                return print("failed with \(String(describing: failure))")
            }
            let durable = file.version
            // Reading goes on.
            guard try file.snapshot().checkInvariants() == [] else { return print("damaged") }
            limit.rlim_cur = before
            setrlimit(__rlimit_resource_t(1), &limit)
            try file.makeDurable(through: try commit(file, number, text: "room again"))
            number += 1
            guard file.version == durable + 1, try file.verify().isClean else { return print("not usable") }
        }
        try file.close()
        print("ok")
    }
}
