import Model
import Testing

@testable import Merge

struct ReciprocalFormTests {
    private static let form = ReciprocalForm(
        version: 7,
        changes: [
            0: [],
            3: [
                .init(.eraseColumn(className: "T", property: "p")), .init(.eraseTable(className: "U"))
            ],
            70_000: [.init(.update(InstructionPath("T", .int(1), "any"), .list, isDefault: false), hidden: .list)]
        ])

    @Test func `a form survives being stored, marks and all (M-138)`() throws {
        #expect(try ReciprocalForm(version: 7, encoded: Self.form.encoded()) == Self.form)
        let empty = ReciprocalForm(version: 1, changes: [:])
        #expect(try ReciprocalForm(version: 1, encoded: empty.encoded()) == empty)
    }

    @Test func `a damaged form is refused`() throws {
        let bytes = try Self.form.encoded()
        for length in 0..<bytes.count {
            #expect(throws: (any Error).self, "\(length) bytes") {
                try ReciprocalForm(version: 7, encoded: Array(bytes[..<length]))
            }
        }
        #expect(throws: (any Error).self) {
            try ReciprocalForm(version: 7, encoded: bytes + Changeset.encode([.eraseTable(className: "V")]))
        }
    }
}
