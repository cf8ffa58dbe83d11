import RealmSwift

/// A province, state, county… of ISO 3166-2, as `reeve import` makes it from Debian's iso-codes:
///
///     reeve import places.realm Subdivision /usr/share/iso-codes/json/iso_3166-2.json --at 3166-2 --key code
final class Subdivision: Object {
    @Persisted(primaryKey: true) var code: String
    @Persisted var name: String
    @Persisted var parent: String?
    @Persisted var type: String

    /// The country's two letters.
    var country: String { String(code.prefix(2)) }
}
