import Testing

@testable import Model

struct SchemaDifferenceTests {
    private let base = SchemaCodingTests.example

    /// Differences after a change of class `Dog` or `Toy`.
    private func differences(_ change: (inout RealmSchema) -> Void) -> [SchemaDifference] {
        var new = base
        change(&new)
        return base.differences(to: new)
    }

    @Test func `a schema does not differ from itself or from one in another order`() {
        #expect(base.differences(to: base).isEmpty)
        let turned = differences { schema in
            schema.classes.reverse()
            for place in schema.classes.indices { schema.classes[place].properties.reverse() }
        }
        #expect(turned.isEmpty)
    }

    @Test func `properties added and removed (MI-04)`() {
        let added = differences { $0.classes[0].properties.append(PropertySchema("age", .int)) }
        #expect(added.map(\.description) == ["Property 'Dog.age' has been added."])
        let removed = differences { $0.classes[0].properties.remove(at: 1) }
        #expect(removed.map(\.description) == ["Property 'Dog.name' has been removed."])
        #expect((added + removed).allSatisfy { $0.needsMigration && $0.isAdditive })
    }

    @Test func `properties made optional and required (MI-04)`() {
        let required = differences { $0.classes[0].properties[1].isNullable = false }
        #expect(required.map(\.description) == ["Property 'Dog.name' has been made required."])
        let optional = differences { $0.classes[0].properties[0].isNullable = true }
        #expect(optional.map(\.description) == ["Property 'Dog._id' has been made optional."])
        #expect((required + optional).allSatisfy { $0.needsMigration && !$0.isAdditive })
    }

    @Test func `types, collections and targets changed (MI-04)`() {
        let type = differences { $0.classes[0].properties[1].type = .int }
        #expect(type.map(\.description) == ["Property 'Dog.name' has been changed from 'string?' to 'int?'."])
        let collection = differences { $0.classes[2].properties[0].collection = .list }
        #expect(
            collection.map(\.description) == [
                "Property 'Toy.weights' has been changed from 'set<double>' to 'list<double>'."
            ])
        let target = differences { $0.classes[0].properties[2].target = "Dog" }
        #expect(target.map(\.description) == ["Property 'Dog.owner' has been changed from 'Person' to 'Dog'."])
    }

    @Test func `primary keys added, removed and changed (MI-04)`() {
        let removed = differences { $0.classes[0].primaryKey = nil }
        #expect(removed.map(\.description) == ["Primary key 'Dog._id' has been removed."])
        let changed = differences { $0.classes[0].primaryKey = "name" }
        #expect(changed.map(\.description) == ["Primary key of class 'Dog' has been changed from '_id' to 'name'."])
        let added = differences { $0.classes[1].primaryKey = "any" }
        #expect(added.map(\.description) == ["Primary key 'Person.any' has been added."])
        #expect((removed + changed + added).allSatisfy { $0.needsMigration && !$0.isAdditive })
    }

    @Test func `class kinds changed (MI-04)`() {
        let kind = differences { $0.classes[2].kind = .topLevel }
        #expect(kind.map(\.description) == ["Class 'Toy' has been changed from embedded to top-level."])
        #expect(kind.allSatisfy { $0.needsMigration && !$0.isAdditive })
    }

    @Test func `classes and indexes come and go without migration (MI-03)`() {
        let all = differences { schema in
            schema.classes.remove(at: 1)
            schema.classes.append(ClassSchema("Cat", []))
            schema.classes[0].properties[0].isIndexed = true
            schema.classes[0].properties[1].isIndexed = false
        }
        #expect(
            all == [
                .indexAdded(className: "Dog", property: "_id"), .indexRemoved(className: "Dog", property: "name"),
                .classAdded("Cat"), .classRemoved("Person")
            ])
        #expect(all.allSatisfy { !$0.needsMigration && $0.isAdditive })
    }
}
