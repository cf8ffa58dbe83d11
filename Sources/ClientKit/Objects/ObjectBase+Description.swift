import Foundation

extension ObjectBase: CustomStringConvertible {
    /// Class name and one line for each property; links five levels deep.
    public var description: String { _description(depth: 5) }

    private func _description(depth: Int) -> String {
        let persisted = _rlmModel?.persisted ?? PersistedClass.describing(type(of: self))
        if depth == 0 { return "<Maximum depth exceeded>" }
        if isInvalidated { return "[invalid object]" }
        var lines = ["\(persisted.name) {"]
        for (index, property) in persisted.properties.enumerated()
        where !property.isComputed && persisted.isVisible(index) {
            let text = Self._text(AnyCoercion.unwrapped(_anyValue(index)), depth: depth - 1)
            lines.append("    \(property.name) = \(text.replacing("\n", with: "\n    "));")
        }
        lines.append("}")
        return lines.joined(separator: "\n")
    }

    private static func _text(_ value: Any?, depth: Int) -> String {
        switch value {
        case nil: return "nil"
        case let object as ObjectBase: return object._description(depth: depth)
        case let data as Data:
            let start = data.prefix(24).map { String(format: "%02x", $0) }.joined()
            return "<\(start)\(data.count > 24 ? "…" : "") — \(data.count) total bytes>"
        case let map as any PersistedDictionary:
            let entries = map.anyEntries
            var lines = ["\(type(of: map)) ("]
            for entry in entries.prefix(100) {
                let text = _text(AnyCoercion.unwrapped(entry.value), depth: depth)
                lines.append("    [\(entry.key)]: \(text.replacing("\n", with: "\n    "))")
            }
            if entries.count > 100 { lines.append("    … \(entries.count - 100) objects skipped.") }
            lines.append(")")
            return lines.joined(separator: "\n")
        case let collection as any PersistedCollection:
            let elements = ObjectInput.elements(of: collection) ?? []
            var lines = ["\(type(of: collection)) ("]
            for (position, element) in elements.prefix(100).enumerated() {
                let text = _text(AnyCoercion.unwrapped(element), depth: depth)
                lines.append("    [\(position)] \(text.replacing("\n", with: "\n    "))")
            }
            if elements.count > 100 { lines.append("    … \(elements.count - 100) objects skipped.") }
            lines.append(")")
            return lines.joined(separator: "\n")
        case .some(let value): return "\(value)"
        }
    }
}
