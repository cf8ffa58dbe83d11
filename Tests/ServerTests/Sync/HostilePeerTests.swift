import EventLoop
import Foundation
import Model
import Sync
import TestSupport
import Testing

@testable import Server

/// What a peer can send doesn't bring the server down, and costs nobody else anything.
@Suite("Sync: hostile peers")
struct HostilePeerTests {
    /// States of a session, by what brings it there.
    private enum Stage: CaseIterable { case new, bound, steady, failed, unbound }

    @LoopActor
    private static func probe(_ yard: SyncYard, at stage: Stage) throws -> SyncProbe {
        let probe = try SyncProbe.connect(to: yard)
        guard stage != .new else { return probe }
        probe.bind()
        #expect(yard.time.settle())
        guard stage != .bound else { return probe }
        var ident = try #require(probe.ident())
        if stage == .failed { ident.salt = ident.salt == 1 ? 2 : 1 }
        probe.identify(as: ident)
        #expect(yard.time.settle())
        if stage == .unbound { probe.send(.unbind(session: 1)) }
        #expect(yard.time.settle())
        return probe
    }

    @Test("random bytes and broken messages in every state end that connection alone (P-35, P-91, P-92)")
    func random() throws {
        let seed = randomSeed
        try onServerLoop {
            var generator = SeededGenerator(seed: seed)
            let yard = try SyncYard()
            let device = try yard.device()
            try device.write(Dogs.schema)
            for round in 0..<20 * soakFactor {
                for stage in Stage.allCases {
                    let probe = try Self.probe(yard, at: stage)
                    switch Int.random(in: 0..<3, using: &generator) {
                    case 0:
                        let count = Int.random(in: 0...200, using: &generator)
                        probe.socket.send((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
                    case 1:
                        // A true message with a byte changed, or cut short.
                        var bytes = ClientMessage.upload(
                            .init(
                                session: 1, progress: UploadCursor(client: 9, server: 0), lockedServerVersion: 0,
                                entries: [
                                    UploadEntry(
                                        cursor: UploadCursor(client: 9, server: 0), timestamp: 5,
                                        changeset: try Changeset.encode(Dogs.schema + Dogs.put(7)))
                                ])
                        ).encoded()
                        if Bool.random(using: &generator) {
                            let place = Int.random(in: 0..<bytes.count, using: &generator)
                            bytes[place] = UInt8.random(in: 0...255, using: &generator)
                        } else {
                            bytes.removeLast(Int.random(in: 1..<bytes.count, using: &generator))
                        }
                        probe.socket.send(bytes)
                    default:
                        for text in [
                            "alloc 1\n", "upload 1 0 9999999 0 1 1 0\n", "bind 0 3 0 1 0\n\"p\"", "mark 1 -5\n"
                        ] {
                            probe.socket.send(Array(text.utf8))
                        }
                    }
                    #expect(yard.time.settle(), "seed \(seed), round \(round), \(stage)")
                    probe.socket.abort()
                }
            }
            #expect(yard.endpoint.metrics.historyFaults == 0)
            try device.write(Dogs.put(100))
            let other = try yard.device()
            #expect(try yard.advance { try other.count("Dog") >= 1 }, "seed \(seed)")
            #expect(device.reports.filter(\.isFatal).map(\.message) == [])
            #expect(yard.endpoint.connectionCount == 2)
            try device.stop()
            try other.stop()
        }
    }

    @Test("a connection error is sent, then the connection ends (P-35, P-92)")
    func malformed() throws {
        try onServerLoop {
            let yard = try SyncYard()
            let probe = try Self.probe(yard, at: .steady)
            probe.socket.send(Array("nonsense\n".utf8))
            yard.settle()
            #expect(probe.errors.count == 1 && probe.errors[0][1] == 0 && (100..<200).contains(probe.errors[0][0]))
            #expect(probe.end == .ended)
            #expect(yard.endpoint.connectionCount == 0)
        }
    }

    @Test("text messages: 1003 (P-20)")
    func text() throws {
        try onServerLoop {
            let yard = try SyncYard()
            let probe = try Self.probe(yard, at: .steady)
            probe.socket.send("bind 1 3 0 1 0")
            yard.settle()
            #expect(probe.end == .closed(code: 1003, reason: ""))
            #expect(yard.endpoint.connectionCount == 0)
        }
    }

    @Test("what is no partition value: 204 for the session, and the connection goes on (P-42)")
    func paths() throws {
        try onServerLoop {
            let yard = try SyncYard()
            let probe = try SyncProbe.connect(to: yard)
            for (number, path) in ["p", "[1]", "{\"$oid\":\"../../etc\"}", "{}"].enumerated() {
                probe.bind(Int64(number + 1), path)
            }
            probe.bind(9, "\"../../../etc/passwd\"")
            yard.settle()
            #expect(probe.errors == [[204, 1], [204, 2], [204, 3], [204, 4]])
            #expect(probe.ident(9)?.number == 2 && probe.end == nil)
            probe.socket.abort()
        }
    }

    @Test("flexible sync on an app for partitions: 114 (P-47)")
    func flexible() throws {
        try onServerLoop {
            let yard = try SyncYard()
            let probe = try SyncProbe.connect(to: yard, .flexible)
            probe.bind(1, "{}")
            yard.settle()
            #expect(probe.errors == [[114, 0]])
        }
    }

    @Test("who may not read is refused at BIND, who may not write at UPLOAD, both with 206 (P-48)")
    func permissions() throws {
        try onServerLoop {
            let yard = try SyncYard { options in
                options.access = { _, partition in
                    switch partition {
                    case .string("p"): .read
                    case .string("mine"): .write
                    default: .none
                    }
                }
            }
            let writer = try yard.device(.string("mine"))
            try writer.write(Dogs.schema)
            let reader = try yard.device()
            let stranger = try yard.device(.string("theirs"))
            yard.settle()
            #expect(writer.uploaded > 0 && writer.reports.map(\.message) == [])
            #expect(reader.reports.map(\.message) == [])
            #expect(stranger.reports.map(\.code) == [.permissionDenied])
            try reader.write(Dogs.schema)
            yard.settle()
            #expect(reader.reports.map(\.code) == [.permissionDenied])
            for device in [writer, reader, stranger] { try device.stop() }
        }
    }

    @Test("idents and salts of others are refused (P-50: 208, 211, 223)")
    func forged() throws {
        try onServerLoop {
            let yard = try SyncYard()
            let owner = try Self.probe(yard, at: .steady)
            let ident = try #require(owner.ident())
            let forged: [(FileIdent, Int64)] = [
                (FileIdent(number: 1, salt: 1), 208), (FileIdent(number: 99, salt: 1), 208),
                (FileIdent(number: ident.number, salt: ident.salt ^ 1), 211), (ident, 223)
            ]
            for (file, code) in forged {
                let probe = try SyncProbe.connect(to: yard)
                probe.bind(needsIdent: false)
                probe.identify(as: file)
                yard.settle()
                #expect(probe.errors == [[code, 1]], "\(file)")
                probe.socket.abort()
            }
            #expect(owner.end == nil, "a stranger can't end another's connection")
            owner.socket.abort()
        }
    }

    @Test("the same file on another connection: the earlier one is dead (P-51)")
    func superseded() throws {
        try onServerLoop {
            let yard = try SyncYard()
            let token = try SyncProbe.logIn(to: yard)
            let first = try SyncProbe.connect(to: yard, token: token)
            first.bind()
            #expect(yard.time.settle())
            let ident = try #require(first.ident())
            first.identify(as: ident)
            #expect(yard.time.settle())
            let second = try SyncProbe.connect(to: yard, token: token)
            second.bind(needsIdent: false)
            second.identify(as: ident)
            yard.settle()
            #expect(first.end == .ended)
            #expect(second.end == nil && second.errors == [])
            second.socket.abort()
        }
    }

    @Test("a client that doesn't read costs one DOWNLOAD and no more, and the others don't wait for it (P-94)")
    func slow() throws {
        try onServerLoop {
            let yard = try SyncYard { $0.limits.downloadBytes = 64 << 10 }
            let slow = try Self.probe(yard, at: .steady)
            slow.socket.pauseReading()
            let writer = try yard.device()
            let reader = try yard.device()
            try writer.write(Dogs.schema)
            // Nothing that compression makes small.
            var generator = SeededGenerator(seed: 1)
            let name = String(
                decoding: (0..<32 << 10).map { _ in UInt8.random(in: 0x20...0x7E, using: &generator) }, as: UTF8.self)
            for id in 0..<100 { try writer.write(Dogs.put(Int64(id), name: name)) }
            #expect(try yard.advance { try reader.count("Dog") == 100 })
            let queued = yard.network.links.map(\.server.queuedBytes).max() ?? 0
            #expect(queued > 64 << 10 && queued < 1 << 20, "\(queued)")
            slow.socket.resumeReading()
            yard.settle()
            let received = slow.messages.reduce(0) { sum, message in
                if case .download(let download) = message { sum + download.entries.count } else { sum }
            }
            #expect(received == 101)
            slow.socket.abort()
            try writer.stop()
            try reader.stop()
        }
    }

    @Test("silence ends the connection after half an hour, and PINGs keep it (P-60, P-93)")
    func idle() throws {
        try onServerLoop {
            let yard = try SyncYard { $0.tokenGrace = .seconds(100_000) }
            let silent = try Self.probe(yard, at: .steady)
            let alive = try Self.probe(yard, at: .steady)
            for minute in 0..<35 {
                alive.send(.ping(timestamp: Int64(minute), roundTrip: 0))
                yard.time.advance(by: .seconds(60))
            }
            #expect(silent.end != nil && alive.end == nil)
            #expect(yard.endpoint.connectionCount == 1)
            alive.socket.abort()
        }
    }

    @Test("a realm that can't be opened ends its own sessions alone, and comes back with its file (P-126: 229)")
    func broken() throws {
        try onServerLoop {
            let yard = try SyncYard()
            try DataDirectory.make("apps/shop", in: yard.directory.path)
            let file = yard.directory.path + "/apps/shop/str-q.realm"
            #expect(mkdir(file, 0o700) == 0)
            let probe = try SyncProbe.connect(to: yard)
            probe.bind(1, "\"p\"")
            probe.bind(2, "\"q\"")
            yard.settle()
            #expect(probe.errors == [[229, 2]] && probe.ident(1) != nil)
            #expect(rmdir(file) == 0)
            probe.send(.unbind(session: 2))
            yard.settle()
            probe.bind(3, "\"q\"")
            yard.settle()
            #expect(probe.ident(3) != nil && probe.end == nil)
            probe.socket.abort()
        }
    }

    @Test("more connections or realms than allowed: the ones that are there go on")
    func limits() throws {
        try onServerLoop {
            let yard = try SyncYard {
                $0.connections = 4
                $0.openRealms = 2
            }
            let first = try Self.probe(yard, at: .steady)
            let second = try SyncProbe.connect(to: yard)
            second.bind(1, "\"q\"")
            let third = try SyncProbe.connect(to: yard)
            third.bind(1, "\"r\"")
            yard.settle()
            #expect(third.errors == [[229, 1]])
            let fourth = try SyncProbe.connect(to: yard)
            let fifth = try SyncProbe.connect(to: yard)
            yard.settle()
            #expect(first.end == nil && second.end == nil && fourth.end == nil)
            #expect(fifth.end == .ended && yard.endpoint.metrics.refusedConnections == 1)
            for probe in [first, second, fourth] { probe.socket.abort() }
        }
    }
}
