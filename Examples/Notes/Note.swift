import Foundation
import RealmSwift

/// A note. Its text is one property: of two devices that change it at once, the later one wins.
final class Note: Object, ObjectKeyIdentifiable {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var title: String
    @Persisted var text: String
    @Persisted(indexed: true) var isPinned: Bool
    @Persisted var created: Date

    convenience init(title: String) {
        self.init()
        self.title = title
        created = Date()
    }
}
