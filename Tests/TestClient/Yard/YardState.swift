import RealmSwift

/// All objects at one version, as plain values. Rows of objects and of plain values are strings.
struct YardState {
    private struct Item: Equatable {
        let values: [String]
        let links: [String]
    }

    /// Links that a change is seen through (NO-06).
    private static let depth = 4

    private let items: [String: Item]

    init(_ realm: Realm) {
        var items: [String: Item] = [:]
        for wagon in realm.objects(Wagon.self) {
            items[Self.row(wagon)] = Item(
                values: ["\(wagon.stamp)", wagon.track, "\(wagon.rank)"],
                links: [wagon.next.map(Self.row) ?? "-", wagon.load.map(Self.row) ?? "-"])
        }
        for load in realm.objects(Load.self) {
            items[Self.row(load)] = Item(values: ["\(load.stamp)", "\(load.weight)"], links: [])
        }
        self.items = items
    }

    static func row(_ wagon: Wagon) -> String { "wagon \(wagon.id)" }
    static func row(_ load: Load) -> String { "load \(load.id)" }

    /// The objects that were there before, and are not what they were.
    func written(since old: YardState) -> Set<String> {
        Set(items.filter { row, item in old.items[row].map { $0 != item } ?? false }.keys)
    }

    /// Whether a row, or what its links lead to, is among those written.
    func reaches(_ written: Set<String>, from row: String, depth: Int = Self.depth) -> Bool {
        if written.contains(row) { return true }
        guard depth > 0, let item = items[row] else { return false }
        return item.links.contains { reaches(written, from: $0, depth: depth - 1) }
    }
}
