import Foundation
import Model
import Query

extension RealmCollection {
    /// The elements for which a predicate holds. Several filters combine with AND.
    ///
    ///     dogs.filter("age > %@ AND name BEGINSWITH 'R'", 3)
    public func filter(_ predicateFormat: String, _ arguments: Any...) -> Results<Element> {
        filtered(isPredicate: true) { PredicateText(predicateFormat, arguments).condition }
    }

    /// The elements for which a predicate holds. Only predicates made from formats can be evaluated.
    public func filter(_ predicate: NSPredicate) -> Results<Element> {
        filtered(isPredicate: true) { PredicateText.condition(of: predicate) }
    }

    /// The elements for which a type-safe condition holds.
    ///
    ///     dogs.where { $0.age > 3 && $0.name.starts(with: "R") }
    public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> Results<Element> {
        filtered { isIncluded(Query()).condition }
    }

    public func index(matching predicateFormat: String, _ arguments: Any...) -> Int? {
        position(isPredicate: true) { PredicateText(predicateFormat, arguments).condition }
    }

    public func index(matching predicate: NSPredicate) -> Int? {
        position(isPredicate: true) { PredicateText.condition(of: predicate) }
    }

    public func index(matching isIncluded: (Query<Element>) -> Query<Bool>) -> Int? {
        position { isIncluded(Query()).condition }
    }

    private func position(isPredicate: Bool = false, _ condition: () -> Condition) -> Int? {
        let state = managedState("find by a predicate")
        let found = state.filtered(state.core.querying(condition), isPredicate: isPredicate)
        guard let first = found.keys.first, let info = state.model?.info else { return nil }
        switch state.elements {
        case .objects(.keys(let keys)): return keys.firstIndex(of: first)
        default: return info.reader.index(of: first)
        }
    }

    private func filtered(isPredicate: Bool = false, _ condition: () -> Condition) -> Results<Element> {
        let state = managedState("filter")
        return Results(state.filtered(state.core.querying(condition), isPredicate: isPredicate))
    }

    // MARK: Order

    /// Sorted by the values themselves.
    public func sorted(ascending: Bool = true) -> Results<Element> where Element.PersistedType: SortableType {
        Results(managedState("sort").sorted(ascending: ascending))
    }

    /// Sorted by a property, which may be reached through links.
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Element> {
        sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
    }

    /// Sorted by several properties, the first being the primary one.
    public func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Element> where S.Element == SortDescriptor {
        Results(managedState("sort").sorted(by: Array(sortDescriptors)))
    }

    /// The first element of each value.
    public func distinct() -> Results<Element> where Element: RealmCollectionValue {
        Results(managedState("make distinct").distinct())
    }

    /// The first element of each combination of values of some properties.
    public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element> where S.Element == String {
        Results(managedState("make distinct").distinct(by: Array(keyPaths)))
    }
}

extension RealmCollection where Element: _KeyPathRoot {
    public func sorted<T: _HasPersistedType>(
        by keyPath: KeyPath<Element, T>, ascending: Bool = true
    ) -> Results<Element> where T.PersistedType: SortableType {
        sorted(by: [SortDescriptor(keyPath: keyPath as PartialKeyPath<Element>, ascending: ascending)])
    }

    public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element> where S.Element == PartialKeyPath<Element> {
        distinct(by: _KeyPathTracer.paths(Array(keyPaths)))
    }
}

extension _CollectionState {
    /// The query on the class of the objects. Traps for lists of values (MK-42).
    private func objectQuery(_ doing: String) -> (CollectionQuery, ManagedClass) {
        core.check()
        guard let query, let model else {
            fail(Mistake("Cannot \(doing): this method is only implemented for arrays of Realm Objects."))
        }
        return (query, model)
    }

    /// - Parameter isPredicate: from a predicate format, which has stricter rules for constants and collections.
    func filtered(_ condition: Condition, isPredicate: Bool = false) -> _CollectionState {
        var (query, model) = objectQuery("filter")
        let condition = checked(NameResolution(model.persisted).resolve(condition), model, isPredicate)
        if query.descriptors.allSatisfy({ if case .sort = $0 { true } else { false } }) {
            query.condition = query.condition.and(condition)
        } else if case .filter(let earlier)? = query.descriptors.last {
            query.descriptors[query.descriptors.count - 1] = .filter(earlier.and(condition))
        } else {
            // What distinct left is filtered, not what it started from.
            query.descriptors.append(.filter(condition))
        }
        return _CollectionState(core, .objects(query), model)
    }

    /// The condition with constants of the types that they are compared with. Traps for what can't be compared.
    private func checked(_ condition: Condition, _ model: ManagedClass, _ isPredicate: Bool) -> Condition {
        let schema = core.snapshot.schema.realmSchema
        do {
            return try isPredicate
                ? condition.checkedAsPredicate(for: model.info.name, in: schema)
                : condition.checked(for: model.info.name, in: schema)
        } catch {
            fail(Mistake("Query on class '\(model.persisted.name)' is wrong: \(error)."))
        }
    }

    func sorted(by descriptors: [SortDescriptor]) -> _CollectionState {
        var (query, model) = objectQuery("sort")
        guard !descriptors.isEmpty else { return self }
        let keys = descriptors.map { descriptor in
            SortKey(orderPath(descriptor.keyPath, model, "sort"), ascending: descriptor.ascending)
        }
        query.descriptors.append(.sort(keys))
        return _CollectionState(core, .objects(query), model)
    }

    func distinct(by keyPaths: [String]) -> _CollectionState {
        var (query, model) = objectQuery("make distinct")
        guard !keyPaths.isEmpty else { return self }
        query.descriptors.append(.distinct(keyPaths.map { orderPath($0, model, "distinct") }))
        return _CollectionState(core, .objects(query), model)
    }

    func sorted(ascending: Bool) -> _CollectionState {
        appending(.sort(ascending: ascending))
    }

    func distinct() -> _CollectionState {
        if case .objects(let query) = source, let model {
            var query = query
            query.descriptors.append(.distinct([PropertyPath([])]))
            return _CollectionState(core, .objects(query), model)
        }
        return appending(.distinct)
    }

    private func appending(_ step: ValueQuery.Step) -> _CollectionState {
        guard case .values(var query) = source else {
            fail(Mistake("Only collections of values can be sorted without a property: name one to sort objects by."))
        }
        query.steps.append(step)
        return _CollectionState(core, .values(query))
    }

    /// A path to sort by, in stored names (MK-37, MK-38).
    private func orderPath(_ keyPath: String, _ model: ManagedClass, _ doing: String) -> PropertyPath {
        func refuse(_ why: String) -> Never { fail(Mistake("Cannot \(doing) on key path '\(keyPath)': \(why).")) }
        if keyPath.contains("@") { refuse("operators and collections are not supported") }
        var persisted: PersistedClass? = model.persisted
        var names: [String] = []
        let parts = keyPath.split(separator: ".", omittingEmptySubsequences: false)
        for (position, part) in parts.enumerated() {
            guard let property = persisted?.property(String(part)) else {
                refuse("property '\(model.persisted.name).\(part)' does not exist")
            }
            if property.isComputed || property.collection != .single {
                refuse("it goes through the collection '\(part)'")
            }
            if position == parts.count - 1, property.type == .link, doing == "sort" {
                refuse("objects have no order")
            }
            names.append(property.columnName)
            persisted = property.targetClass
        }
        return PropertyPath(names: names)
    }
}

extension Condition {
    func and(_ other: Condition) -> Condition {
        switch (self, other) {
        case (.constant(true), _): other
        case (_, .constant(true)): self
        case (.and(let parts), .and(let others)): .and(parts + others)
        case (.and(let parts), _): .and(parts + [other])
        default: .and([self, other])
        }
    }
}
