import Merge
import Model

/// Any two changesets, as written by two clients over a realm: what can be decoded is merged, whichever side is local,
/// with the same outcome; and the outcome is applied, or refused.
///
/// The input is the length of the first changeset in two bytes, the first changeset, the second.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMerge(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    let input = UnsafeRawBufferPointer(start: data, count: size)
    guard input.count >= 2 else { return 0 }
    let length = Int(input[0]) | Int(input[1]) << 8
    let rest = input.dropFirst(2)
    guard let ours = try? Changeset.decode(UnsafeRawBufferPointer(rebasing: rest.prefix(length))),
        let theirs = try? Changeset.decode(UnsafeRawBufferPointer(rebasing: rest.dropFirst(length)))
    else { return 0 }
    let one = merge(ours, at: 1, theirs, at: 2)
    let other = merge(theirs, at: 2, ours, at: 1)
    guard one?.ours == other?.theirs, one?.theirs == other?.ours else {
        fatalError("\(String(describing: one)) is not \(String(describing: other)) from the other side")
    }
    guard let one else { return 0 }
    var state = base
    if (try? state.apply(ours)) != nil, (try? state.apply(one.theirs)) != nil {
        // What was applied can be said again, and read.
        guard let bytes = try? Changeset.encode(one.theirs), (try? Changeset.decode(bytes)) == one.theirs else {
            fatalError("\(one.theirs) can't be encoded")
        }
        _ = state.digest
    }
    var foreign = base
    if (try? foreign.apply(theirs)) != nil { try? foreign.apply(one.ours) }
    return 0
}

/// Both sides after a merge; nil if it is refused.
private func merge(
    _ ours: [Instruction], at time: UInt64, _ theirs: [Instruction], at otherTime: UInt64
) -> (ours: [Instruction], theirs: [Instruction])? {
    var history = MergeHistory()
    do {
        try history.append(
            HistoryEntry(
                version: 1, rank: Rank(originTimestamp: time, originFileIdent: time + 1), instructions: ours))
        let incoming = RemoteChangeset(
            remoteVersion: 1, lastIntegratedVersion: 0,
            rank: Rank(originTimestamp: otherTime, originFileIdent: otherTime + 1), instructions: theirs)
        let merged = try history.merge([incoming], from: 9)
        history.adopt(merged)
        return (try history.instructions(of: 1, for: 9), merged.changesets[0].instructions)
    } catch {
        return nil
    }
}

/// The realm that the changesets of the corpus are about.
private let base: ReplicaState = {
    func path(_ property: String, _ rest: PathElement...) -> InstructionPath {
        InstructionPath("Item", .int(1), property, rest)
    }
    func column(
        _ className: String, _ name: String, _ type: ValueType, _ collection: CollectionKind = .single,
        nullable: Bool = false, target: String? = nil
    ) -> Instruction {
        .addColumn(
            className: className, property: name,
            ColumnDeclaration(
                type: type.rawValue, isNullable: nullable, collection: collection, target: target,
                keyType: collection == .dictionary ? ValueType.string.rawValue : nil))
    }
    let key = KeyColumn(name: "_id", type: .int, isNullable: false)
    var instructions: [Instruction] = [
        .addTable(className: "Item", kind: .topLevel, key: key),
        .addTable(className: "Addr", kind: .embedded, key: nil),
        column("Addr", "street", .string), column("Addr", "number", .int), column("Addr", "lines", .string, .list),
        column("Item", "count", .int), column("Item", "name", .string), column("Item", "list", .int, .list),
        column("Item", "names", .string, .list), column("Item", "tags", .string, .set),
        column("Item", "props", .mixed, .dictionary, nullable: true),
        column("Item", "addr", .link, nullable: true, target: "Addr"),
        column("Item", "addrs", .link, .list, target: "Addr"), column("Item", "any", .mixed, nullable: true),
        .createObject(className: "Item", key: .int(1)), .update(path("addr"), .embeddedObject, isDefault: false),
        .setInsert(path("tags"), .value(.string("x"))), .setInsert(path("tags"), .value(.string("y"))),
        .update(path("props", .name("k")), .value(.int(1)), isDefault: false),
        .update(path("props", .name("m")), .value(.string("s")), isDefault: false)
    ]
    for index in 0..<5 as Range<UInt32> {
        instructions.append(.arrayInsert(path("list", .index(index)), .value(.int(10)), priorSize: index))
    }
    for index in 0..<3 as Range<UInt32> {
        instructions += [
            .arrayInsert(path("names", .index(index)), .value(.string("a")), priorSize: index),
            .arrayInsert(path("addrs", .index(index)), .embeddedObject, priorSize: index),
            .arrayInsert(path("addrs", .index(index), .name("lines"), .index(0)), .value(.string("a")), priorSize: 0),
            .arrayInsert(path("addrs", .index(index), .name("lines"), .index(1)), .value(.string("b")), priorSize: 1)
        ]
    }
    var state = ReplicaState()
    do { try state.apply(instructions) } catch { fatalError("\(error)") }
    return state
}()
