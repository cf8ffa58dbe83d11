import Foundation
import Model
import Sync
import Testing

@testable import Server

@Suite("Sync: names of realms")
struct RealmAddressTests {
    private func path(_ value: PartitionValue) -> String { RealmAddress(appId: "shop", partition: value).path }

    @Test("values are readable where they can be")
    func readable() throws {
        #expect(path(.null) == "apps/shop/null.realm")
        #expect(path(.int(-42)) == "apps/shop/int--42.realm")
        #expect(path(.string("user=5f1e")) == "apps/shop/str-user%3d5f1e.realm")
        #expect(path(.string("")) == "apps/shop/str-.realm")
        let id = try #require(ObjectId("64f1b6c2d3e4f5a697887960"))
        #expect(path(.objectId(id)) == "apps/shop/oid-64f1b6c2d3e4f5a697887960.realm")
        let uuid = try #require(UUID(uuidString: "3B241101-E2BB-4255-8CAF-4136C566A962"))
        #expect(path(.uuid(uuid)) == "apps/shop/uuid-3b241101-e2bb-4255-8caf-4136c566a962.realm")
    }

    @Test("no value leads out of the app's folder, or to a name that is too long")
    func safe() {
        for value in ["../x", "/etc/passwd", "a\0b", ".", "..", "ü/🐶", "%2e%2e", String(repeating: "é", count: 4_000)] {
            let parts = path(.string(value)).split(separator: "/", omittingEmptySubsequences: false)
            #expect(parts.count == 3 && parts[2].utf8.count < 200, "\(value)")
            #expect(parts[2].hasPrefix("str-") || parts[2].hasPrefix("sha-"))
            #expect(parts[2].utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
        }
        #expect(RealmAddress(appId: "..", partition: .null).path == "apps/%2e%2e/null.realm")
    }

    @Test("different values have different files, byte for byte")
    func different() {
        let long = String(repeating: "x", count: 200)
        let values: [PartitionValue] = [
            .null, .string("null"), .int(1), .string("1"), .string("int-1"), .string("%31"), .string("\u{E9}"),
            .string("e\u{301}"), .string(long), .string(long + "y"), .string("A"), .string("a")
        ]
        #expect(Set(values.map { path($0) }).count == values.count)
    }

    @Test("partition keys, as they are written")
    func keys() {
        #expect(PartitionKey("realm_id:string") == PartitionKey("realm_id", .string))
        #expect(PartitionKey("_p:objectId?") == PartitionKey("_p", .objectId, isNullable: true))
        for text in ["", "realm_id", ":string", "a:b:string", "a:text", "a:string??", "a:"] {
            #expect(PartitionKey(text) == nil, "\(text)")
        }
        let key = PartitionKey("p", .int)
        #expect(key.accepts(.int(1)) && !key.accepts(.string("1")) && !key.accepts(.null))
        #expect(PartitionKey("p", .uuid, isNullable: true).accepts(.null))
    }

    @Test("lines of the log stay lines, whatever peers put into them")
    func lines() {
        let line = LogLine(.info, "sync.connected", ["id": "a-1", "agent": "x\ny=\"z\" \u{1B}[0m", "none": ""])
        #expect(line.text == "level=info event=sync.connected id=a-1 agent=\"x\\ny=\\\"z\\\" \\u{1b}[0m\" none=\"\"")
        let long = LogLine(.error, "e", ["text": String(repeating: "x", count: 10_000)])
        #expect(long.text.utf8.count < 600)
    }
}
