/// Names that stand for others in queries: renamed properties and inverse relationships of a program's classes.
package struct PathAliases: Hashable, Sendable {
    /// By class and name: another name, or `@links.Class.property`.
    package var steps: [String: [String: PropertyPath.Step]]
    /// Class names after `@links.` and in `obj()`.
    package var classes: [String: String]

    package init(steps: [String: [String: PropertyPath.Step]] = [:], classes: [String: String] = [:]) {
        self.steps = steps
        self.classes = classes
    }

    /// What a step of a path on `className` stands for, after at most 50 aliases.
    func resolve(_ step: PropertyPath.Step, on className: String) throws(QueryError) -> PropertyPath.Step {
        guard !steps.isEmpty, let names = steps[className] else { return step }
        var step = step
        for _ in 0...50 {
            guard case .name(let name) = step, let next = names[name] else { return step }
            step = next
        }
        throw QueryError(.mapping, "the aliases of '\(className)' don't come to an end")
    }
}
