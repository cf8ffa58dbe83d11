import Foundation
import RealmSwift

enum Level: String, PersistableEnum {
    case debug, info, warning, error
}

/// One line of a log.
final class Entry: Object {
    @Persisted(indexed: true) var time: Date
    @Persisted var level = Level.info
    @Persisted var text: String
    @Persisted var source: Source?
}

/// A program that writes a log.
final class Source: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var lines: Int
    @Persisted(originProperty: "source") var entries: LinkingObjects<Entry>
}
