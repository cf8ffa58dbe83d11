import Merge
import Model
import Store

extension ReciprocalForm {
    /// The form as a record: places and marks, then all instructions as one changeset.
    func encoded() throws -> [UInt8] {
        var writer = RecordWriter()
        var instructions: [Instruction] = []
        writer.append(UInt32(changes.count))
        for (place, elements) in changes.sorted(by: { $0.key < $1.key }) {
            writer.append(UInt32(place))
            writer.append(UInt32(elements.count))
            for element in elements {
                writer.append(element.hidden?.rawValue ?? 0)
                instructions.append(element.instruction)
            }
        }
        return writer.bytes + (try Changeset.encode(instructions))
    }

    init(version: UInt64, decoding bytes: UnsafeRawBufferPointer) throws {
        var reader = RecordReader(bytes)
        var marks: [(place: Int, hidden: [Hidden?])] = []
        for _ in 0..<(try reader.number(UInt32.self)) {
            let place = Int(try reader.number(UInt32.self))
            var hidden: [Hidden?] = []
            for _ in 0..<(try reader.number(UInt32.self)) { hidden.append(Hidden(rawValue: try reader.number())) }
            marks.append((place, hidden))
        }
        var instructions = try Changeset.decode(reader.rest())[...]
        var changes: [Int: [Element]] = [:]
        for (place, hidden) in marks {
            guard instructions.count >= hidden.count else { throw HistoryError.damaged }
            changes[place] = zip(instructions.prefix(hidden.count), hidden).map { Element($0, hidden: $1) }
            instructions = instructions.dropFirst(hidden.count)
        }
        self.init(version: version, changes: changes)
    }
}

extension WriteTransaction {
    /// Adds what a merge with a peer made of an entry to what is stored of it.
    func put(_ form: ReciprocalForm, of peer: UInt64) throws {
        let key = HistoryKey.form(peer, form.version)
        let earlier = try syncRecord(key).map { bytes in
            try bytes.withUnsafeBytes { try ReciprocalForm(version: form.version, decoding: $0) }
        }
        try putSync(key, (earlier?.merging(form) ?? form).encoded())
    }
}
