import Foundation
import RealmSwift

/// What a user can do to a list; each is one transaction.
struct Commands {
    let realm: Realm
    let list: TodoList

    init(listNamed name: String, in realm: Realm) throws {
        self.realm = realm
        if let list = realm.object(ofType: TodoList.self, forPrimaryKey: name) {
            self.list = list
        } else {
            // Another window may make it at the same moment.
            list = try realm.write { realm.create(TodoList.self, value: ["name": name], update: .modified) }
        }
    }

    /// Carries out one line of input. Returns what there is to say about it.
    func run(_ line: String) throws -> String? {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        let rest = words.count > 1 ? words[1] : ""
        switch words.first {
        case nil: return nil
        case "add": return try add(rest)
        case "done": return try change(rest) { $0.isDone.toggle() }
        case "up": return try move(rest, by: -1)
        case "down": return try move(rest, by: 1)
        case "rm": return try change(rest) { realm.delete($0) }
        case "clear": return try clear()
        case "find": return find(rest)
        default: return "add TITLE | done N | up N | down N | rm N | clear | find TEXT | quit"
        }
    }

    private func add(_ title: String) throws -> String? {
        let isUrgent = title.hasPrefix("!")
        let text = title.drop { $0 == "!" || $0 == " " }
        guard !text.isEmpty else { return "add what?" }
        try realm.write { list.items.append(TodoItem(title: String(text), priority: isUrgent ? .high : .normal)) }
        return nil
    }

    private func change(_ number: String, _ body: (TodoItem) -> Void) throws -> String? {
        guard let place = place(number) else { return "there is no item \(number)" }
        try realm.write { body(list.items[place]) }
        return nil
    }

    private func move(_ number: String, by step: Int) throws -> String? {
        guard let from = place(number) else { return "there is no item \(number)" }
        let to = from + step
        guard list.items.indices.contains(to) else { return nil }
        try realm.write { list.items.move(from: from, to: to) }
        return nil
    }

    private func clear() throws -> String? {
        let done = list.items.where { $0.isDone == true }
        let count = done.count
        try realm.write { realm.delete(done) }
        return "\(count) gone"
    }

    private func find(_ text: String) -> String {
        let found = realm.objects(TodoItem.self).filter("title CONTAINS[c] %@ OR ANY tags ==[c] %@", text, text)
            .sorted(byKeyPath: "created", ascending: false)
        return found.map { item in
            let lists = item.lists.map(\.name).joined(separator: ", ")
            return "\(lists): \(item.title)"
        }.joined(separator: "\n")
    }

    private func place(_ number: String) -> Int? {
        guard let number = Int(number), list.items.indices.contains(number - 1) else { return nil }
        return number - 1
    }

    /// The list as it is shown.
    var text: String {
        let open = list.items.where { $0.isDone == false }
        let urgent = open.where { $0.priority == .high }.count
        let rows = list.items.enumerated().map { index, item in
            "\(index + 1). [\(item.isDone ? "x" : " ")] \(item.title)\(item.priority == .high ? " !" : "")"
        }
        let head = "\(list.name): \(open.count) open\(urgent > 0 ? ", \(urgent) urgent" : "")"
        return ([head] + rows).joined(separator: "\n")
    }
}
