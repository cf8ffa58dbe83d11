import Merge
import Model
import Testing

struct FileIdentTests {
    @Test func `hidden keys made before the file had an ident get it (C-12)`() {
        let (before, after) = (PrimaryKey.global(high: 0, low: 3), PrimaryKey.global(high: 42, low: 3))
        let foreign = PrimaryKey.global(high: 7, low: 3)
        func instructions(_ own: PrimaryKey) -> [Instruction] {
            func path(_ key: PrimaryKey, _ rest: PathElement...) -> InstructionPath {
                InstructionPath("T", key, "p", rest)
            }
            func link(_ key: PrimaryKey) -> Payload { .value(.link(Link(className: "T", key: key))) }
            return [
                .createObject(className: "T", key: own), .eraseObject(className: "T", key: own),
                .createObject(className: "T", key: foreign), .createObject(className: "T", key: .int(0)),
                .update(path(own), link(own), isDefault: false), .update(path(own), link(foreign), isDefault: true),
                .updateElement(path(own, .index(1)), link(own), priorSize: 2), .addInteger(path(own), 4),
                .arrayInsert(path(own, .index(1)), link(own), priorSize: 2),
                .arrayMove(path(own, .index(0)), to: 1, priorSize: 2), .arrayErase(path(own, .index(0)), priorSize: 2),
                .clear(path(own), .list), .setInsert(path(own), link(own)), .setErase(path(own), link(own)),
                .eraseTable(className: "T"), .eraseColumn(className: "T", property: "p")
            ]
        }
        #expect(instructions(before).map { $0.assigning(fileIdent: 42) } == instructions(after))
    }
}
