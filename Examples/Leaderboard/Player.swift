import Foundation
import RealmSwift

/// Somebody who plays. The name is the key: who plays under the same name anywhere goes on with the same score.
final class Player: Object, ObjectKeyIdentifiable {
    @Persisted(primaryKey: true) var _id: String
    @Persisted var score: Int
    @Persisted var lastScored: Date

    convenience init(name: String) {
        self.init()
        _id = name
        lastScored = Date()
    }
}
