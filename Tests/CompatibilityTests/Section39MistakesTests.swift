import Testing

/// Section 39: mistakes of the programmer. Each is made by a child process, which must trap after a line that says what
/// was wrong. Those that need a scenario of their own are in `MisuseTests` and in the files of other sections.
@Suite("Section 39: mistakes")
struct Section39MistakesTests {
    @Test(
        "MK-09 to MK-27, MK-54 to MK-56: objects",
        arguments: [
            ("MK-10", "already managed by another Realm"),
            ("MK-11", "'Dog' has been deleted or invalidated"),
            ("MK-12", "'Dog' has been deleted or invalidated"),
            ("MK-13 unmanaged", "Can only delete an object of class 'Dog' from the Realm it belongs to"),
            ("MK-13 foreign", "Can only delete an object of class 'Dog' from the Realm it belongs to"),
            ("MK-14 added", "'Dog' with primary key value '1' already exists"),
            ("MK-14 created", "'Dog' with primary key value '1' already exists"),
            ("MK-15", "'Dog.id' can't be changed after an object is inserted"),
            ("MK-16", "'Person' does not have a primary key and can not be updated"),
            ("MK-17", "'Person' does not have a primary key"),
            ("MK-18", "Invalid value 'one' for primary key of 'Dog': expected int"),
            ("MK-19", "'Pot' is not managed by the Realm"),
            ("MK-20 created", "Invalid value 'three' of type 'String' for int property 'Dog.age'"),
            ("MK-20 subscript", "Invalid value 'three' of type 'String' for int property 'Dog.age'"),
            ("MK-21", "Invalid null value for non-optional property 'Dog.name'"),
            ("MK-23", "more values (2) than properties (1)"),
            ("MK-24 read", "Invalid property name 'bark'"),
            ("MK-24 written", "Invalid property name 'bark'"),
            ("MK-27", "'Dog' does not match the class 'Person' of property 'Dog.owner'"),
            ("MK-54 object frozen", "Unmanaged objects cannot be frozen"),
            ("MK-54 object thawed", "Unmanaged objects cannot be thawed"),
            ("MK-54 list frozen", "this one is unmanaged"),
            ("MK-55", "same write transaction"),
            ("MK-56", "Cannot construct reference"),
            ("MK-09 read-only", "do not change"),
            ("MK-60 refresh", "main thread or actor-isolated"),
            ("MK-60 write", "main thread or actor-isolated"),
            ("MK-60 subscribe", "main thread or actor-isolated"),
            ("MK-63 compaction", "'readOnly' and 'shouldCompactOnLaunch'")
        ])
    func objects(scenario: String, says: String) throws {
        try expectTrap(scenario, says)
    }

    @Test(
        "MK-28 to MK-38, MK-48 to MK-52, LI-02: collections",
        arguments: [
            ("MK-07 list", "frozen"),
            ("MK-28 results", "negative value for index"),
            ("MK-28 list", "negative value for index"),
            ("MK-29 results", "Index 1 is out of bounds (must be less than 1)"),
            ("MK-29 unmanaged", "Index 3 is out of bounds (must be less than 0)"),
            ("MK-29 insertion", "Index 1 is out of bounds (must be less than 1)"),
            ("MK-30 first", "remove more objects (2) from a list than it has (0)"),
            ("MK-30 last", "remove more objects (2) from a list than it has (0)"),
            ("MK-31", "Index 7 is out of bounds"),
            ("MK-32", "no longer valid"),
            ("MK-35 text", "Operation 'sum' is not supported for string property 'Dog.name'"),
            ("MK-35 unknown", "Property 'bark' not found in class 'Dog'"),
            ("MK-36", "only self"),
            ("MK-37 sort", "key path 'bark'"),
            ("MK-37 distinct", "key path 'owner.bark'"),
            ("MK-38 operator", "key path 'scores.@count'"),
            ("MK-38 collection", "key path 'friends.name'"),
            ("MK-48 object", "Only managed"),
            ("MK-48 list", "nly managed"),
            ("MK-49", "do not change"),
            ("MK-52 list", "'owner.bark' not found in class 'Dog'")
        ])
    func collections(scenario: String, says: String) throws {
        try expectTrap(scenario, says)
    }

    @Test(
        "MK-41 to MK-45, PR-26: queries",
        arguments: [
            ("MK-41 unknown property", "'bark'"),
            ("MK-41 type", "a string is no value of a property of type 'int'"),
            ("MK-41 operator", "BEGINSWITH isn't offered for type 'int'"),
            ("MK-41 key path", "name"),
            ("MK-41 between", "BETWEEN"),
            ("MK-41 in", "IN"),
            ("MK-41 syntax", "'age =='"),
            ("MK-41 arguments", "'age == %@'"),
            ("MK-41 collection", "a path through a collection must be used with ANY"),
            ("MK-41 block", "Only support compound, comparison, and constant predicates"),
            ("MK-42", "only implemented for arrays of Realm Objects"),
            ("MK-44", "two collection columns"),
            ("MK-45", "starting with a collection")
        ])
    func queries(scenario: String, says: String) throws {
        try expectTrap(scenario, says)
    }
}
