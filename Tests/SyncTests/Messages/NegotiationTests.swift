import Testing

@testable import Sync

/// The choice of a protocol version in the upgrade.
struct NegotiationTests {
    private func chosen(_ header: String?, versions: ClosedRange<Int> = 2...14) -> String? {
        (try? SyncProtocol.choose(offered: header, versions: versions))?.token
    }

    @Test func `a client offers all its versions, newest first (P-11)`() {
        let offer = SyncProtocol.offer(.partition)
        #expect(offer.hasPrefix("com.mongodb.realm-sync#14, com.mongodb.realm-sync#13, "))
        #expect(offer.hasSuffix(", com.mongodb.realm-sync#2"))
        #expect(SyncProtocol.offer(.flexible, versions: 12...14).hasPrefix("com.mongodb.realm-query-sync#14, "))
    }

    @Test func `the highest common version is chosen, with the separator of its token (P-12, P-13)`() {
        #expect(chosen(SyncProtocol.offer(.partition)) == "com.mongodb.realm-sync#14")
        #expect(chosen(SyncProtocol.offer(.flexible), versions: 2...12) == "com.mongodb.realm-query-sync#12")
        #expect(chosen("com.mongodb.realm-sync/7, com.mongodb.realm-sync/6") == "com.mongodb.realm-sync/7")
        #expect(chosen("com.mongodb.realm-sync/3-20", versions: 2...14) == "com.mongodb.realm-sync/14")
        #expect(chosen("other, com.mongodb.realm-sync#9") == "com.mongodb.realm-sync#9")
        #expect(chosen("com.mongodb.realm-sync#9,com.mongodb.realm-query-sync#14") == "com.mongodb.realm-sync#9")
    }

    @Test func `no common version or no token is refused with both ranges (P-14)`() {
        let bad = [
            nil, "", ",", "com.mongodb.realm-sync", "com.mongodb.realm-sync#", "com.mongodb.realm-sync#x",
            "com.mongodb.realm-sync#014", "com.mongodb.realm-sync#-1", "com.mongodb.realm-sync#15",
            "com.mongodb.realm-sync#1", "com.mongodb.realm-sync/9-3", "com.mongodb.realm-sync#99999999999999999999",
            "COM.mongodb.realm-sync#14"
        ]
        for header in bad { #expect(chosen(header) == nil, "\(header ?? "nil")") }
        #expect(throws: SyncProtocol.NegotiationError.self) {
            try SyncProtocol.choose(offered: String(repeating: "x,", count: 10_000))
        }
    }

    @Test func `the answer must be exactly one token of the client's kind (P-15)`() throws {
        #expect(
            try SyncProtocol.accept(answered: "com.mongodb.realm-sync#11", mode: .partition)
                == SyncProtocol(.partition, version: 11))
        for answer in [
            nil, "", "com.mongodb.realm-sync#15", "com.mongodb.realm-sync/14", "com.mongodb.realm-sync#14 ",
            "com.mongodb.realm-query-sync#14", "com.mongodb.realm-sync#14, com.mongodb.realm-sync#13"
        ] {
            #expect(throws: SyncProtocol.NegotiationError.self, "\(answer ?? "nil")") {
                try SyncProtocol.accept(answered: answer, mode: .partition)
            }
        }
    }

    @Test func `codes that crash original clients are never sendable (P-126)`() {
        for code in [104, 202, 203, 205, 207, 214, 215, 218, 219, 220, 221, 224, 226, 233, 213, 199, 299] {
            #expect(!SyncErrorCode(rawValue: code).isSendable(version: 14), "\(code)")
        }
        for code in [100, 102, 103, 106, 109, 200, 206, 208, 212, 217, 222, 225, 231, 236] {
            #expect(SyncErrorCode(rawValue: code).isSendable(version: 14), "\(code)")
        }
        #expect(SyncErrorCode.serverPermissionsChanged.isSendable(version: 13))
        #expect(!SyncErrorCode.serverPermissionsChanged.isSendable(version: 14))
    }
}
