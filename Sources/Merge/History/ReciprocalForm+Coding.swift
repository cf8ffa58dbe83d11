import Model

extension ReciprocalForm {
    /// The form as bytes for a store; the version is kept beside them. First the number of places, of each the place and
    /// the number of its instructions, for each of these one byte with its mark; then all instructions as a changeset.
    /// Numbers have four bytes, the lowest first.
    public func encoded() throws(ChangesetError) -> [UInt8] {
        var bytes: [UInt8] = []
        var instructions: [Instruction] = []
        bytes.append(number: changes.count)
        for (place, elements) in changes.sorted(by: { $0.key < $1.key }) {
            bytes.append(number: place)
            bytes.append(number: elements.count)
            for element in elements {
                bytes.append(element.hidden?.rawValue ?? 0)
                instructions.append(element.instruction)
            }
        }
        return try bytes + Changeset.encode(instructions)
    }

    /// Reads what `encoded` has written. Throws if it is something else.
    public init(version: UInt64, encoded bytes: [UInt8]) throws {
        let malformed = MergeError(.unknownForm, rule: "M-20", "the stored form of version \(version) is damaged")
        var rest = bytes[...]
        func number() throws(MergeError) -> Int {
            guard rest.count >= 4 else { throw malformed }
            defer { rest = rest.dropFirst(4) }
            return rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        var marks: [(place: Int, hidden: [Hidden?])] = []
        for _ in 0..<(try number()) {
            let place = try number()
            let count = try number()
            guard rest.count >= count else { throw malformed }
            marks.append((place, rest.prefix(count).map { Hidden(rawValue: $0) }))
            rest = rest.dropFirst(count)
        }
        var instructions = try Changeset.decode([UInt8](rest))[...]
        self.init(version: version, changes: [:])
        for (place, hidden) in marks {
            guard instructions.count >= hidden.count else { throw malformed }
            changes[place] = zip(instructions, hidden).map { Element($0, hidden: $1) }
            instructions = instructions.dropFirst(hidden.count)
        }
        guard instructions.isEmpty else { throw malformed }
    }
}

extension [UInt8] {
    fileprivate mutating func append(number: Int) {
        for shift in stride(from: 0, to: 32, by: 8) { append(UInt8(truncatingIfNeeded: number >> shift)) }
    }
}
