import Model
import Query

/// Minimum, maximum, sum or average of values of one type; nulls are skipped.
struct Accumulator: Sendable {
    private let function: AggregateFunction
    private let type: ValueType
    private var count = 0
    private var int: Int64 = 0
    private var double = 0.0
    private var decimal = Decimal128.zero
    private var best: UnsafeScalar = .null

    init(_ function: AggregateFunction, _ type: ValueType) {
        self.function = function
        self.type = type
    }

    /// Whether only totals are kept.
    var isSum: Bool { function == .sum || function == .average }

    mutating func add(_ value: UnsafeScalar) {
        if value.isNull { return }
        switch function {
        case .min, .max:
            // NaN is passed over: it isn't equal even to itself.
            guard !value.isNaN else { return }
            // Mixed values are ordered by type first.
            let isBetter = best.isNull || value.totalOrder(best) == (function == .min ? .less : .greater)
            if isBetter { best = value }
        case .sum where type == .mixed, .average where type == .mixed:
            guard let number = value.asDecimal else { return }
            decimal = decimal + number
        case .sum, .average:
            switch value {
            case .int(let value):
                int &+= value
                double += Double(value)
            case .float(let value): double += Double(value)
            case .double(let value): double += value
            case .decimal(let value): decimal = decimal + value
            default: return
            }
        }
        count += 1
    }

    /// Adds integers in bulk: their wrapping sum and how many there were.
    mutating func add(sum: Int64, count added: Int) {
        int &+= sum
        count += added
        double += Double(sum)
    }

    /// Adds floating-point numbers in bulk.
    mutating func add(sum: Double, count added: Int) {
        double += sum
        count += added
    }

    /// Takes over what another one, of the same function and type, has gathered.
    mutating func merge(_ other: Accumulator) {
        int &+= other.int
        double += other.double
        decimal = decimal + other.decimal
        count += other.count
        guard !other.best.isNull else { return }
        if best.isNull || other.best.totalOrder(best) == (function == .min ? .less : .greater) { best = other.best }
    }

    var result: UnsafeScalar {
        switch function {
        case .min, .max: return best
        case .sum:
            switch type {
            case .int: return .int(int)
            case .decimal, .mixed: return .decimal(decimal)
            default: return .double(double)
            }
        case .average:
            guard count > 0 else { return .null }
            return type == .decimal || type == .mixed
                ? .decimal(decimal / Decimal128(Int64(count))) : .double(double / Double(count))
        }
    }
}
