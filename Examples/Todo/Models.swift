import Foundation
import RealmSwift

enum Priority: Int, PersistableEnum {
    case low, normal, high
}

/// Something to do.
final class TodoItem: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var title: String
    @Persisted var priority = Priority.normal
    @Persisted var isDone = false
    @Persisted var created = Date()
    @Persisted var tags: List<String>
    @Persisted(originProperty: "items") var lists: LinkingObjects<TodoList>

    convenience init(title: String, priority: Priority) {
        self.init()
        self.title = title
        self.priority = priority
        tags.append(objectsIn: title.split(separator: " ").filter { $0.hasPrefix("#") }.map { String($0.dropFirst()) })
    }
}

/// Things to do in the order that their owner gave them.
final class TodoList: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var items: List<TodoItem>
}
