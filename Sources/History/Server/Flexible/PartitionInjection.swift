import Model
import Store
import Sync

/// What the server adds to uploads in an app that was synced by partition before: the property that says which partition an
/// object belongs to (F-98).
struct PartitionInjection {
    private let field: PartitionField
    /// Of a migrated file, whose application doesn't know the property, or doesn't keep it: what it makes belongs there.
    private let partition: PartitionValue?
    private var topLevel: Set<String>
    private var declared: Set<String>
    /// The properties that were added to classes.
    private(set) var added: [Instruction] = []

    init(_ field: PartitionField, _ partition: PartitionValue?, _ schema: StoredSchema) {
        self.field = field
        self.partition = partition
        let tables = schema.tables.filter { $0.kind == .topLevel }
        topLevel = Set(tables.map(\.name))
        declared = Set(tables.filter { $0.column(named: field.property) != nil }.map(\.name))
    }

    /// A changeset as it is integrated.
    mutating func completed(_ instructions: [Instruction]) -> [Instruction] {
        for case .addColumn(let name, field.property, _) in instructions { declared.insert(name) }
        var result: [Instruction] = []
        result.reserveCapacity(instructions.count)
        for instruction in instructions {
            switch instruction {
            case .addTable(let name, let kind, _):
                result.append(instruction)
                guard kind == .topLevel else { continue }
                topLevel.insert(name)
                declare(name, &result)
            case .createObject(let name, let key):
                guard let partition, topLevel.contains(name) else {
                    result.append(instruction)
                    continue
                }
                declare(name, &result)
                result.append(instruction)
                let path = InstructionPath(name, key, field.property)
                result.append(.update(path, .value(partition.value), isDefault: false))
            default:
                // Membership in a partition was never a matter of what the property holds.
                if partition != nil, instruction.field == field.property,
                    let object = instruction.object, topLevel.contains(object.className)
                {
                    continue
                }
                result.append(instruction)
            }
        }
        return result
    }

    private mutating func declare(_ className: String, _ result: inout [Instruction]) {
        guard declared.insert(className).inserted else { return }
        let column = Instruction.addColumn(className: className, property: field.property, field.declaration)
        result.append(column)
        added.append(column)
    }
}
