import Foundation
import RealmSwift
import TestSupport
import Testing
import Wire

@testable import ClientKit

@Suite("Encrypted realms")
struct EncryptedRealmTests {
    private let fixture = PackFixture()

    private func key(_ byte: UInt8) -> Data { Data(repeating: byte, count: 64) }

    private func configuration(_ path: String, _ key: Data?) -> Realm.Configuration {
        var configuration = fixture.configuration
        configuration.fileURL = URL(fileURLWithPath: path)
        configuration.encryptionKey = key
        return configuration
    }

    /// Opens in a thread whose end closes the realm.
    private func names(_ path: String, _ key: Data?) throws -> [String] {
        // Another key for a realm that is open here would be a programmer's mistake.
        #expect(eventually { RealmCoordinator.find(Realm.Configuration.canonical(path)) == nil })
        let configuration = configuration(path, key)
        return try onThread { try Realm(configuration: configuration).objects(Hound.self).map(\.name) }
    }

    private func code(_ path: String, _ key: Data?) -> Realm.Error.Code? {
        do {
            _ = try names(path, key)
            return nil
        } catch {
            return (error as? Realm.Error)?.code
        }
    }

    private func make(_ path: String, _ key: Data?) throws {
        let configuration = configuration(path, key)
        try onThread {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.add(Hound(1, "a marked hound")) }
        }
    }

    private func isReadable(_ path: String) -> Bool {
        (FileManager.default.contents(atPath: path) ?? Data()).range(of: Data("marked".utf8)) != nil
    }

    @Test("CF-07, FI-11: a wrong, missing or superfluous key is invalidDatabase, the right one opens")
    func keys() throws {
        let (secret, plain) = (fixture.directory.path("secret.realm"), fixture.directory.path("plain.realm"))
        try make(secret, key(7))
        try make(plain, nil)
        // Sooner or later the agent has closed them; the errors are the same before and after.
        for _ in 0..<2 {
            #expect(code(secret, key(8)) == .invalidDatabase)
            #expect(code(secret, nil) == .invalidDatabase)
            #expect(code(plain, key(7)) == .invalidDatabase)
            #expect(try names(secret, key(7)) == ["a marked hound"])
            #expect(try names(plain, nil) == ["a marked hound"])
            usleep(50_000)
        }
        #expect(!isReadable(secret))
        #expect(isReadable(plain))
    }

    @Test("CF-07: the errors are the same while somebody has the realm open")
    func keysOfAnOpenRealm() throws {
        let path = fixture.directory.path("secret.realm")
        let realm = try Realm(configuration: configuration(path, key(7)))
        let client = try BlockingClient(to: SocketLocation.resolve(), client: "other", timeout: .seconds(10))
        func refusal(_ key: EncryptionKey?) -> WireError.Code? {
            do {
                _ = try client.call(RealmOpen(path: path, key: key))
                return nil
            } catch {
                return (error as? WireError)?.code
            }
        }
        #expect(refusal(nil) == .keyMissing)
        #expect(refusal(EncryptionKey(key(8))) == .keyWrong)
        #expect(refusal(EncryptionKey(key(7))) == nil)
        withExtendedLifetime(realm) {}
    }

    @Test("FI-06, FI-11: copies from plain to encrypted, to another key, and back")
    func copies() throws {
        let directory = fixture.directory
        let paths = (0..<4).map { directory.path("copy\($0).realm") }
        try make(paths[0], nil)
        let keys = [nil, key(1), key(2), nil]
        for step in 0..<3 {
            let source = configuration(paths[step], keys[step])
            let target = configuration(paths[step + 1], keys[step + 1])
            try onThread {
                let realm = try Realm(configuration: source)
                if step == 1 {
                    try realm.writeCopy(configuration: target)
                } else {
                    try realm.writeCopy(
                        toFile: URL(fileURLWithPath: target.fileURL?.path ?? ""), encryptionKey: target.encryptionKey)
                }
            }
            #expect(try names(paths[step + 1], keys[step + 1]) == ["a marked hound"])
            #expect(isReadable(paths[step + 1]) == (keys[step + 1] == nil))
        }
    }

    @Test("FI-06: a copy made in a write transaction is encrypted, too")
    func copyInTransaction() throws {
        let path = fixture.directory.path("inside.realm")
        let realm = try fixture.filled()
        try realm.write {
            realm.add(Hound(9, "a marked hound"))
            try realm.writeCopy(toFile: URL(fileURLWithPath: path), encryptionKey: key(3))
        }
        #expect(!isReadable(path))
        #expect(try names(path, key(3)).contains("a marked hound"))
    }

    @Test("CF-14: an encrypted realm is compacted on launch, and a seed keeps its key")
    func launch() throws {
        let (seed, path) = (fixture.directory.path("seed.realm"), fixture.directory.path("grown.realm"))
        try make(seed, key(5))
        #expect(eventually { access(seed + ".journal", F_OK) != 0 })
        var configuration = configuration(path, key(5))
        configuration.seedFilePath = URL(fileURLWithPath: seed)
        let asked = ClientKit.Lock(0)
        configuration.shouldCompactOnLaunch = { total, used in
            asked.withLock { $0 = total }
            return used <= total
        }
        let found = try onThread { [configuration] in
            try Realm(configuration: configuration).objects(Hound.self).map(\.name)
        }
        #expect(found == ["a marked hound"])
        #expect(asked.withLock { $0 } > 0)
    }
}
