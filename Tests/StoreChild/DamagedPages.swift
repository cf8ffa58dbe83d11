import Foundation
import Model
import Store

/// Damages a file in many ways and uses what can be opened. Only that it ends in order matters.
enum DamagedPages {
    private static let pageSize = 4_096

    /// SplitMix64.
    struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = state
            value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
            return value ^ value >> 31
        }
    }

    static func run(_ path: String, seed: UInt64, count: Int) throws {
        var generator = Generator(state: seed)
        let intact = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        var (refused, used) = (0, 0)
        for round in 0..<count {
            var bytes = intact
            let page = Int.random(in: 0..<(intact.count / pageSize), using: &generator) * pageSize
            for _ in 0..<(round % 3 == 0 ? 1 : Int.random(in: 1...16, using: &generator)) {
                // Mostly where the structure is.
                let area = round % 4 == 3 ? pageSize : 64
                bytes[page + Int.random(in: 0..<area, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            for suffix in [".journal", "-lock"] { unlink(path + suffix) }
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            // The last line tells which round it was.
            print("round \(round)")
            fflush(nil)
            do {
                let file = try RealmFile(path: path, options: options)
                use(file)
                try file.close()
                used += 1
            } catch is StoreError {
                refused += 1
            }
        }
        print("ok", refused, used)
    }

    private static var options: RealmFileOptions {
        var options = RealmFileOptions()
        options.create = false
        options.syncFile = { _ in 0 }
        return options
    }

    private static func use(_ file: RealmFile) {
        if let snapshot = try? file.snapshot() {
            _ = snapshot.checkInvariants()
            for version in 0..<min(snapshot.version, 100) { _ = snapshot.changes(after: version) }
        }
        _ = try? file.usedBytes()
        _ = try? file.verify()
        for number in Int64(0)..<20 { _ = try? StoreChild.commit(file, number, text: "another text \(number)") }
        _ = try? file.makeDurable(through: file.version)
        let erasing = try? Changeset.encode(
            (Int64(0)..<120).map { .eraseObject(className: "Entry", key: .int($0)) })
        if let erasing, let transaction = try? file.beginWrite() {
            do {
                try erasing.withUnsafeBytes { try transaction.apply($0) }
                try transaction.commit(uid: nil)
            } catch {
                transaction.rollback()
            }
        }
        _ = try? file.compact()
        _ = try? StoreChild.commit(file, 50, text: "the last text")
    }
}
