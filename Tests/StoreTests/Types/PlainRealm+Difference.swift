import Model

@testable import Store

extension PlainRealm {
    /// Where a snapshot differs; nil when it doesn't.
    func difference(_ snapshot: Snapshot) -> String? {
        for stored in schema.classes where stored.kind == .topLevel {
            let expected = objects[stored.name] ?? [:]
            guard let table = snapshot.table(named: stored.name) else { return "no class \(stored.name)" }
            if table.count != expected.count { return "\(table.count) of \(stored.name) for \(expected.count)" }
            for (key, object) in expected {
                guard let found = table.find(key) else { return "\(stored.name) \(key) is missing" }
                let read = snapshot.node(table, found)
                for property in stored.properties {
                    let want = visible(object[property.name] ?? .null)
                    let got = read[property.name] ?? .null
                    if want != got { return "\(stored.name) \(key).\(property.name): \(got)\nfor \(want)" }
                }
            }
        }
        return embeddedDifference(snapshot)
    }

    /// Embedded objects are there as often as they are held.
    private func embeddedDifference(_ snapshot: Snapshot) -> String? {
        var counts: [String: Int] = [:]
        func count(_ object: [String: Node], _ name: String) {
            for property in schema.classSchema(name)?.properties ?? [] {
                guard property.type == .link, let target = property.target, let node = object[property.name] else {
                    continue
                }
                func held(_ node: Node) {
                    switch node {
                    case .object(let child):
                        counts[target, default: 0] += 1
                        count(child, target)
                    case .list(let elements): for element in elements { held(element) }
                    case .dictionary(let entries): for entry in entries { held(entry.node) }
                    default: break
                    }
                }
                held(node)
            }
        }
        for stored in schema.classes where stored.kind == .topLevel {
            for object in (objects[stored.name] ?? [:]).values { count(object, stored.name) }
        }
        for stored in schema.classes where stored.kind == .embedded {
            let found = snapshot.table(named: stored.name)?.count ?? 0
            if found != counts[stored.name] ?? 0 { return "\(found) of \(stored.name) for \(counts[stored.name] ?? 0)" }
        }
        return nil
    }

    /// Links to objects that don't exist read as null (C-13). Sets in any fixed order.
    private func visible(_ node: Node) -> Node {
        switch node {
        case .value(.link(let link)): return exists(link) ? node : .null
        case .value: return node
        case .list(let elements): return .list(elements.map { visible($0) })
        case .set(let elements):
            return .set(
                elements.map { value in
                    if case .link(let link) = value, !exists(link) { return Value.null }
                    return value
                }
                .sorted { "\($0)" < "\($1)" })
        case .dictionary(let entries):
            return .dictionary(
                entries.map { Node.Entry(key: $0.key, node: visible($0.node)) })
        case .object(let properties): return .object(properties.mapValues { visible($0) })
        }
    }
}

extension Snapshot {
    /// An object as a plain realm has it.
    func node(_ table: Table, _ key: ObjectKey) -> [String: Node] {
        var object: [String: Node] = [:]
        for column in table.stored.columns {
            object[column.property.name] = node(table, key, column)
        }
        return object
    }

    private func node(_ table: Table, _ key: ObjectKey, _ column: StoredColumn) -> Node {
        let parts = table.targetTable(column).flatMap { $0.stored.kind == .embedded ? $0 : nil }
        func element(_ list: ListView, _ index: Int) -> Node {
            if list.isMixed { return node(list.mixed(at: index)) }
            guard let parts else { return .value(list.value(at: index)) }
            return list.linkKey(at: index).map { .object(node(parts, $0)) } ?? .null
        }
        switch column.property.collection {
        case .single:
            if column.property.type == .mixed { return node(table.mixed(key, column)) }
            guard let parts else { return .value(table.value(key, column)) }
            return table.linkKey(key, column).map { .object(node(parts, $0)) } ?? .null
        case .list:
            let list = table.list(key, column)
            return .list((0..<list.count).map { element(list, $0) })
        case .set: return .set(table.set(key, column).elements.values.sorted { "\($0)" < "\($1)" })
        case .dictionary:
            let dictionary = table.dictionary(key, column)
            return .dictionary(
                (0..<dictionary.count).map { index in
                    Node.Entry(key: Array(dictionary.key(at: index).utf8), node: element(dictionary.values, index))
                })
        }
    }

    private func node(_ content: MixedContent) -> Node {
        switch content {
        case .value(let value): return .value(value)
        case .object(let id, let key):
            return .value(value(.link(id, key)))
        case .list(let list): return .list((0..<list.count).map { node(list.mixed(at: $0)) })
        case .dictionary(let dictionary):
            return .dictionary(
                (0..<dictionary.count).map { index in
                    Node.Entry(
                        key: Array(dictionary.key(at: index).utf8), node: node(dictionary.values.mixed(at: index)))
                })
        }
    }
}
