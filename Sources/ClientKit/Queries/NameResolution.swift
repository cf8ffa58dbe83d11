import Model
import Query
import Store

/// Puts stored names in the place of Swift's, and inverse links in the place of the properties that declare them.
struct NameResolution {
    let root: PersistedClass

    init(_ root: PersistedClass) {
        self.root = root
    }

    func resolve(_ condition: Condition) -> Condition {
        switch condition {
        case .constant: condition
        case .and(let parts): .and(parts.map(resolve))
        case .or(let parts): .or(parts.map(resolve))
        case .not(let part): .not(resolve(part))
        case .comparison(let comparison):
            .comparison(
                Comparison(
                    resolve(comparison.left), comparison.op, resolve(comparison.right), options: comparison.options))
        }
    }

    private func resolve(_ operand: Operand) -> Operand {
        switch operand {
        case .path(let path, let quantifier): return .path(resolve(path).path, quantifier: quantifier)
        case .count(let path): return .count(resolve(path).path)
        case .aggregate(let path, let function, let property):
            let (resolved, target) = resolve(path)
            guard let property else { return .aggregate(resolved, function, property: nil) }
            guard let target else { return .aggregate(resolved, function, property: property) }
            return .aggregate(resolved, function, property: column(property, target).columnName)
        case .subqueryCount(let path, let variable, let condition):
            let (resolved, target) = resolve(path)
            guard let target else { fail(Mistake("SUBQUERY needs a collection of objects, and \(path) is none.")) }
            let inner = NameResolution(target)
            return .subqueryCount(resolved, variable: variable, inner.resolve(condition))
        case .arithmetic(let a, let op, let b): return .arithmetic(resolve(a), op, resolve(b))
        default: return operand
        }
    }

    /// A property by its Swift name, or by its stored one if no Swift name is the same (OB-15).
    private func column(_ name: String, _ persisted: PersistedClass) -> PersistedProperty {
        if let property = persisted.property(name) { return property }
        guard let property = persisted.properties.first(where: { $0.columnName == name }) else {
            fail(.propertyNotFound(persisted.name, name))
        }
        return property
    }

    /// The path in stored names, and the class that it ends at.
    private func resolve(_ path: PropertyPath) -> (path: PropertyPath, target: PersistedClass?) {
        var persisted: PersistedClass? = root
        let steps = path.steps.map { step -> PropertyPath.Step in
            guard case .name(let name) = step else { return step }
            guard let current = persisted else { return step }
            let property = column(name, current)
            persisted = property.targetClass
            guard let origin = property.originProperty, let source = persisted else {
                return .name(property.columnName)
            }
            return .backlinks(className: source.name, property: column(origin, source).columnName)
        }
        return (PropertyPath(steps), persisted)
    }
}
