import Foundation
import Model

/// What a property of a sample row holds. Links name rows of the target class by their number.
enum SampleValue: Hashable {
    case value(Value)
    case link(Int?)
    case list([Value])
    case links([Int])
}

/// The rows of one class, in the order of its properties.
struct SampleClass {
    var schema: ClassSchema
    var rows: [[SampleValue]]

    func column(_ name: String) -> Int {
        schema.properties.firstIndex { $0.name == name } ?? -1
    }
}

/// All rows of a realm: what a fixture file is made of, and what the oracle looks at.
struct Sample {
    var classes: [SampleClass]

    subscript(name: String) -> SampleClass {
        classes.first { $0.schema.name == name } ?? SampleClass(schema: ClassSchema(name, []), rows: [])
    }

    var schema: RealmSchema { RealmSchema(classes.map(\.schema)) }
}
