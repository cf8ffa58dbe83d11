import TestSupport
import Testing

@testable import Model

@Suite(.enabled(if: GoldenRecords.isPresent, "no golden data: set REEVE_VECTORS to the directory of changesets.json"))
struct GoldenChangesetTests {
    @Test func `the file holds all 249 records`() throws {
        let records = try GoldenRecords.load()
        #expect(records.count == 249)
        #expect(records.filter { $0.kind == "valid" }.count == 181)
        #expect(records.filter(\.isRefused).count == 53)
        #expect(records.filter { $0.streamed != nil }.count == 6)
    }

    @Test func `valid records parse to their instructions`() throws {
        for record in try GoldenRecords.load() where !record.isRefused {
            let parsed = try Changeset.decode(record.bytes)
            #expect(parsed == record.instructions, "\(record.name)")
        }
    }

    @Test func `valid records are what their instructions encode to (C-66)`() throws {
        for record in try GoldenRecords.load() where record.kind == "valid" {
            let bytes = try Changeset.encode(record.instructions)
            #expect(bytes.hex == record.bytes.hex, "\(record.name)")
        }
    }

    @Test func `the streamed form parses to the same instructions (C-30)`() throws {
        for record in try GoldenRecords.load() {
            guard let streamed = record.streamed else { continue }
            #expect(try Changeset.decode(streamed) == record.instructions, "\(record.name)")
        }
    }

    @Test func `the streamed form is what its instructions encode to when streamed (C-62)`() throws {
        for record in try GoldenRecords.load() {
            guard let streamed = record.streamed else { continue }
            let bytes = try Changeset.encode(record.instructions, layout: .streaming)
            #expect(bytes.hex == streamed.hex, "\(record.name)")
        }
    }

    @Test func `bad records are refused (C-59, C-60)`() throws {
        for record in try GoldenRecords.load() where record.isRefused {
            #expect(throws: ChangesetError.self, "\(record.name)") { try Changeset.decode(record.bytes) }
        }
    }

    @Test func `every record that parses survives both layouts`() throws {
        for record in try GoldenRecords.load() where !record.isRefused {
            for layout in [ChangesetWriter.Layout.stringsFirst, .streaming, .writingClient] {
                let bytes = try Changeset.encode(record.instructions, layout: layout)
                #expect(try Changeset.decode(bytes) == record.instructions, "\(record.name) \(layout)")
            }
        }
    }

    @Test func `every proper prefix of a one-instruction record is refused or shorter`() throws {
        for record in try GoldenRecords.load() where record.kind == "valid" && record.instructions.count == 1 {
            for length in 0..<record.bytes.count {
                let prefix = Array(record.bytes[..<length])
                // Strings alone are a changeset without instructions.
                guard let parsed = try? Changeset.decode(prefix) else { continue }
                #expect(parsed.isEmpty, "\(record.name) cut at \(length)")
            }
        }
    }
}
