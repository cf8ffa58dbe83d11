import RealmSwift

/// Observes a yard in many ways, and holds what it is told against a model that compares whole states.
final class YardWatch {
    private let realm: Realm
    private let yard: Yard
    private var known: (clock: Int, state: YardState)?
    private(set) var faults = 0
    private(set) var records: [YardRecord] = []
    private(set) var tokens: [NotificationToken] = []

    init(_ realm: Realm, _ yard: Yard) {
        self.realm = realm
        self.yard = yard
        watchResults()
        watchCollections()
        watchSections()
    }

    /// The state at the present version.
    var state: YardState {
        if let known, known.clock == yard.clock { return known.state }
        let state = YardState(realm)
        known = (yard.clock, state)
        return state
    }

    func report(_ fault: String) {
        faults += 1
        if faults <= 20 { Scenario.say("fault \(fault)") }
    }

    /// Whether each observer was told the first time.
    var hasBegun: Bool { records.allSatisfy(\.hasBegun) }

    /// What hasn't been told although the realm shows it.
    var outdated: [String] { records.filter { !$0.isUpToDate }.map(\.name) }

    private func watch<C: RealmCollection>(
        _ name: String, _ collection: C, mayReplace: Bool = false, _ row: @escaping (C.Element) -> String
    ) {
        let record = SequenceRecord(name, self, mayReplace: mayReplace) { collection.map(row) }
        records.append(record)
        tokens.append(collection.observe { record.take($0) })
    }

    private func watchResults() {
        let (wagons, loads) = (realm.objects(Wagon.self), realm.objects(Load.self))
        watch("wagons", wagons, YardState.row)
        watch("loads", loads, YardState.row)
        watch("heavy loads", loads.where { $0.weight > 4 }, YardState.row)
        watch("wagons of low rank", wagons.filter("rank < 5"), YardState.row)
        watch("wagons with a heavy load", wagons.filter("load.weight > 4"), YardState.row)
        watch("wagons that lead to a low rank", wagons.filter("next.next.rank < 5"), YardState.row)
        watch("wagons with followers", wagons.filter("followers.@count > 0"), YardState.row)
        watch("wagons by rank", wagons.sorted(byKeyPath: "rank"), YardState.row)
        watch("loads by weight", loads.sorted(byKeyPath: "weight", ascending: false), YardState.row)
        watch("wagons by weight", wagons.sorted(byKeyPath: "load.weight"), YardState.row)
        watch("first of each track", wagons.distinct(by: ["track"]), YardState.row)
        watch(
            "best of each track", wagons.sorted(byKeyPath: "rank").distinct(by: ["track"]).filter("rank > 0"),
            YardState.row)
        if let locomotive = realm.object(ofType: Wagon.self, forPrimaryKey: Yard.locomotive) {
            watch("followers", locomotive.followers, YardState.row)
            watch("followers of low rank", locomotive.followers.filter("rank < 5"), YardState.row)
        }
    }

    private func watchCollections() {
        watch("list", yard.wagons, mayReplace: true, YardState.row)
        watch("list of low rank", yard.wagons.filter("rank < 5"), YardState.row)
        watch("list by rank", yard.wagons.sorted(byKeyPath: "rank"), YardState.row)
        watch("numbers", yard.numbers, mayReplace: true) { "\($0)" }
        watch("members", yard.members, YardState.row)
        watch("members by rank", yard.members.sorted(byKeyPath: "rank"), YardState.row)
        watch("tags", yard.tags) { $0 }
        let named = MapRecord("named", self) { [yard] in
            Dictionary(uniqueKeysWithValues: yard.named.map { ($0.key, $0.value.map(YardState.row) ?? "-") })
        }
        tokens.append(yard.named.observe { named.take($0) })
        let counts = MapRecord("counts", self) { [yard] in
            Dictionary(uniqueKeysWithValues: yard.counts.map { ($0.key, "\($0.value)") })
        }
        tokens.append(yard.counts.observe { counts.take($0) })
        records += [named, counts]
    }

    private func watchSections() {
        watch("wagons by track", realm.objects(Wagon.self).sectioned(by: \.track))
        watch(
            "list by track",
            yard.wagons.sectioned(by: \.track, sortDescriptors: [.init(keyPath: "track"), .init(keyPath: "rank")]))
    }

    private func watch(_ name: String, _ sections: SectionedResults<String, Wagon>) {
        let record = SectionsRecord(name, self) {
            sections.map { (key: $0.key, rows: $0.map(YardState.row)) }
        }
        records.append(record)
        tokens.append(sections.observe { record.take($0) })
    }
}
