import Foundation
import Model
import TestSupport
import Testing
import Wire

/// Clients of an older schema (R54), with processes.
@Suite struct OldClientReportTests {
    private static func schema(_ extra: [PropertySchema]) -> RealmSchema {
        RealmSchema([
            ClassSchema(
                "Node", primaryKey: "_id",
                [PropertySchema("_id", .int), PropertySchema("name", .string)] + extra),
            ClassSchema(
                "Parent", primaryKey: "_id",
                [
                    PropertySchema("_id", .int),
                    PropertySchema("children", .link, collection: .list, target: "Node")
                ])
        ])
    }

    @Test("R54: what clients write that don't know the newest property is there for all, and the property is null")
    func newProperty() throws {
        let server = try ServerUnderTest()
        let (old, new) = (try SyncedDevice(server.url), try SyncedDevice(server.url))
        let (first, second) = (Self.schema([]), Self.schema([PropertySchema("note", .string, nullable: true)]))
        try old.open(schema: first)
        try old.put([["_id": .int64(1)]], in: "Parent")
        try old.wait(.upload)
        try new.open(schema: second)
        try new.wait(.upload)
        try old.put((0..<5).map { ["_id": .int64($0), "name": .string("n\($0)")] }, in: "Node")
        try old.put([["_id": .int64(1), "children": .array((0..<5).map { .int64($0) })]], in: "Parent")
        try old.wait(.upload)
        try old.restartAgent(opening: nil)
        try old.open(schema: first)
        let third = try SyncedDevice(server.url)
        try third.open(schema: second)
        for device in [old, new, third] {
            try device.wait(.download)
            let parents = try device.objects("Parent")
            guard case .array(let children)? = parents.first?["children"] else {
                Issue.record("no children: \(parents)")
                continue
            }
            #expect(children.count == 5)
            let nodes = try device.objects("Node")
            #expect(nodes.compactMap { $0["name"] } == (0..<5).map { .string("n\($0)") })
            #expect(nodes.allSatisfy { $0["note"] ?? .null == .null })
        }
        // And what they change leaves the property as it is.
        try new.put([["_id": .int64(2), "note": .string("kept")]], in: "Node")
        try new.wait(.upload)
        try old.wait(.download)
        try old.put([["_id": .int64(2), "name": .string("renamed")]], in: "Node")
        try old.wait(.upload)
        try new.wait(.download)
        let node = try new.objects("Node").first { $0["_id"] == .int64(2) }
        #expect(node?["note"] == .string("kept") && node?["name"] == .string("renamed"))
    }
}
