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
        // Cheap, since writers make their values while the clock runs.
        let digits = withUnsafeBytes(of: item.id) { bytes in
            String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
                for (place, byte) in bytes.enumerated() {
                    text[2 * place] = hexDigit(byte >> 4)
                    text[2 * place + 1] = hexDigit(byte & 15)
                }
                return 2 * bytes.count
            }
        }
        guard let id = try? ObjectId(string: digits) else { preconditionFailure("not an object id: \(digits)") }
        return id
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
