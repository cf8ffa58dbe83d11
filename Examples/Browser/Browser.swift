import Foundation
import RealmSwift

/// Looks around in an imported data set that it only reads.
struct Browser {
    let places: Results<Subdivision>
    /// Rows that a list shows at most.
    let limit = 20

    /// Answers one line of input.
    func answer(_ line: String) -> String {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        let rest = words.count > 1 ? words[1] : ""
        switch words.first {
        case "countries": return countries()
        case "types": return types()
        case "in": return list(places.where { $0.code.starts(with: rest.uppercased() + "-") })
        case "find":
            return list(places.where { $0.name.contains(rest, options: [.caseInsensitive, .diacriticInsensitive]) })
        case "of": return list(places.where { $0.type == rest })
        case "show": return show(rest)
        default: return "countries | types | in COUNTRY | find TEXT | of TYPE | show CODE | quit"
        }
    }

    private func countries() -> String {
        let sections = places.sectioned(by: \.country, sortDescriptors: [SortDescriptor(keyPath: "code")])
        return sections.map { "\($0.key) \($0.count)" }.joined(separator: "  ")
    }

    private func types() -> String {
        places.distinct(by: ["type"]).sorted(byKeyPath: "type").map { kind in
            "\(kind.type): \(places.where { $0.type == kind.type }.count)"
        }.joined(separator: "\n")
    }

    private func show(_ code: String) -> String {
        guard let place = places.realm?.object(ofType: Subdivision.self, forPrimaryKey: code.uppercased()) else {
            return "there is no \(code)"
        }
        let parts = places.where { $0.parent == place.code }
        let above = place.parent.map { " in \($0)" } ?? ""
        let head = "\(place.name) (\(place.code)), \(place.type)\(above)"
        return parts.isEmpty ? head : head + "\n" + list(parts)
    }

    private func list(_ found: Results<Subdivision>) -> String {
        let rows = found.sorted(by: \.name).prefix(limit).map { "\($0.code)\t\($0.name)\t\($0.type)" }
        let more = found.count > limit ? ["… \(found.count - limit) more"] : []
        return (rows + more).joined(separator: "\n")
    }
}
