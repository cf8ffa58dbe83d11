import Foundation
import Model
import Query

/// A predicate format with its arguments, as a condition with Swift's names.
struct PredicateText {
    let condition: Condition

    /// Traps if the format or an argument is wrong: predicates are part of the program.
    init(_ format: String, _ arguments: [Any]) {
        do {
            condition = try PredicateFormat.parse(format, arguments.map { Self.argument($0, format) })
        } catch {
            fail(Mistake("Predicate '\(format)' is wrong: \(error)."))
        }
    }

    /// The condition of a predicate that was made from a format.
    static func condition(of predicate: NSPredicate) -> Condition {
        if let compound = predicate as? NSCompoundPredicate { return Self.condition(of: compound) }
        // Two predicates of blocks are never equal.
        for value in [true, false] where predicate.isEqual(NSPredicate(value: value)) { return .constant(value) }
        let probe = PredicateProbe()
        _ = predicate.evaluate(with: probe)
        guard let condition = probe.condition else {
            fail(
                Mistake(
                    "Only support compound, comparison, and constant predicates: a predicate of a block can't be "
                        + "evaluated by a Realm."))
        }
        return condition
    }

    private static func condition(of compound: NSCompoundPredicate) -> Condition {
        let parts = compound.subpredicates.map { Self.condition(of: $0) }
        switch compound.compoundPredicateType {
        case .and: return parts.isEmpty ? .constant(true) : .and(parts)
        case .or: return parts.isEmpty ? .constant(false) : .or(parts)
        case .not: return parts.first.map { .not($0) } ?? .constant(true)
        @unknown default: fail(Mistake("The compound predicate is of an unknown type."))
        }
    }

    private static func argument(_ argument: Any, _ format: String) -> QueryArgument {
        guard let given = AnyCoercion.unwrapped(argument), !(given is NSNull) else { return .value(.null) }
        if let shape = given as? any GeoSearchable { return .geo(shape.shape) }
        if let value = value(given) { return .value(value) }
        if let elements = elements(given) {
            return .list(
                elements.map { element in
                    guard let given = AnyCoercion.unwrapped(element), !(given is NSNull) else { return .null }
                    guard let value = value(given) else {
                        fail(Mistake("Predicate '\(format)': '\(given)' can't be an element of an argument."))
                    }
                    return value
                })
        }
        fail(Mistake("Predicate '\(format)': '\(given)' of type \(type(of: given)) can't be an argument."))
    }

    private static func elements(_ given: Any) -> [Any]? {
        if let range = given as? any AnyRange { return range.ends }
        return (given as? any Sequence).map { sequence in sequence.map { $0 as Any } }
    }

    private static func value(_ given: Any) -> Model.Value? {
        switch given {
        // Asked first: a number object passes for a Bool, an Int or a Double, as its value allows (XR-19).
        case let number as NSNumber where type(of: given) is NSNumber.Type: return value(of: number)
        case let value as String: return .string(value)
        case let value as Bool: return .bool(value)
        case let value as Double: return .double(value)
        case let value as Float: return .float(value)
        case let value as Date: return .timestamp(Timestamp(value))
        case let value as any BinaryInteger: return Int64(exactly: value).map { .int($0) }
        case let object as ObjectBase: return object.queryLink
        case let value as any RealmCollectionValue:
            if case .object(let object) = value._rlmEncoded.content { return object.queryLink }
            return value._rlmEncoded.value
        case let value as Decimal: return Model.Decimal128("\(value)").map { .decimal($0) }
        default: return nil
        }
    }

    private static func value(of number: NSNumber) -> Model.Value? {
        if number is NSDecimalNumber { return Model.Decimal128(number.stringValue).map { .decimal($0) } }
        switch String(cString: number.objCType) {
        case "c": return .bool(number.boolValue)
        case "f": return .float(number.floatValue)
        case "d": return .double(number.doubleValue)
        default: return Int64(exactly: number).map { .int($0) } ?? .double(number.doubleValue)
        }
    }
}

private protocol AnyRange {
    var ends: [Any] { get }
}

extension ClosedRange: AnyRange {
    var ends: [Any] { [lowerBound, upperBound] }
}

extension ObjectBase {
    /// The object as a constant of a query. An object of no realm equals none.
    final var queryLink: Model.Value {
        guard let (info, key) = _rlmManaged, let core = _rlmCore else {
            return .link(Link(className: _rlmPersisted.name, key: .global(high: .max, low: .max)))
        }
        _checkManaged()
        QueryOrigins.current?.note(core.coordinator.settings)
        guard let primary = core.primaryKey(of: key, info) else { return .null }
        return .link(Link(className: info.name, key: primary))
    }
}
