import RealmSwift

/// A province, state, county… as ISO 3166-2 lists them; `reeve import` makes this class from the data set.
final class Subdivision: Object {
    @Persisted(primaryKey: true) var code: String
    @Persisted var name: String
    @Persisted var parent: String?
    @Persisted var type: String
}

/// Something that a writer did. Numbered without gaps for each writer.
final class Visit: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var writer: String
    @Persisted var number: Int
    @Persisted var place: Subdivision?
}

/// How many visits a writer has made; changed in the same transaction that adds the visit.
final class Tally: Object {
    @Persisted(primaryKey: true) var writer: String
    @Persisted var visits: Int
}
