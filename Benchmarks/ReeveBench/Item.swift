import CFloor
import Foundation
import RealmSwift

/// The object of the benchmarks; SQLite has the same fields as columns.
final class Item: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var name: String
    @Persisted var owner: String
    @Persisted var priority: Int
    @Persisted var score: Double
    @Persisted var created: Date
    @Persisted var done: Bool
}

/// What row `n` of the data set holds, the same on both sides.
struct ItemValues {
    let id: ObjectId
    let name: String
    let owner: String
    let priority: Int
    let score: Double
    let created: Date
    let done: Bool

    init(_ n: Int) {
        var item = floor_item()
        floor_make_item(Int64(n), &item)
        id = Self.objectId(item)
        name = withUnsafeBytes(of: item.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        owner = withUnsafeBytes(of: item.owner) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        priority = Int(item.priority)
        score = item.score
        created = Date(timeIntervalSince1970: Double(item.created))
        done = item.done != 0
    }

    private static func objectId(_ item: floor_item) -> ObjectId {
        let digits = withUnsafeBytes(of: item.id) { $0.map { String(format: "%02x", $0) }.joined() }
        guard let id = try? ObjectId(string: digits) else { preconditionFailure("not an object id: \(digits)") }
        return id
    }
}
