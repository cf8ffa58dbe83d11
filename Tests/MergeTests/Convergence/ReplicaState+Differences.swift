import Model

@testable import Merge

extension ReplicaState {
    /// The properties in which two states differ.
    func differences(from other: ReplicaState) -> String {
        var lines: [String] = []
        if schema != other.schema { lines.append("schemas differ") }
        for name in Set(objects.keys).union(other.objects.keys).sorted(by: { $0.text < $1.text }) {
            let (one, two) = (objects[name] ?? [:], other.objects[name] ?? [:])
            for key in Set(one.keys).union(two.keys) where one[key] != two[key] {
                guard let left = one[key], let right = two[key] else {
                    lines.append("\(name.text)[\(key)] is only on one side")
                    continue
                }
                for property in left.keys where left[property] != right[property] {
                    let (a, b) = (left[property] ?? .null, right[property] ?? .null)
                    lines.append("\(name.text)[\(key)].\(property.text): \(a) and \(b)")
                }
            }
        }
        return lines.joined(separator: "\n")
    }
}

extension Slot: CustomStringConvertible {
    public var description: String {
        switch self {
        case .value(let value): "\(value)"
        case .object(_, let fields): "{\(Self.describe(fields))}"
        case .list(let elements): "\(elements)"
        case .dictionary(let entries): "[\(Self.describe(entries))]"
        case .set(let elements): "set \(elements)"
        }
    }

    private static func describe(_ entries: [Name: Slot]) -> String {
        entries.sorted { $0.key.text < $1.key.text }.map { "\($0.key.text): \($0.value)" }.joined(separator: ", ")
    }
}
