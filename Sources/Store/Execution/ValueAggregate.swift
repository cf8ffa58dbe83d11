import Model
import Query

/// One figure over values that aren't in a column, by the rules for those that are.
package enum ValueAggregate {
    /// Minimum, maximum, sum or average of values of one type. Nulls are skipped; of nothing the sum is 0 and the others
    /// null.
    package static func of(_ function: AggregateFunction, _ type: ValueType, _ values: some Sequence<Value>) -> Value {
        var accumulator = Accumulator(function, type)
        let constants = QueryConstants()
        return withExtendedLifetime(constants) {
            for value in values { accumulator.add(constants.scalar(value)) }
            return accumulator.result.value
        }
    }
}
